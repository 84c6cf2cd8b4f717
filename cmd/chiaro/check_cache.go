package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/fossil"
	"github.com/chiaro-gpu/chiaro/internal/jit/store"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// resultCache stores results of archive objects between runs: one append-only file
// per environment. A killed run continues after its last result. Unreadable entries
// count as absent.
type resultCache struct {
	mu    sync.Mutex
	known map[cacheKey][]byte
	file  *os.File
	w     *bufio.Writer
	since int // results since the file was written to
}

// cacheKey is a truncated digest of an object and of the environment.
type cacheKey [16]byte

// cachedResult is the stored result of one object. A module with findings is never
// stored, because its findings are shown with its text.
type cachedResult struct {
	Uses     []fossil.Ref    `json:"u,omitempty"` // the other objects that the result depends on
	Digest   []byte          `json:"d,omitempty"` // of that
	Findings []cachedFinding `json:"f,omitempty"`
	Skipped  []string        `json:"s,omitempty"`
	Pipeline bool            `json:"p,omitempty"`
}

type cachedFinding struct {
	Code     string         `json:"c"`
	Severity diag.Severity  `json:"v,omitempty"`
	Message  string         `json:"m"`
	Profiles []string       `json:"p,omitempty"`
	Sides    []cachedSide   `json:"s,omitempty"`
	Source   facts.Position `json:"l"`
	Has      bool           `json:"h,omitempty"`
}

// cachedSide is a side with the fields that its JSON omits. Its file name, like the name of a
// finding's source, is relative to the object's, which may be in another folder in the next run.
type cachedSide struct {
	link.Side
	Pos    diag.Pos       `json:"o"`
	Source facts.Position `json:"l"`
	Has    bool           `json:"h,omitempty"`
}

const (
	cacheMagic   = "chiaro results 2\n"
	maxCacheFile = 512 << 20 // bytes; a file that has grown larger is begun anew
	flushAfter   = 512       // results
)

// openCache opens the cache of the run's environment. It returns nil without a cache.
func openCache(c console, dir string, env *valid.Env, f *checkFlags) *resultCache {
	named := dir != ""
	if !named {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil
		}
		dir = filepath.Join(base, "chiaro", "check")
	}
	envs := f.envs
	if len(envs) == 0 {
		envs = []*valid.Env{env}
	}
	text, err := json.Marshal(struct {
		Version string
		Envs    []*valid.Env
		Limits  valid.Limits
	}{version(), envs, f.opts.Limits})
	if err != nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		if named { // the user did not ask for the default folder
			plain.Fprintf(c.err, "chiaro: results are not cached: %v\n", err)
		}
		return nil
	}
	// The folder stays the judged one: its path may name another later.
	root, err := os.OpenRoot(dir)
	if err != nil {
		plain.Fprintf(c.err, "chiaro: results are not cached: %v\n", err)
		return nil
	}
	defer root.Close()
	if info, err := root.Stat("."); err != nil || store.Trusted(info) != nil {
		if err != nil || named || !errors.Is(store.Trusted(info), errors.ErrUnsupported) {
			plain.Fprintf(c.err, "chiaro: results are not cached: %s: only its owner, the user of this process, may be able to write it\n", dir)
		}
		return nil
	}
	sum := sha256.Sum256(text)
	r := &resultCache{known: map[cacheKey][]byte{}}
	if r.file = openResults(c, root, fmt.Sprintf("%x.results", sum[:16])); r.file == nil {
		return nil
	}
	end := r.load()
	if end == 0 { // new, or not to be used
		if err = r.file.Truncate(0); err == nil {
			_, err = r.file.WriteAt([]byte(cacheMagic), 0)
		}
		end = int64(len(cacheMagic))
	} else {
		err = r.file.Truncate(end) // drop an incomplete last entry
	}
	if err == nil {
		_, err = r.file.Seek(end, io.SeekStart)
	}
	if err != nil {
		r.file.Close()
		return nil
	}
	r.w = bufio.NewWriterSize(r.file, 1<<16)
	return r
}

// openResults opens a file of results in a folder. A file of another user, or writable for others, is replaced.
func openResults(c console, folder *os.Root, name string) *os.File {
	for range 2 {
		f, err := folder.OpenFile(name, os.O_CREATE|os.O_RDWR|store.NoFollow, 0o600)
		if err == nil {
			var info fs.FileInfo
			if info, err = f.Stat(); err == nil && info.Mode().IsRegular() && store.Trusted(info) == nil {
				return f
			}
			f.Close()
		}
		plain.Fprintf(c.err, "chiaro: %s: replaced: only its owner, the user of this process, may be able to write it\n", filepath.Join(folder.Name(), name))
		if folder.Remove(name) != nil {
			return nil
		}
	}
	return nil
}

// load reads the results of the file up to the first damaged one. It returns the
// offset of that entry, or 0 if the whole file is unusable.
func (c *resultCache) load() int64 {
	data, err := io.ReadAll(io.LimitReader(c.file, maxCacheFile+1))
	if err != nil || len(data) > maxCacheFile || len(data) < len(cacheMagic) || string(data[:len(cacheMagic)]) != cacheMagic {
		return 0
	}
	at := len(cacheMagic)
	for len(data)-at >= 24 {
		n, sum := int(binary.LittleEndian.Uint32(data[at:])), binary.LittleEndian.Uint32(data[at+4:])
		if n < 0 || n > len(data)-at-24 || crc32.ChecksumIEEE(data[at+8:at+24+n]) != sum {
			break
		}
		c.known[cacheKey(data[at+8:at+24])] = data[at+24 : at+24+n]
		at += 24 + n
	}
	return int64(at)
}

// add appends a result.
func (c *resultCache) add(k cacheKey, value []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.w == nil {
		return
	}
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(value)))
	sum := crc32.Update(crc32.ChecksumIEEE(k[:]), crc32.IEEETable, value)
	head = append(binary.LittleEndian.AppendUint32(head, sum), k[:]...)
	c.w.Write(head)
	c.w.Write(value) // an error stays with the writer
	if c.since++; c.since >= flushAfter {
		c.since = 0
		if c.w.Flush() != nil {
			c.w = nil // The disk is full: the entries so far stay valid.
		}
	}
}

// close flushes and closes the file.
func (c *resultCache) close() {
	if c == nil {
		return
	}
	if c.w != nil {
		_ = c.w.Flush()
	}
	c.file.Close()
}

// keyOf returns the key of an object, and whether it can have one.
func keyOf(s *subject) (k cacheKey, ok bool) {
	d, ok := s.set.Digest(s.ref)
	if !ok {
		return k, false
	}
	var b [sha256.Size + 9]byte
	copy(b[:], d[:])
	b[sha256.Size] = byte(s.ref.Tag)
	binary.LittleEndian.PutUint64(b[sha256.Size+1:], uint64(s.ref.Hash))
	sum := sha256.Sum256(b[:])
	return cacheKey(sum[:16]), true
}

// usedDigest is a digest of the objects that a pipeline was made of.
func usedDigest(set *fossil.Set, uses []fossil.Ref) ([]byte, bool) {
	h := sha256.New()
	for _, r := range uses {
		d, ok := set.Digest(r)
		if !ok {
			return nil, false
		}
		h.Write(d[:])
	}
	return h.Sum(nil)[:16], true
}

// cached checks an object of an archive, or reuses its cached result.
func (j *judge) cached(ctx context.Context, s *subject, x *checked) {
	var k cacheKey
	ok := false
	if j.cache != nil {
		if k, ok = keyOf(s); ok && j.cache.take(k, s, x) {
			x.profiles = j.f.profileNames()
			return
		}
	}
	uses := j.judgeObject(ctx, s, x)
	if !ok || x.verdict == verdictUnreadable || !x.pipeline && len(x.findings) > 0 {
		return
	}
	r := cachedResult{Uses: uses, Skipped: x.skipped, Pipeline: x.pipeline}
	if r.Digest, ok = usedDigest(s.set, uses); !ok {
		return
	}
	for i := range x.findings {
		f := &x.findings[i]
		n := cachedFinding{Code: f.Code, Severity: f.Severity, Message: f.Message, Profiles: f.Profiles, Source: f.Source, Has: f.HasSource}
		n.Source.File = strings.TrimPrefix(f.Source.File, s.file)
		for _, side := range f.sides {
			side.File = strings.TrimPrefix(side.File, s.file)
			n.Sides = append(n.Sides, cachedSide{side, side.Pos, side.Source, side.HasSource})
		}
		r.Findings = append(r.Findings, n)
	}
	if value, err := json.Marshal(&r); err == nil {
		j.cache.add(k, value)
	}
}

// take fills x with a cached result. It returns false if there is none, or if the
// objects that it depends on have changed.
func (c *resultCache) take(k cacheKey, s *subject, x *checked) bool {
	value, ok := c.known[k] // read alone, from the moment it is loaded
	if !ok {
		return false
	}
	var r cachedResult
	if json.Unmarshal(value, &r) != nil {
		return false
	}
	if d, ok := usedDigest(s.set, r.Uses); !ok || string(d) != string(r.Digest) {
		return false
	}
	x.verdict, x.pipeline, x.skipped = verdictClean, r.Pipeline, r.Skipped
	for i := range r.Findings {
		f := &r.Findings[i]
		x.verdict = verdictFindings
		n := shownFinding{Finding: valid.Finding{Finding: diag.Finding{Code: f.Code, Severity: f.Severity, Message: f.Message}, Source: f.Source, HasSource: f.Has, Profiles: f.Profiles}}
		if strings.HasPrefix(f.Source.File, "#") {
			n.Source.File = s.file + f.Source.File
			n.described = n.Source.File == s.name
		}
		for _, side := range f.Sides {
			out := side.Side
			out.Pos, out.Source, out.HasSource = side.Pos, side.Source, side.Has
			if strings.HasPrefix(out.File, "#") {
				out.File = s.file + out.File
			}
			n.sides = append(n.sides, out)
		}
		x.findings = append(x.findings, n)
	}
	return true
}
