package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progressBar shows the number of finished files, the rate and the remaining time on
// one line of a terminal. It writes at most every progressInterval.
type progressBar struct {
	w       io.Writer // nil: nothing is shown
	n, done int
	start   time.Time
	last    time.Time // of the last output
	shown   bool      // the line is not empty
}

const progressInterval = 100 * time.Millisecond

// progress returns a progress bar on standard error if that is a terminal, else one
// that prints nothing. A dumb terminal cannot clear a line. With jsonl there is no bar, because lines come at any time.
func progress(c console, format string, n int) *progressBar {
	if n < 2 || !terminal(c.err) || os.Getenv("TERM") == "dumb" || format == "jsonl" && terminal(c.out) {
		return &progressBar{}
	}
	return &progressBar{w: c.err, n: n, start: time.Now()}
}

// add counts a finished file.
func (b *progressBar) add() {
	b.done++
	now := time.Now()
	if b.w == nil || now.Sub(b.last) < progressInterval {
		return
	}
	b.clear()
	elapsed := now.Sub(b.start)
	rate := float64(b.done) / max(elapsed.Seconds(), 1e-3)
	left := time.Duration(float64(b.n-b.done) / rate * float64(time.Second)).Round(time.Second)
	fmt.Fprintf(b.w, "%3d %% (%d/%d, %.0f/s) %v left", 100*b.done/b.n, b.done, b.n, rate, left)
	b.last, b.shown = now, true
}

// clear empties the line, so that other text can be written.
func (b *progressBar) clear() {
	if b.shown {
		fmt.Fprint(b.w, "\r\x1b[K") // to the first column; erase to the end of the line
		b.shown = false
	}
}
