package main

import (
	"bytes"
	"io"
	"testing"
	"time"
)

// TestBlockedWrite: a write that its reader does not take is blocked after the time of grace, and not after the reader
// continues. A long text goes to the reader in chunks.
func TestBlockedWrite(t *testing.T) {
	r, w := io.Pipe()
	x, done := watched(w), make(chan error)
	text := bytes.Repeat([]byte("chiaro\n"), 20_000) // three chunks
	go func() {
		_, err := x.Write(text)
		done <- err
	}()
	for start := time.Now(); !blocked(); time.Sleep(time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatal("the write is not blocked")
		}
	}
	got := make([]byte, len(text))
	if n, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, text) {
		t.Errorf("%d bytes, %v; want the text", n, err)
	}
	if err := <-done; err != nil || blocked() {
		t.Errorf("error %v, blocked %v; want none", err, blocked())
	}
}
