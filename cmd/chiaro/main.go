// Command chiaro is the command line of Chiaro. It disassembles, assembles, checks,
// links, reflects and runs shaders. It renders positions as text and results as
// exit codes; it refuses to know any rule, which the packages below decide.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// The exit codes, the same for every verb.
const (
	exitClean     = 0
	exitFindings  = 1 // findings, or expectations that do not hold
	exitUsage     = 2 // usage, or input that cannot be read
	exitInternal  = 3 // our own fault
	exitNothing   = 4 // nothing was exercised
	exitInterrupt = 130
)

// exitCodesHelp is the last part of every help text.
const exitCodesHelp = `
Exit codes:
  0    clean: no findings, all expectations hold
  1    findings, expectations that do not hold, or a shader that does not end
  2    usage, input that cannot be read, or output that cannot be written
  3    internal error of chiaro
  4    nothing was exercised
  130  interrupted by a signal
`

// coded is an error with the exit code of the process. A coded error without a
// message was reported already.
type coded struct {
	code int
	msg  string
}

func (c *coded) Error() string { return c.msg }

// unreadable reports input that cannot be read.
func unreadable(format string, args ...any) error {
	return &coded{exitUsage, fmt.Sprintf(format, args...)}
}

// lastInput is the last input; items of a list may be read at once.
type lastInput = atomic.Pointer[[]byte]

// console holds the streams of a command.
type console struct {
	in       io.Reader
	out, err io.Writer
	last     *lastInput // for reports of internal errors

	read func(name string) ([]byte, error) // instead of files and standard input; nil for those
}

func main() {
	ignorePipe() // a closed pipe is a write error as any other
	early = answerEarly(os.Stderr, leave)
	code := run(os.Args[1:], console{in: os.Stdin, out: watched(os.Stdout), err: watched(os.Stderr), last: new(lastInput)})
	leave(code)
}

// run is main with its surroundings as arguments. It recovers a panic and reports it as an internal
// error, because no input may cause one.
func run(args []string, c console) (code int) {
	out := &stream{w: c.out, name: "standard output"}
	c.out, c.in = out, &standardInput{Reader: c.in}
	defer func() {
		if err := out.failed(); errors.Is(err, errAbandoned) {
			code = exitInterrupt
		} else if err != nil && code != exitInternal {
			plain.Fprintf(c.err, "chiaro: %s\n", err)
			code = exitUsage
		}
	}()
	defer func() {
		if e := recover(); e != nil {
			plain.Fprintf(c.err, "chiaro: internal error: %v\n%s", e, debug.Stack())
			saveInput(c)
			code = exitInternal
		}
	}()
	root := newRoot(c)
	root.SetArgs(args)
	err := root.Execute()
	if err == nil {
		return exitClean
	}
	var end *coded
	if errors.Is(err, errAbandoned) {
		end = &coded{exitInterrupt, "interrupted"}
	} else if !errors.As(err, &end) {
		end = &coded{exitUsage, err.Error()}
	}
	if end.msg != "" && (out.failed() == nil || !strings.Contains(end.msg, out.failed().Error())) {
		plain.Fprintf(c.err, "chiaro: %s\n", plain.Block(end.msg, ""))
	}
	return end.code
}

// saveInput saves the last input to a file, so that a report of an internal error
// can include it.
func saveInput(c console) {
	data := c.last.Load()
	if data == nil || len(*data) == 0 {
		return
	}
	f, err := os.CreateTemp("", "chiaro-input-*")
	if err != nil {
		return // no writable folder: report the error without the input
	}
	defer f.Close()
	if _, err := f.Write(*data); err == nil {
		plain.Fprintf(c.err, "chiaro: the input is saved in %s\n", f.Name())
	}
}

func newRoot(c console) *cobra.Command {
	root := &cobra.Command{
		Use:           "chiaro",
		Short:         "Vulkan's shader system as software",
		Long:          "Chiaro is Vulkan's shader system as software: it reads, runs and explains SPIR-V without a GPU.",
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version(),
	}
	root.SetUsageTemplate(root.UsageTemplate() + exitCodesHelp)
	root.SetIn(c.in)
	root.SetOut(c.out)
	root.SetErr(c.err)
	root.AddCommand(newAsm(c), newDis(c), newRun(c), newTest(c), newFuzz(c), newCompare(c), newBench(c), newCheck(c), newReflect(c), newProfiles(c), newLink(c), newReport(c), newDriver(c), newExplain(c), newAllowed(c), newProfile(c), newDebug(c), newHistory(c), newFleet(c), newWeb(c), newAnswer(c), newVersion(c), newMan(c))
	return root
}
