package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// irStages are the values of --ir: the program after lowering, after all passes,
// after each pass that changes it, with images bound, or vectorized for the JIT
// (vcode), with images bound too.
var irStages = []string{"lowered", "final", "all", "bound", "vcode"}

// programText renders the entry points of a module as programs. Images are bound, and code is vectorized, for compute only: the other
// stages are parts of the programs that a pipeline makes.
func programText(m *spirv.Module, stage string, images *standIn) ([]byte, error) {
	g := facts.Gather(m, nil)
	var out strings.Builder
	for i := range g.EntryPoints {
		e := &g.EntryPoints[i]
		if e.Model != spirv.ExecutionModelGLCompute && (stage == "bound" || stage == "vcode") {
			continue
		}
		last := ""
		s, err := shader.LowerWatched(context.Background(), valid.Assume(g), e, lower.Options{}, func(name string, p *ir.Program) {
			if stage != "all" && (stage != "lowered" || name != "") {
				return
			}
			text := p.String()
			switch {
			case name == "":
				fmt.Fprintf(&out, "; lowered\n%s\n", text)
			case text != last:
				fmt.Fprintf(&out, "; after %s\n%s\n", name, text)
			}
			last = text
		})
		if err != nil {
			return nil, err
		}
		if err := writeProgram(&out, g, s.Program, stage, images); err != nil {
			return nil, err
		}
	}
	if out.Len() == 0 {
		return nil, fmt.Errorf("no entry point that --ir=%s can show; must have one, of the execution model GLCompute for bound and vcode", stage)
	}
	return []byte(out.String()), nil
}

// writeProgram writes the forms of a program after the passes.
func writeProgram(out *strings.Builder, g *facts.Module, p *ir.Program, stage string, images *standIn) error {
	switch stage {
	case "final":
		fmt.Fprintf(out, "; after all passes\n%s\n", p)
	case "bound", "vcode":
		p, said, err := images.bind(g, p)
		if err != nil {
			return err
		}
		if out.WriteString(said); stage == "bound" {
			fmt.Fprintf(out, "; with images bound\n%s\n", p)
			return nil
		}
		text, err := jit.Listing(p)
		if err != nil {
			return err
		}
		out.WriteString(text)
	}
	return nil
}
