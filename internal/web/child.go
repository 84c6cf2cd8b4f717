package web

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/confine"
)

// Limits bound a process that answers a question of the browser.
type Limits struct {
	Memory int64 // bytes of its data
	Time   time.Duration
}

// Bounds of the output of a process, and of a file that it writes.
const (
	maxOut  = 32 << 20
	maxLog  = 64 << 10
	maxFile = 64 << 20
)

// tempPattern is of the temporary folders of the page.
const tempPattern = "chiaro-web-*"

// killWait is how long the pipes of a process stay open after its end.
const killWait = time.Second

// runner starts processes of chiaro, a few at a time.
type runner struct {
	command []string
	limits  Limits
	slots   chan struct{}
}

// outcome is the end of a process.
type outcome struct {
	code  int    // of its exit; -1 if a signal ended it
	out   []byte // its standard output
	log   string // its standard error
	ended string // the limit that ended it; "" for none
}

// bounded keeps the first bytes that are written to it, and calls full after them. It accepts the others, so that a process that
// writes them is not blocked before it is killed.
type bounded struct {
	data bytes.Buffer // not embedded: its ReadFrom has no bound
	most int
	full func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if n := b.most - b.data.Len(); len(p) > n {
		b.data.Write(p[:max(n, 0)])
		b.full()
		return len(p), nil
	}
	return b.data.Write(p)
}

// errLarge is the cause of the end of a process that writes more than maxOut to its standard output.
var errLarge = errors.New("the output is too large")

// run runs chiaro in a folder. It returns after the end of the process, or kills it at a limit, which the outcome names. After the
// end of the context it returns the context's error.
//
// The process has a folder of its own for temporary files, because a process that is killed cannot remove them. It has neither the
// credentials of a fleet nor a longer life than the page.
func (r *runner) run(ctx context.Context, dir string, args ...string) (outcome, error) {
	// A request that waits for a slot costs a goroutine and no process, and ends with its browser.
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return outcome{}, ctx.Err()
	}
	scratch, err := os.MkdirTemp("", tempPattern)
	if err != nil {
		return outcome{}, err
	}
	defer os.RemoveAll(scratch)
	timed, stop := context.WithTimeout(ctx, r.limits.Time)
	defer stop()
	timed, fail := context.WithCancelCause(timed)
	defer fail(nil)
	cmd := exec.CommandContext(timed, r.command[0], append(r.command[1:len(r.command):len(r.command)], args...)...)
	out := &bounded{most: maxOut, full: func() { fail(errLarge) }}
	// A long log is cut: the process ends by itself, and the first lines name the fault.
	log := &bounded{most: maxLog, full: func() {}}
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = dir, out, log, killWait
	cmd.Env = confine.Environment(os.Environ())
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} { // of Unix and Windows
		cmd.Env = append(cmd.Env, name+"="+scratch)
	}
	confine.DieWithParent(cmd)
	confine.Group(cmd)
	if err := cmd.Start(); err != nil {
		return outcome{}, err
	}
	// The limits come after the start, since no portable way sets them before. Memory that
	// the process maps from then on counts. A process that has ended already needs none.
	if err := confine.Limit(cmd.Process.Pid, confine.Limits{Memory: r.limits.Memory, Output: maxFile}); err != nil && cmd.ProcessState == nil {
		fail(err)
	}
	_ = cmd.Wait() // the exit code says it
	x := outcome{code: cmd.ProcessState.ExitCode(), out: out.data.Bytes(), log: log.data.String()}
	switch {
	case ctx.Err() != nil:
		return x, ctx.Err()
	case timed.Err() == context.DeadlineExceeded:
		x.ended = "not done after " + r.limits.Time.String() + ", the limit of the page"
	case errors.Is(context.Cause(timed), errLarge):
		x.ended = errLarge.Error()
	case x.code < 0:
		x.ended = cmd.ProcessState.String()
	}
	return x, nil
}
