package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
)

// TestParts checks that the end of the process removes incomplete outputs, and that none begins afterwards.
func TestParts(t *testing.T) {
	defer func() { parts = partFiles{} }()
	name := filepath.Join(t.TempDir(), "out.spv")
	f, err := createPart(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	parts.end()
	if left, err := os.ReadDir(filepath.Dir(name)); err != nil || len(left) > 0 {
		t.Errorf("%v, %v; want no file", left, err)
	}
	if _, err := createPart(name); err == nil {
		t.Error("a part file after the end; want an error")
	}
}

// TestReadBounded reads streams of sizes around the piece, with and without a known size, and one that has no end.
func TestReadBounded(t *testing.T) {
	const most = 3*readPiece + 5
	for _, n := range []int{0, 1, readPiece - 1, readPiece, readPiece + 1, 2*readPiece + 7, most} {
		want := bytes.Repeat([]byte("chiaro "), n/7+1)[:n]
		for _, size := range []int{0, n / 2, n, n + 100} {
			got, err := readBounded(iotest.HalfReader(bytes.NewReader(want)), "x", size, most)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes with the size %d: %d bytes, %v", n, size, len(got), err)
			}
		}
	}
	if _, err := readBounded(zeros{}, "x", 0, most); err == nil {
		t.Error("a stream without an end; want an error")
	}
}

// zeros is a stream of zeros without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestChildInput checks that a child process has the standard input itself, so that its end needs no byte of it.
func TestChildInput(t *testing.T) {
	if in := childInput(console{in: &standardInput{Reader: os.Stdin}}); in != io.Reader(os.Stdin) {
		t.Errorf("%T; want the file", in)
	}
}
