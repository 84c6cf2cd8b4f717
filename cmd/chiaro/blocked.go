package main

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// watchedWriter writes to a stream of the process and notes since when the write waits for its reader: a pager that
// stopped or a full pipe blocks a write for ever, and no context ends it.
type watchedWriter struct {
	io.Writer
	since atomic.Int64 // time in nanoseconds at which the current write began; 0 if there is none
}

// watchedWriters are the writers of the process.
var watchedWriters struct {
	sync.Mutex
	list []*watchedWriter
}

// watched returns a writer that a signal does not wait for.
func watched(w io.Writer) *watchedWriter {
	x := &watchedWriter{Writer: w}
	watchedWriters.Lock()
	defer watchedWriters.Unlock()
	watchedWriters.list = append(watchedWriters.list, x)
	return x
}

// maxChunk bounds one write to a stream, so that a long text to a slow reader is not a blocked write.
const maxChunk = 1 << 16

// Write writes p in chunks.
func (w *watchedWriter) Write(p []byte) (n int, err error) {
	defer w.since.Store(0)
	for first := true; err == nil && (first || len(p) > 0); first = false {
		w.since.Store(time.Now().UnixNano())
		var k int
		k, err = w.Writer.Write(p[:min(len(p), maxChunk)])
		n, p = n+k, p[k:]
	}
	return n, err
}

// blocked reports whether a write waits for interruptGrace already.
func blocked() bool {
	watchedWriters.Lock()
	defer watchedWriters.Unlock()
	for _, w := range watchedWriters.list {
		if t := w.since.Load(); t != 0 && time.Since(time.Unix(0, t)) >= interruptGrace {
			return true
		}
	}
	return false
}

// endBlocked ends the process after a signal as soon as a write is blocked.
func endBlocked() {
	for time.Sleep(interruptGrace); !blocked(); {
		time.Sleep(interruptGrace / 10)
	}
	parts.end()
	os.Exit(exitInterrupt)
}
