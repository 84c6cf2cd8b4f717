// Command chiaro is the command line of Chiaro: it takes SPIR-V apart and puts
// it together, runs AmberScript and VkScript, and explains itself. It turns
// positions into words and verdicts into exit codes; what a verdict is, the
// packages below decide.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
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

// coded is an error that says which code the program ends with. A coded error
// without a message was reported already.
type coded struct {
	code int
	msg  string
}

func (c *coded) Error() string { return c.msg }

// unreadable reports input that cannot be read.
func unreadable(format string, args ...any) error {
	return &coded{exitUsage, fmt.Sprintf(format, args...)}
}

// console is where a verb reads and writes.
type console struct {
	in       io.Reader
	out, err io.Writer
	last     *[]byte // what was read last, for reports of internal errors
}

func main() {
	os.Exit(run(os.Args[1:], console{os.Stdin, os.Stdout, os.Stderr, new([]byte)}))
}

// run is main with its surroundings as arguments. It is the door at which a
// panic, which is always our fault, becomes an internal error.
func run(args []string, c console) (code int) {
	defer func() {
		if e := recover(); e != nil {
			fmt.Fprintf(c.err, "chiaro: internal error: %v\n%s", e, debug.Stack())
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
	if !errors.As(err, &end) {
		end = &coded{exitUsage, err.Error()}
	}
	if end.msg != "" {
		fmt.Fprintf(c.err, "chiaro: %s\n", end.msg)
	}
	return end.code
}

// saveInput keeps what was read last, so that an internal error can be
// reported with its cause.
func saveInput(c console) {
	if len(*c.last) == 0 {
		return
	}
	f, err := os.CreateTemp("", "chiaro-input-*")
	if err != nil {
		return // there is no place: the error above stands alone
	}
	defer f.Close()
	if _, err := f.Write(*c.last); err == nil {
		fmt.Fprintf(c.err, "chiaro: the input is kept in %s\n", f.Name())
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
	root.SetIn(c.in)
	root.SetOut(c.out)
	root.SetErr(c.err)
	root.AddCommand(newAsm(c), newDis(c), newRun(c), newBench(c), newCheck(c), newReflect(c), newProfiles(c), newLink(c), newReport(c), newExplain(c), newVersion(c))
	return root
}
