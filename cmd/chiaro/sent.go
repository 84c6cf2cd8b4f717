package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// sentModules are the modules that this process compiles for the workers of a fleet: files in a temporary folder, since
// the program that submits reads files. A worker starts no compiler.
type sentModules struct {
	mu     sync.Mutex
	folder string // "" before open
	gone   bool   // the run is over
}

// open makes the folder, and returns its name. The program that submits removes it too, since this process may be killed.
func (s *sentModules) open() (folder string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.folder == "" {
		s.folder, err = os.MkdirTemp("", "chiaro-sent-")
	}
	return s.folder, err
}

// file returns a module as a file of an item. Equal modules are one file.
func (s *sentModules) file(name string, code []byte) (wire.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone || s.folder == "" {
		return wire.File{}, fs.ErrClosed
	}
	sum := sha256.Sum256(code)
	path := filepath.Join(s.folder, hex.EncodeToString(sum[:]))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return wire.File{Name: name, Path: path}, nil
	}
	if err != nil {
		return wire.File{}, err
	}
	_, err = f.Write(code)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path) // a file in part is no module
	}
	return wire.File{Name: name, Path: path}, err
}

// remove removes the files.
func (s *sentModules) remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone = true; s.folder != "" {
		_ = os.RemoveAll(s.folder)
	}
}

// ahead yields of(0) to of(n−1) with their numbers in order, until the context is done. Up to jobs calls run at once. It returns
// after the last one, which may have files to remove.
func ahead[T any](ctx context.Context, n, jobs int, of func(i int) T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		var pending []chan T
		defer func() {
			for _, c := range pending {
				<-c
			}
		}()
		begun := 0
		for i := range n {
			for ; begun < min(n, i+jobs); begun++ {
				c, at := make(chan T, 1), begun
				pending = append(pending, c)
				go func() { c <- of(at) }()
			}
			select {
			case x := <-pending[0]:
				pending = pending[1:]
				if ctx.Err() != nil || !yield(i, x) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}
