package main

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// stream is an output that remembers its first write error, so that no command can lose one. After an error it
// drops everything.
type stream struct {
	mu     sync.Mutex
	w      io.Writer
	name   string
	err    error
	close  func() error // nil if the stream stays open
	before func()       // is called before each write; nil for none
}

// Write writes p, or returns the first error again.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	if s.before != nil {
		s.before()
	}
	n, err := s.w.Write(p)
	if err != nil {
		s.err = fmt.Errorf("cannot write %s: %w", s.name, err)
	}
	return n, s.err
}

// failed returns the first write error.
func (s *stream) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// finish closes the stream and returns its first error.
func (s *stream) finish() error {
	if s.close != nil {
		if err := s.close(); err != nil && s.failed() == nil {
			return unreadable("cannot write %s: %v", s.name, err)
		}
	}
	if err := s.failed(); err != nil {
		return unreadable("%v", err)
	}
	return nil
}

// sameFile reports whether two streams are one regular file.
func (s *stream) sameFile(o *stream) bool {
	x, err := os.Stat(s.name)
	if err != nil || !x.Mode().IsRegular() {
		return false
	}
	y, err := os.Stat(o.name)
	return err == nil && os.SameFile(x, y)
}

// createStream creates a file of --out.
func createStream(path string) (*stream, error) {
	if isStandard(path) {
		return nil, unreadable("--out to standard output, which has the report of --format; want a file")
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, unreadable("%v", err)
	}
	return &stream{w: watched(f), name: path, close: f.Close}, nil
}
