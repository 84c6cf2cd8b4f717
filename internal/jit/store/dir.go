package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Key is the key of an entry, a SHA-256 hash.
type Key [sha256.Size]byte

// Dir is an open cache directory. It is safe for concurrent use, and several processes may use one directory.
type Dir struct {
	root  *os.Root
	limit int64
	mu    sync.Mutex // serializes Save
}

// magic is the first 16 bytes of every file: format and version.
const magic = "chiaro code 1\n\x00\x00"

// headerBytes is the size of a file's header: magic, key, length, checksum.
const headerBytes = len(magic) + sha256.Size + 8 + sha256.Size

// File name suffixes of complete and of temporary files.
const (
	suffix     = ".code"
	tempSuffix = ".new"
)

// staleAge is the age at which a temporary file is considered abandoned, by a process that crashed.
const staleAge = time.Hour

// Open opens the cache directory at path and creates it, accessible only to its owner, if it does not exist.
// limit is the maximum total size of its files in bytes. Open returns an error if the directory cannot be
// created or is not trusted.
func Open(path string, limit int64) (*Dir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	info, err := root.Stat(".")
	if err == nil {
		err = trust(info)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store: %s: %w", path, err), root.Close())
	}
	return &Dir{root: root, limit: limit}, nil
}

// Close closes the directory.
func (d *Dir) Close() error { return d.root.Close() }

func fileName(k Key) string { return hex.EncodeToString(k[:]) + suffix }

// tempName returns the name of a process's unfinished file for a key.
func tempName(k Key, process int) string {
	return fmt.Sprintf("%x.%d%s", k[:], process, tempSuffix)
}

// isEntry reports whether fileName returns a name.
func isEntry(name string) bool {
	key, found := strings.CutSuffix(name, suffix)
	_, err := hex.DecodeString(key)
	return found && err == nil && len(key) == 2*sha256.Size
}

// isTemp reports whether tempName returns a name. The folder may be one of the user's, with files of other programs.
func isTemp(name string) bool {
	key, rest, _ := strings.Cut(name, ".")
	process, found := strings.CutSuffix(rest, tempSuffix)
	if _, err := hex.DecodeString(key); err != nil || len(key) != 2*sha256.Size || !found {
		return false
	}
	_, err := strconv.ParseUint(process, 10, 64)
	return err == nil
}

// Load returns the data of key k, and marks it as used now. It returns false if there is no such entry or if
// its file is not trusted.
func (d *Dir) Load(k Key) ([]byte, bool) {
	f, err := d.root.OpenFile(fileName(k), os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || trust(info) != nil || info.Size() < int64(headerBytes) || info.Size() > d.limit {
		return nil, false
	}
	all := make([]byte, info.Size())
	if _, err := io.ReadFull(f, all); err != nil {
		return nil, false
	}
	key, data, ok := Unpack(all)
	if !ok || key != k {
		return nil, false
	}
	now := time.Now()
	_ = d.root.Chtimes(fileName(k), now, now) // on failure it is only evicted earlier
	return data, true
}

// Pack returns the form of an entry in a file: header and data.
func Pack(k Key, data []byte) []byte { return append(header(k, data), data...) }

// Unpack returns the key and the data of the result of Pack. It reports false for any other bytes.
func Unpack(b []byte) (k Key, data []byte, ok bool) {
	if len(b) < headerBytes {
		return k, nil, false
	}
	copy(k[:], b[len(magic):])
	data = b[headerBytes:]
	return k, data, bytes.Equal(b[:headerBytes], header(k, data))
}

// header returns the header of the file with key k and the given data.
func header(k Key, data []byte) []byte {
	h := append([]byte(magic), k[:]...)
	h = binary.LittleEndian.AppendUint64(h, uint64(len(data)))
	sum := sha256.New()
	sum.Write(h)
	sum.Write(data)
	return sum.Sum(h)
}

// Save stores data under key k, and evicts the least recently used entries if the limit is exceeded. It does
// nothing if the data alone exceeds the limit. If another process is writing the same key, Save returns an
// error.
func (d *Dir) Save(k Key, data []byte) error {
	size := int64(headerBytes + len(data))
	if size > d.limit {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.evict(d.limit - size); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	temp := tempName(k, os.Getpid())
	f, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	_, err = f.Write(Pack(k, data))
	if err = errors.Join(err, f.Close()); err == nil {
		err = d.root.Rename(temp, fileName(k))
	}
	if err != nil {
		return fmt.Errorf("store: %w", errors.Join(err, d.root.Remove(temp)))
	}
	return nil
}

// evict removes the least recently used files until the total size is at most limit bytes, and abandoned
// temporary files.
func (d *Dir) evict(limit int64) error {
	list, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return err
	}
	type file struct {
		name string
		used time.Time
		size int64
	}
	var files []file
	total := int64(0)
	for _, e := range list {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // removed meanwhile, or not a cache file
		}
		switch n := e.Name(); {
		case isEntry(n):
			files = append(files, file{n, info.ModTime(), info.Size()})
			total += info.Size()
		case isTemp(n) && time.Since(info.ModTime()) > staleAge:
			_ = d.root.Remove(n) // another process may have removed it already
		}
	}
	slices.SortFunc(files, func(a, b file) int { return a.used.Compare(b.used) })
	for _, f := range files {
		if total <= limit {
			break
		}
		if err := d.root.Remove(f.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		total -= f.size
	}
	return nil
}
