package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/internal/ptxlower"
	"github.com/chiaro-gpu/chiaro/ptx"
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

// checkPTX reports the findings of files of PTX, and what their kernels have that Chiaro does not.
func checkPTX(c console, format string, files []string) error {
	if format != "text" {
		return unreadable("--format %q with PTX; want text", format)
	}
	faults := 0
	for _, file := range files {
		data, err := readInput(c, file)
		if err != nil {
			return err
		}
		m, findings := parsePTX(data)
		for _, f := range findings {
			plain.Fprintf(c.out, "%s\n", plain.Block(located(file, f), "    "))
		}
		faults += len(findings)
		if len(findings) > 0 {
			continue
		}
		for _, missing := range unsupportedKernels(m) {
			plain.Fprintf(c.out, "%s: warning: %s\n", file, plain.Block(missing, "    "))
		}
	}
	if faults > 0 {
		return &coded{code: exitFindings}
	}
	return nil
}

// unsupportedKernels says what keeps kernels from running, one line for each.
func unsupportedKernels(m *ptx.Module) (list []string) {
	image, err := ptxlower.NewImage(m)
	if err != nil {
		return []string{err.Error()}
	}
	for _, f := range m.Entries() {
		if _, err := ptxlower.Lower(m, image, f.Name, ptxlower.Options{Block: ptxlower.RequiredBlock(f)}); err != nil {
			list = append(list, fmt.Sprintf("the kernel %s cannot run: %v", f.Name, err))
		}
	}
	return list
}

// ptxText renders the kernels of a module: as programs at a stage of --ir, as the machine code of a level of --asm, or as PTX. The block
// is the one that the kernel requires, else one warp.
func ptxText(data []byte, stage, machine string) ([]byte, error) {
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
	l := listing{source: strings.Split(string(data), "\n")}
	for _, f := range m.Entries() {
		p, err := ptxlower.Lower(m, image, f.Name, ptxlower.Options{Block: ptxlower.RequiredBlock(f)})
		if err != nil {
			return nil, err
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

// kernel writes the program or the machine code of a kernel.
func (l *listing) kernel(p *ir.Program, stage, machine string) error {
	if stage == "lowered" || stage == "all" {
		fmt.Fprintf(&l.out, "; lowered\n%s\n", p)
	}
	last := ""
	err := pass.RunWatched(p, context.Background().Err, func(name string, p *ir.Program) {
		if text := p.String(); stage == "all" && text != last {
			fmt.Fprintf(&l.out, "; after %s\n%s\n", name, text)
			last = text
		}
	})
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

// machine writes the machine code of a program.
func (l *listing) machine(p *ir.Program, name string) error {
	level, ok := amd64.LevelOf(name)
	if !ok {
		return unreadable("--asm %q; want one of %s", name, strings.Join(levelNames, " "))
	}
	prog, err := jit.Engine{Level: level}.Compile(p, exec.Options{})
	if err != nil {
		return err
	}
	l.program(prog)
	return prog.Close()
}
