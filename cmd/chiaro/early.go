package main

import (
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/source"
)

// earlySignals answers SIGINT and SIGTERM before a verb has a context of its own: while it reads a list of files, a
// baseline or a profile, which may be a pipe without a writer.
type earlySignals struct {
	signals chan os.Signal
	over    chan struct{}
	once    sync.Once
}

// early is the answer to signals of the process; nil in tests of verbs.
var early *earlySignals

// notifyInterrupts sends SIGINT and SIGTERM to c. SIGINT stays ignored if the parent process ignores it, as a shell
// without job control does for its background commands.
func notifyInterrupts(c chan<- os.Signal) {
	signal.Notify(c, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGINT) {
		signal.Notify(c, syscall.SIGINT)
	}
}

// answerEarly begins to answer signals: end ends the process.
func answerEarly(w io.Writer, end func(code int)) *earlySignals {
	e := &earlySignals{signals: make(chan os.Signal, 1), over: make(chan struct{})}
	notifyInterrupts(e.signals)
	go func() {
		select {
		case <-e.over:
			return
		case <-e.signals:
		}
		signal.Stop(e.signals) // the next signal has its default action
		said := make(chan struct{})
		go func() {
			io.WriteString(w, "chiaro: interrupted\n")
			close(said)
		}()
		select {
		case <-said:
		case <-time.After(interruptGrace): // the stream has no reader
		}
		end(exitInterrupt)
	}()
	return e
}

// release ends the answers: a context has taken them over.
func (e *earlySignals) release() {
	if e != nil {
		e.once.Do(func() {
			signal.Stop(e.signals)
			close(e.over)
		})
	}
}

// leave ends the process without temporary files.
func leave(code int) {
	parts.end()
	source.Clean()
	os.Exit(code)
}
