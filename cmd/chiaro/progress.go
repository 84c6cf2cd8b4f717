package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress returns a progress bar on standard error. It prints nothing if that is not a terminal, or is a terminal that
// cannot clear a line.
func progress(c console, n int) *progressbar.ProgressBar {
	if n < 2 || !terminal(c.err) || os.Getenv("TERM") == "dumb" {
		return progressbar.DefaultSilent(int64(n))
	}
	var out *stream
	if terminal(c.out) {
		out, _ = c.out.(*stream)
	}
	return newBar(c.err, out, n)
}

// newBar returns a bar that clears its line before each write to out, an output to the same terminal; nil for none.
func newBar(w io.Writer, out *stream, n int) *progressbar.ProgressBar {
	bar := progressbar.NewOptions(n, progressbar.OptionSetWriter(w), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionUseANSICodes(true))
	if out != nil {
		out.before = func() { _ = bar.Clear() } // fails only if the terminal is gone
	}
	return bar
}
