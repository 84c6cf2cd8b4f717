package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// onFlag adds --on.
func onFlag(fl *pflag.FlagSet, on *string) {
	fl.StringVar(on, "on", "", "spread the work over a fleet: nats://HOST:PORT, or local for processes of this machine; see chiaro fleet")
}

// fleetBinary returns the path of chiaro-fleet: beside this binary, else on PATH.
func fleetBinary() (string, error) {
	name := "chiaro-fleet"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		if path := filepath.Join(filepath.Dir(self), name); exists(path) {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", unreadable("chiaro-fleet is neither beside chiaro nor on PATH; go build ./cmd/chiaro-fleet makes it")
	}
	return path, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// newFleet returns the command fleet, which is the program chiaro-fleet.
func newFleet(c console) *cobra.Command {
	return &cobra.Command{
		Use:   "fleet [serve|work|status|cancel|prune]",
		Short: "Serve, work for and look after a fleet of machines",
		Long: `A fleet spreads check, run, link, test and fuzz with --on over machines. It is a server of NATS with JetStream, and workers: chiaro fleet serve
and chiaro fleet work start them. chiaro fleet status, cancel and prune look after its runs. The program is chiaro-fleet,
beside chiaro or on PATH.`,
		Example:            "  chiaro fleet serve\n  chiaro fleet work --on nats://host:4222\n  chiaro check --on nats://host:4222 shaders/",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := fleetBinary()
			if err != nil {
				return err
			}
			ctx, stop := interruptible()
			defer stop()
			child := exec.CommandContext(ctx, path, args...)
			child.Stdin, child.Stdout, child.Stderr = childInput(c), c.out, c.err
			child.Cancel = func() error { return endGently(child.Process) }
			child.WaitDelay = fleetGrace
			err = child.Run()
			var end *exec.ExitError
			switch {
			case ctx.Err() != nil:
				return &coded{code: exitInterrupt}
			case errors.As(err, &end):
				return &coded{code: max(end.ExitCode(), exitFindings)}
			case err != nil:
				return unreadable("%s: %v", path, err)
			}
			return nil
		},
	}
}

// childInput is the standard input of a child process. It is the file itself: to copy a stream, Wait would wait for the
// next bytes of a terminal or a pipe after the child has ended.
func childInput(c console) io.Reader {
	in, ok := c.in.(*standardInput)
	if !ok {
		return c.in
	}
	return in.Reader
}

// fleetGrace is the time that chiaro-fleet has to end after a signal: it stops its server and removes its folder.
const fleetGrace = 10 * time.Second

// endGently asks a process to end.
func endGently(p *os.Process) error {
	if runtime.GOOS == "windows" {
		return p.Kill()
	}
	return p.Signal(os.Interrupt)
}

// submission is a run on a fleet.
type submission[T any] struct {
	c       console
	on      string
	jobs    int
	verb    string
	options any // of the verb, as JSON
	items   int // of the list
	sent    *sentModules
	// item returns an item as it travels; false for one that this process must process. Calls run at once.
	item func(ctx context.Context, i int, sent *sentModules) (*wire.Item, bool)
	take func(ctx context.Context, i int, a *wire.Answer) (T, bool) // likewise for an answer without a result
}

// elsewhere returns the part of a pool that sends the items to a fleet. An error ends the run through stop.
func (s *submission[T]) elsewhere(stop context.CancelCauseFunc) func(context.Context, func(int), func(int, T)) {
	return func(ctx context.Context, here func(int), give func(int, T)) {
		if err := s.run(ctx, here, give); err != nil {
			stop(err)
		}
	}
}

// run processes the items on a fleet, and the others here.
func (s *submission[T]) run(ctx context.Context, here func(i int), give func(i int, x T)) error {
	path, err := fleetBinary()
	if err != nil {
		return err
	}
	options, err := json.Marshal(s.options)
	if err != nil {
		return err
	}
	args := []string{"submit", "--on", s.on, "--jobs", strconv.Itoa(max(s.jobs, 1))}
	if folder, err := s.sent.open(); err == nil { // else items with sources stay here
		args = append(args, "--sent", folder)
	}
	child := exec.CommandContext(ctx, path, args...)
	child.Stderr = s.c.err
	child.Cancel = func() error { return endGently(child.Process) }
	child.WaitDelay = fleetGrace // this process ends before; the other one then removes its files alone
	in, err := child.StdinPipe()
	if err != nil {
		return err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return unreadable("%s: %v", path, err)
	}
	var answered int
	var back []int
	received := make(chan error, 1)
	sending, halt := context.WithCancel(ctx)
	go func() {
		defer halt() // no program reads further items
		var err error
		answered, back, err = s.receive(ctx, out, give)
		received <- err
	}()
	mine, n, whole := s.send(sending, in, options)
	_ = in.Close()
	for _, i := range mine {
		here(i)
	}
	err = <-received
	_ = child.Wait() // its errors are reports
	for _, i := range back {
		here(i)
	}
	if err == nil && (answered < n || !whole) && ctx.Err() == nil {
		err = unreadable("--on %s: chiaro-fleet ended after %d of %d answers; the same command goes on with the rest", wire.Shown(s.on), answered, n)
	}
	return err
}

// send writes the items that may travel. It returns the others and the number of the written ones. whole is false if the program does
// not read all of them: then the run ends with an error, and no item stays.
func (s *submission[T]) send(ctx context.Context, in io.Writer, options []byte) (mine []int, n int, whole bool) {
	w := wire.NewWriter(in)
	err := w.Write(&wire.Head{Version: toolVersion(), Verb: s.verb, Options: options, Total: s.items})
	if err != nil {
		return nil, s.items, false
	}
	for i, it := range ahead(ctx, s.items, max(s.jobs, 1), func(i int) *wire.Item { return s.travels(ctx, i) }) {
		if it == nil {
			mine = append(mine, i)
			continue
		}
		it.Index = i
		if n++; w.Write(it) != nil {
			return nil, s.items, false
		}
	}
	if ctx.Err() != nil {
		return nil, s.items, false
	}
	if len(mine) > 0 && n > 0 {
		plain.Fprintf(s.c.err, "chiaro: --on %s: this process keeps %s of %d: standard input, folders, and files with mistakes do not travel\n", wire.Shown(s.on), number(len(mine), "item"), s.items)
	}
	return mine, n, true
}

// travels returns an item as it travels; nil for one of this process. A panic of item keeps it here: the pool
// reports that as an internal error of this item alone.
func (s *submission[T]) travels(ctx context.Context, i int) (it *wire.Item) {
	defer func() {
		if recover() != nil {
			it = nil
		}
	}()
	if it, ok := s.item(ctx, i, s.sent); ok {
		return it
	}
	return nil
}

// receive reads the reports until the end. It returns the number of the answers, and the items without a result that this
// process must process.
func (s *submission[T]) receive(ctx context.Context, out io.Reader, give func(i int, x T)) (n int, back []int, err error) {
	for r := wire.NewReader(out); ; {
		var x wire.Report
		if e := r.Read(&x); e != nil {
			if err == nil && e != io.EOF && !errors.Is(e, io.ErrUnexpectedEOF) && !errors.Is(e, os.ErrClosed) {
				err = unreadable("--on %s: %v", wire.Shown(s.on), e)
			}
			return n, back, err
		}
		switch {
		case x.Error != "":
			err = unreadable("--on %s: %s", wire.Shown(s.on), x.Error)
		case x.Notice != "":
			plain.Fprintf(s.c.err, "chiaro: --on %s: %s\n", wire.Shown(s.on), x.Notice)
		case x.Answer != nil && x.Answer.Index >= 0 && x.Answer.Index < s.items:
			n++
			i := x.Answer.Index
			if text := x.Answer.Log; text != "" && x.Answer.Status == "" {
				plain.Fprintf(s.c.err, "%s", plain.Block(text, ""))
			}
			if t, ok := s.take(ctx, i, x.Answer); ok {
				give(i, t)
			} else {
				back = append(back, i)
			}
		}
	}
}

// lost describes an answer without a result.
func lost(name string, a *wire.Answer) string {
	text := ""
	switch a.Status {
	case wire.Crash:
		text = "crash: each process that worked on it ended"
	case wire.Timeout:
		text = "timeout"
	case wire.Large:
		text = "the result is too large"
	}
	if log := strings.TrimSpace(a.Log); log != "" {
		text += ": " + log
	}
	return fmt.Sprintf("%s: %s", name, text)
}

// fleetError returns the error that a fleet has canceled a context with.
func fleetError(ctx context.Context) error {
	var end *coded
	if errors.As(context.Cause(ctx), &end) {
		return end
	}
	return nil
}
