package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/ptxlower"
	"github.com/chiaro-gpu/chiaro/ptx"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vk"
)

// isPTX reports whether a file is PTX, by its name.
func isPTX(file string) bool { return strings.HasSuffix(file, ".ptx") }

// parsePTX returns a module and its findings.
func parsePTX(data []byte) (*ptx.Module, []*diag.Finding) {
	m, findings := ptx.Parse(string(data))
	if len(findings) == 0 {
		findings = ptx.Check(m)
	}
	return m, findings
}

// launch judges a description of a launch, and its module.
func (j *judge) launch(file string, x *checked) {
	described, err := readLaunch(j.c, file)
	if err != nil {
		x.message = err.Error()
		return
	}
	m := j.ptx(described.text, described.module, x)
	if m == nil {
		return
	}
	if _, err := described.kernel(kernelNames(m)); err != nil {
		x.verdict, x.message = verdictUnreadable, located(file, err)
	}
}

// kernelNames returns the names of the kernels of a module.
func kernelNames(m *ptx.Module) (names []string) {
	for _, f := range m.Entries() {
		names = append(names, f.Name)
	}
	return names
}

// ptx judges a module of PTX, which is in a file, and returns it; nil after errors. Features that the version or
// the target of the module lacks, and features of kernels that Chiaro lacks, are warnings.
func (j *judge) ptx(data []byte, file string, x *checked) *ptx.Module {
	m, findings := parsePTX(data)
	if len(findings) == 0 {
		findings = append(ptx.Requirements(m), unsupportedKernels(m)...)
	} else {
		m = nil
	}
	x.verdict = verdictClean
	for _, f := range findings {
		x.verdict = verdictFindings
		at := facts.Position{File: file, Line: uint32(f.Pos.Line), Column: uint32(f.Pos.Column)}
		x.findings = append(x.findings, shownFinding{Finding: valid.Finding{Finding: *f, Source: at, HasSource: true}})
	}
	return m
}

// unsupportedKernels says what keeps kernels from running, one finding for each.
func unsupportedKernels(m *ptx.Module) (list []*diag.Finding) {
	image, err := ptxlower.NewImage(m)
	if err != nil {
		return []*diag.Finding{unsupportedPTX(err, ptx.Position{Line: 1, Col: 1}, "the kernels")}
	}
	for _, f := range m.Entries() {
		if _, err := ptxlower.Lower(m, image, f.Name, ptxlower.Options{Block: ptxlower.SampleBlock(m, f)}); err != nil {
			list = append(list, unsupportedPTX(err, f.Pos, "the kernel "+f.Name))
		}
	}
	return list
}

// unsupportedPTX returns the warning that an error keeps kernels from running. An error without a position is at at.
func unsupportedPTX(err error, at ptx.Position, kernels string) *diag.Finding {
	what := err.Error()
	var missing *ptxlower.Unsupported
	var malformed *ptxlower.Malformed
	switch {
	case errors.As(err, &missing):
		at, what = missing.Pos, missing.What+" is not supported"
	case errors.As(err, &malformed):
		at, what = malformed.Pos, malformed.What
	}
	f := diag.New(ptx.CodeSupport, diag.Pos{Line: at.Line, Column: at.Col}, "%s cannot run: %s", kernels, what)
	f.Severity = diag.Warning
	return f
}

// launchText renders the kernel of a description of a launch, for the block and the shared memory of the launch.
func launchText(c console, file, stage, machine string) ([]byte, error) {
	j, err := readLaunch(c, file)
	if err != nil {
		return nil, err
	}
	text, err := ptxText(j.text, stage, machine, j)
	return text, j.placed(err)
}

// ptxText renders the kernels of a module: as programs at a stage of --ir, as the machine code of a level of --asm, or as PTX. The block
// is one that the kernel may have, and a comment names it if the kernel does not require it. With a launch it is the launch's block, and only its
// kernel is rendered.
func ptxText(data []byte, stage, machine string, launch *launchJob) ([]byte, error) {
	m, findings := parsePTX(data)
	if len(findings) > 0 {
		return nil, findings[0]
	}
	if stage == "" && machine == "" {
		return []byte(m.String()), nil
	}
	if stage != "" && !slices.Contains([]string{"lowered", "final", "all", "vcode"}, stage) {
		return nil, unreadable("--ir %q of PTX; want lowered, final, all or vcode", stage)
	}
	image, err := ptxlower.NewImage(m)
	if err != nil {
		return nil, err
	}
	only := ""
	if launch != nil {
		if only, err = launch.kernel(kernelNames(m)); err != nil {
			return nil, err
		}
	}
	l := listing{source: strings.Split(string(data), "\n")}
	for _, f := range m.Entries() {
		if launch != nil && f.Name != only {
			continue
		}
		o := ptxlower.Options{Block: ptxlower.SampleBlock(m, f)}
		if launch != nil {
			o = ptxlower.Options{Block: launch.block, SharedBytes: launch.file.Shared}
		}
		p, err := ptxlower.Lower(m, image, f.Name, o)
		if err != nil && launch == nil && len(m.Entries()) > 1 { // the others are there all the same
			fmt.Fprintf(&l.out, "; %v\n", unsupportedPTX(err, f.Pos, "the kernel "+f.Name))
			continue
		}
		if err != nil {
			return nil, err
		}
		if launch == nil && !requiresBlock(f) {
			fmt.Fprintf(&l.out, "; %s for a block of %d %d %d, as it has no .reqntid; a description of a launch, NAME.launch.yaml, has its own block\n", f.Name, o.Block[0], o.Block[1], o.Block[2])
		}
		if err := l.kernel(p, stage, machine); err != nil {
			return nil, err
		}
	}
	if l.out.Len() == 0 {
		return nil, fmt.Errorf("the module has no kernel")
	}
	return []byte(l.out.String()), nil
}

// requiresBlock reports whether a kernel has a .reqntid.
func requiresBlock(f *ptx.Function) bool {
	return slices.ContainsFunc(f.Attrs, func(d *ptx.Directive) bool { return d.Name == ".reqntid" })
}

// kernel writes the program or the machine code of a kernel.
func (l *listing) kernel(p *ir.Program, stage, machine string) error {
	if stage == "lowered" || stage == "all" {
		fmt.Fprintf(&l.out, "; lowered\n%s\n", p)
	}
	err := pass.RunWatched(p, context.Background().Err, l.watch(stage))
	if err != nil {
		return err
	}
	switch {
	case stage == "final":
		fmt.Fprintf(&l.out, "; after all passes\n%s\n", p)
	case stage == "vcode":
		text, err := jit.Listing(p)
		l.out.WriteString(text)
		return err
	case machine != "":
		return l.machine(p, machine)
	}
	return nil
}

// watch returns a function that writes a program after each pass which changes it; nil unless the stage shows these texts, because the text of a
// large program takes longer than its passes.
func (l *listing) watch(stage string) func(name string, p *ir.Program) {
	if stage != "all" {
		return nil
	}
	last := ""
	return func(name string, p *ir.Program) {
		if text := p.String(); text != last {
			fmt.Fprintf(&l.out, "; after %s\n%s\n", name, text)
			last = text
		}
	}
}

// machine writes the machine code of a program.
func (l *listing) machine(p *ir.Program, name string) error {
	level, ok := target.LevelOf(name)
	if !ok {
		return unreadable("--asm %q; want one of %s", name, strings.Join(levelNames, " "))
	}
	return l.program(p, level)
}

// placedError is an error at a line of a module.
type placedError struct {
	file      string // the module
	line, col int    // col is 0 if only the line is known
	what      string
	cause     error
}

func (e *placedError) Error() string { return e.cause.Error() }
func (e *placedError) Unwrap() error { return e.cause }

// text renders the error as one line that problem matchers read.
func (e *placedError) text() string {
	at := strconv.Itoa(e.line)
	if e.col > 0 {
		at += ":" + strconv.Itoa(e.col)
	}
	return e.file + ":" + at + ": error: " + e.what
}

// placed returns an error of the module or its kernel with the file of the module, if the error has a line.
func (j *launchJob) placed(err error) error { return placedIn(j.module, err) }

// placedIn returns an error of a module, which is in a file, with the file, if the error has a line.
func placedIn(file string, err error) error {
	at := &placedError{file: file, cause: err}
	var fault *diag.Finding
	var faults *ptx.Error
	var missing *ptxlower.Unsupported
	var malformed *ptxlower.Malformed
	var aborted *exec.AbortError
	var endless *vk.BudgetError
	switch {
	case errors.As(err, &faults):
		first := faults.Findings[0]
		at.line, at.col, at.what = first.Pos.Line, first.Pos.Column, first.Message+" ["+first.Code+"]"
		if n := len(faults.Findings) - 1; n > 0 {
			at.what += fmt.Sprintf(" (and %d more)", n)
		}
	case errors.As(err, &fault):
		at.line, at.col, at.what = fault.Pos.Line, fault.Pos.Column, fault.Message+" ["+fault.Code+"]"
	case errors.As(err, &missing):
		at.line, at.col, at.what = missing.Pos.Line, missing.Pos.Col, missing.What+" is not supported"
	case errors.As(err, &malformed):
		at.line, at.col, at.what = malformed.Pos.Line, malformed.Pos.Col, malformed.What
	case errors.As(err, &aborted) && aborted.Line > 0:
		at.line, at.col = int(aborted.Line), int(aborted.Column)
		at.what = fmt.Sprintf("%s, in workgroup %d, invocation %d", aborted.Text, aborted.Group, aborted.Local)
	case errors.As(err, &endless) && endless.Origin > 0:
		at.line = int(endless.Origin)
		at.what = fmt.Sprintf("budget of %d steps exhausted in the loop of %q, workgroup %d, invocation %d", endless.Steps, endless.Func, endless.Group, endless.Local)
	default:
		return err
	}
	return at
}
