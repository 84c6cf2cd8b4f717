//go:build unix

package main

import (
	"bytes"
	"os"
	"os/signal"
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

// heed ends the state "ignored" of both signals, which the tests have as a background command of a shell.
func heed() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM)
	signal.Stop(c)
}

// TestSignals checks that both signals end every verb that reads a file, with the exit code 130, while the verb waits
// for its input.
func TestSignals(t *testing.T) {
	heed()
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

// TestIgnoredInterrupt checks that SIGINT stays ignored if the parent process ignores it, while SIGTERM is answered.
func TestIgnoredInterrupt(t *testing.T) {
	heed()
	signal.Ignore(syscall.SIGINT)
	defer heed()
	c := make(chan os.Signal, 2)
	notifyInterrupts(c)
	defer signal.Stop(c)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
	}
	if got := <-c; got != syscall.SIGTERM || !signal.Ignored(syscall.SIGINT) {
		t.Errorf("got %v; want %v alone", got, syscall.SIGTERM)
	}
}
