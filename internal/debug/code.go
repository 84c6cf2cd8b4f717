package debug

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/trace"
	"github.com/chiaro-gpu/chiaro/vk"
)

// code is a program that runs, with the debugger's tables. The program of a stage of a draw is composed: it has further
// operations around the stage's, which keep their numbers. The program of a launch of rays has the functions of all its shaders.
type code struct {
	program *ir.Program
	stage   *shader.Stage // of a launch: one of the shaders
	parts   []part        // by function
	marks   *marks
	slow    bool // it exceeded the bound of groups without steps

	revision uint64 // of the breakpoints in the marks
	places   map[place][]*Breakpoint
}

// part is the function of a stage that a function of a program copies, and the difference of their numbers.
type part struct {
	stage  *shader.Stage // nil for a function of no stage
	fn     int
	locate func(instruction int) Location
	silent bool // the pick does not permit its stage

	trace.Part // zero but in a launch
}

// maxCodes bounds the programs that a session keeps.
const maxCodes = 256

// codeOf returns the code of a program, which runs a stage; it is found once.
func (s *Session) codeOf(p *ir.Program, stage *shader.Stage) *code {
	if c := s.codes[p]; c != nil {
		return c
	}
	locate := s.config.Locate(stage)
	parts := make([]part, len(p.Funcs))
	for i := range parts {
		parts[i] = part{stage: stage, fn: i, locate: locate}
	}
	return s.keepCode(p, stage, parts)
}

// codeOfLaunch is codeOf for the program of a launch.
func (s *Session) codeOfLaunch(p *ir.Program, stage *shader.Stage, c *vk.DebugCommand) *code {
	if c := s.codes[p]; c != nil {
		return c
	}
	parts := make([]part, len(p.Funcs))
	locates := map[*shader.Stage]func(int) Location{}
	for i := range min(len(parts), len(c.Parts)) {
		n := c.Parts[i].Shader
		if n < 0 || n >= len(c.Stages) || !known(c.Stages[n]) {
			continue
		}
		of := c.Stages[n]
		if locates[of] == nil {
			locates[of] = s.config.Locate(of)
		}
		parts[i] = part{stage: of, fn: c.Parts[i].Func, locate: locates[of], silent: !s.config.Pick.of(of.Program.Stage), Part: c.Parts[i]}
	}
	return s.keepCode(p, stage, parts)
}

func (s *Session) keepCode(p *ir.Program, stage *shader.Stage, parts []part) *code {
	if len(s.codes) >= maxCodes {
		clear(s.codes)
	}
	c := &code{program: p, stage: stage, parts: parts, marks: newMarks(p, parts)}
	s.codes[p] = c
	return c
}

// known reports whether the debugger has the data about a stage that it needs.
func known(s *shader.Stage) bool {
	return s != nil && (s.Kernel != nil || s.Symbols != nil && s.Facts != nil)
}

// stageOf returns the stage of a program that runs; nil if it is of none that the debugger knows.
func (h *hook) stageOf(p *ir.Program) *shader.Stage {
	if h.command.Kind != vk.DebugDraw {
		return h.stages[0]
	}
	for _, s := range h.stages {
		if s.Program == p.From {
			return s
		}
	}
	return nil
}

// enter replaces the code by a group's program.
func (h *hook) enter(p *ir.Program, stage *shader.Stage) {
	if h.command.Kind == vk.DebugLaunch {
		h.code = h.session.codeOfLaunch(p, stage, &h.command)
		return
	}
	h.code = h.session.codeOf(p, stage)
}

// id returns a word of an invocation's identity in its stage; false if the program does not tell it.
func (x *view) id(s ir.Semantic, index uint32) (uint32, bool) {
	for _, v := range x.program.IDs {
		if v.Semantic == s && v.Index == index {
			return x.at.ReadPrivate(uint64(x.at.Bases[v.Var]), x.lane), true
		}
	}
	return 0, false
}
