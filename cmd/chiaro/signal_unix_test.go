//go:build unix

package main

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"
)

// silentReader is a standard input that never has a byte. Its first Read sends a signal to the process.
type silentReader struct {
	signal syscall.Signal
	sent   bool
	end    chan struct{}
}

func (r *silentReader) Read([]byte) (int, error) {
	if !r.sent {
		r.sent = true
		if err := syscall.Kill(os.Getpid(), r.signal); err != nil {
			return 0, err
		}
	}
	<-r.end
	return 0, os.ErrClosed
}

// TestSignals checks that both signals end every verb that reads a file, with the exit code 130, while the verb waits
// for its input.
func TestSignals(t *testing.T) {
	for _, line := range []string{
		"asm -", "dis -", "check -", "reflect -", "link --vert -", "run -", "bench -", "profile -", "debug -- -", "profiles requires -",
	} {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			var out, err bytes.Buffer
			in := &silentReader{signal: s, end: make(chan struct{})}
			code := run(strings.Fields(line), console{in, &out, &err, new(lastInput), nil})
			if text := err.String(); code != exitInterrupt || !strings.Contains(text, "interrupted") {
				t.Errorf("%s, %v: code %d, %s; want %d", line, s, code, text, exitInterrupt)
			}
			close(in.end) // the verb that was abandoned may write from here on
		}
	}
}
