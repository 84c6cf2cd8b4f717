package main

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// errAbandoned is the error of a write that a signal gave up, because its reader does not read.
var errAbandoned = errors.New("the reader of the output does not read")

// watchedWriter writes to a stream of the process and notes since when the write waits for its reader: a pager that
// stopped or a full pipe blocks a write for ever, and no context ends it.
type watchedWriter struct {
	io.Writer
	since     atomic.Int64  // time in nanoseconds at which the current write began; 0 if there is none
	abandoned chan struct{} // is closed if a signal gives the stream up
	once      sync.Once
}

// watchedWriters are the writers of the process.
var watchedWriters struct {
	sync.Mutex
	list []*watchedWriter
}

// watched returns a writer that a signal does not wait for.
func watched(w io.Writer) *watchedWriter {
	x := &watchedWriter{Writer: w, abandoned: make(chan struct{})}
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
		k, err = w.chunk(p[:min(len(p), maxChunk)])
		n, p = n+k, p[k:]
	}
	return n, err
}

// chunk writes p, or returns errAbandoned. The write has a goroutine and bytes of its own, because it may wait for ever.
func (w *watchedWriter) chunk(p []byte) (n int, err error) {
	select {
	case <-w.abandoned:
		return 0, errAbandoned
	default:
	}
	type result struct {
		n   int
		err error
	}
	done, own := make(chan result, 1), bytes.Clone(p)
	go func() {
		n, err := w.Writer.Write(own)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return r.n, r.err
	case <-w.abandoned:
		return 0, errAbandoned
	}
}

// blocked returns the writers with a write that waits for interruptGrace already.
func blocked() (list []*watchedWriter) {
	watchedWriters.Lock()
	defer watchedWriters.Unlock()
	for _, w := range watchedWriters.list {
		if t := w.since.Load(); t != 0 && time.Since(time.Unix(0, t)) >= interruptGrace {
			list = append(list, w)
		}
	}
	return list
}

// releaseBlocked gives up, after a signal, each stream with a blocked write, so that the other outputs are complete and the
// process ends. It does not return.
func releaseBlocked() {
	for time.Sleep(interruptGrace); ; time.Sleep(interruptGrace / 10) {
		for _, w := range blocked() {
			w.once.Do(func() { close(w.abandoned) })
		}
	}
}
