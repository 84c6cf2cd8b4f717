package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// machineText renders the machine code of the compute entry points of a module: each
// SPIR-V instruction, then its code.
func machineText(m *spirv.Module, name string, images *standIn) ([]byte, error) {
	level, ok := target.LevelOf(name)
	if !ok {
		return nil, unreadable("--asm %q; want one of %s", name, strings.Join(levelNames, " "))
	}
	source, err := asm.Disassemble(nil, m, asm.DisassembleOptions{NoHeader: true, NoIndent: true})
	if err != nil {
		return nil, err
	}
	g := facts.Gather(m, nil)
	l := listing{source: strings.Split(string(source), "\n")}
	for i := range g.EntryPoints {
		e := &g.EntryPoints[i]
		if e.Model != spirv.ExecutionModelGLCompute {
			continue
		}
		s, err := shader.Lower(context.Background(), valid.Assume(g), e, lower.Options{})
		if err != nil {
			return nil, err
		}
		p, said, err := images.bind(g, s.Program)
		if err != nil {
			return nil, err
		}
		l.out.WriteString(said)
		if err := l.program(p, level); err != nil {
			return nil, err
		}
	}
	if l.out.Len() == 0 {
		return nil, fmt.Errorf("no entry point of the execution model GLCompute")
	}
	return []byte(l.out.String()), nil
}

// listing is machine code with the text of its source, a line an instruction.
type listing struct {
	source []string
	out    strings.Builder
}

func (l *listing) program(p *ir.Program, level target.Level) error {
	code, lines, err := jit.Assemble(p, level)
	if err != nil {
		return err
	}
	fmt.Fprintf(&l.out, "; %s, %d functions\n", code.Level, len(code.Funcs))
	var last *target.Mark
	for i := range lines {
		x := &lines[i]
		if x.Mark != last {
			l.mark(last, x.Mark, code.Funcs)
			last = x.Mark
		}
		fmt.Fprintf(&l.out, "  %04x  %s\n", x.Offset, x.Text)
	}
	return nil
}

// mark writes the purpose of the following code if it differs from the previous one.
func (l *listing) mark(old, m *target.Mark, funcs []string) {
	switch {
	case m == nil:
		l.out.WriteString("constants:\n")
		return
	case old == nil || old.Func != m.Func:
		if m.Func < 0 {
			l.out.WriteString("around the functions:\n")
			return
		}
		fmt.Fprintf(&l.out, "function %q:\n", funcs[m.Func])
	}
	if m.Origin > 0 && int(m.Origin) <= len(l.source) && (old == nil || old.Origin != m.Origin || old.Func != m.Func) {
		fmt.Fprintf(&l.out, "; %d: %s\n", m.Origin, l.source[m.Origin-1])
	}
}
