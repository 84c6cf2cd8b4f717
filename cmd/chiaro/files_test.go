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

// TestSameOutput checks which names are a stream: its file, also by a link, and its pipe, but not another file and not a device
// that keeps nothing.
func TestSameOutput(t *testing.T) {
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	link := filepath.Join(dir, "link")
	linked := os.Symlink(file.Name(), link) == nil // Windows needs a privilege for it
	for _, c := range []struct {
		name   string
		stream *os.File
		want   bool
	}{{file.Name(), file, true}, {link, file, linked}, {other, file, false}, {filepath.Join(dir, "none"), file, false}, {os.DevNull, null, false}} {
		if got := sameOutput(c.name, c.stream); got != c.want {
			t.Errorf("%s and %s: %v; want %v", c.name, c.stream.Name(), got, c.want)
		}
	}
}

// TestLinkedOutput checks that an output whose name is a link goes to the file of the link.
func TestLinkedOutput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := file + ".link"
	if err := os.Symlink(file, link); err != nil {
		link = file // Windows needs a privilege for links
	}
	if err := writeOutput(console{}, link, []byte("text")); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "text" {
		t.Errorf("%q, %v; want the text", text, err)
	}
}
