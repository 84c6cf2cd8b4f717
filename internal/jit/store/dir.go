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
	"sync"
	"time"
)

// Key names a piece.
type Key [sha256.Size]byte

// Dir is a folder of pieces. Its methods may be called from several goroutines,
// and several processes may use one folder.
type Dir struct {
	root  *os.Root
	limit int64
	mu    sync.Mutex // of saving
}

// magic begins every file.
const magic = "chiaro code 1\n\x00\x00"

// headBytes is what stands before the data: magic, key, length, checksum.
const headBytes = len(magic) + sha256.Size + 8 + sha256.Size

// suffix is that of finished files, unfinished that of others.
const (
	suffix     = ".code"
	unfinished = ".new"
)

// stale is the age from which an unfinished file counts as left behind.
const stale = time.Hour

// Open returns the folder at path, which it makes, for its owner alone, where
// there is none. The files in it may take limit bytes together. The error says
// that the folder cannot be made or may not be trusted.
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

// Close lets go of the folder.
func (d *Dir) Close() error { return d.root.Close() }

func name(k Key) string { return hex.EncodeToString(k[:]) + suffix }

// Load returns the piece with a key; false where there is none, or none that
// can be trusted.
func (d *Dir) Load(k Key) ([]byte, bool) {
	f, err := d.root.OpenFile(name(k), os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || trust(info) != nil || info.Size() < int64(headBytes) || info.Size() > d.limit {
		return nil, false
	}
	all := make([]byte, info.Size())
	if _, err := io.ReadFull(f, all); err != nil {
		return nil, false
	}
	data := all[headBytes:]
	if !bytes.Equal(all[:headBytes], head(k, data)) {
		return nil, false
	}
	now := time.Now()
	_ = d.root.Chtimes(name(k), now, now) // else it is only forgotten earlier
	return data, true
}

// head returns what stands before data in the file of a key.
func head(k Key, data []byte) []byte {
	h := append([]byte(magic), k[:]...)
	h = binary.LittleEndian.AppendUint64(h, uint64(len(data)))
	sum := sha256.New()
	sum.Write(h)
	sum.Write(data)
	return sum.Sum(h)
}

// Save keeps data under a key, and removes what was not used for the longest
// time where there is too much. Data larger than the limit is not kept.
func (d *Dir) Save(k Key, data []byte) error {
	size := int64(headBytes + len(data))
	if size > d.limit {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.shrink(d.limit - size); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	temp := fmt.Sprintf("%s.%d%s", hex.EncodeToString(k[:]), os.Getpid(), unfinished)
	f, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	_, err = f.Write(append(head(k, data), data...))
	if err = errors.Join(err, f.Close()); err == nil {
		err = d.root.Rename(temp, name(k))
	}
	if err != nil {
		return fmt.Errorf("store: %w", errors.Join(err, d.root.Remove(temp)))
	}
	return nil
}

// shrink removes the files that were not used for the longest time until all
// together take at most most bytes, and what nobody will finish.
func (d *Dir) shrink(most int64) error {
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
			continue // gone meanwhile, or none of ours
		}
		switch n := e.Name(); {
		case len(n) == len(name(Key{})) && n[2*sha256.Size:] == suffix:
			files = append(files, file{n, info.ModTime(), info.Size()})
			total += info.Size()
		case len(n) > len(unfinished) && n[len(n)-len(unfinished):] == unfinished && time.Since(info.ModTime()) > stale:
			_ = d.root.Remove(n) // by whoever comes first
		}
	}
	slices.SortFunc(files, func(a, b file) int { return a.used.Compare(b.used) })
	for _, f := range files {
		if total <= most {
			break
		}
		if err := d.root.Remove(f.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		total -= f.size
	}
	return nil
}
