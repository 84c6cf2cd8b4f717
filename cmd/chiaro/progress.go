package main

import (
	"io"
	"os"
	"runtime"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress returns a progress bar on standard error. It prints nothing if that is not a terminal, or is a terminal that
// cannot clear a line.
func progress(c console, n int) *progressbar.ProgressBar {
	if n < 2 || !terminal(c.err) || dumb(os.Getenv("TERM"), runtime.GOOS) {
		return progressbar.DefaultSilent(int64(n))
	}
	var out *stream
	if terminal(c.out) {
		out, _ = c.out.(*stream)
	}
	return newBar(c.err, out, n)
}

// dumb reports whether a terminal has no escape sequences by its TERM: it is "dumb" or, except on Windows, whose terminals
// have no TERM, not known.
func dumb(term, system string) bool { return term == "dumb" || term == "" && system != "windows" }

// newBar returns a bar that clears its line before each write to out, an output to the same terminal; nil for none.
func newBar(w io.Writer, out *stream, n int) *progressbar.ProgressBar {
	bar := progressbar.NewOptions(n, progressbar.OptionSetWriter(w), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionUseANSICodes(true))
	if out != nil {
		out.before = func() { _ = bar.Clear() } // fails only if the terminal is gone
	}
	return bar
}
