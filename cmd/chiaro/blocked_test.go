package main

import (
	"bytes"
	"errors"
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
	for start := time.Now(); len(blocked()) == 0; time.Sleep(time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatal("the write is not blocked")
		}
	}
	got := make([]byte, len(text))
	if n, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, text) {
		t.Errorf("%d bytes, %v; want the text", n, err)
	}
	if err := <-done; err != nil || len(blocked()) != 0 {
		t.Errorf("error %v, %d blocked; want none", err, len(blocked()))
	}
}

// TestAbandonedWrite: a write ends with an error after a signal gives up its stream, and so does each later one.
func TestAbandonedWrite(t *testing.T) {
	_, w := io.Pipe()
	x, done := watched(w), make(chan error)
	go func() {
		_, err := x.Write([]byte("chiaro\n"))
		done <- err
	}()
	x.once.Do(func() { close(x.abandoned) })
	if err := <-done; !errors.Is(err, errAbandoned) {
		t.Errorf("error %v; want %v", err, errAbandoned)
	}
	if _, err := x.Write(nil); !errors.Is(err, errAbandoned) {
		t.Errorf("later: error %v; want %v", err, errAbandoned)
	}
}
