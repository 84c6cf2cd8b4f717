package debug

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/vk"
)

// code is a program that runs, with the debugger's tables. The program of a stage of a draw is composed: it has further
// operations around those of the stage, which keep their numbers.
type code struct {
	program *ir.Program
	stage   *shader.Stage
	marks   *marks
	slow    bool // it exceeded the bound of groups without steps

	revision uint64 // of the breakpoints in the marks
	places   map[place][]*Breakpoint
}

// maxCodes bounds the programs that a session keeps.
const maxCodes = 256

// codeOf returns the code of a program, which runs a stage; it is found once.
func (s *Session) codeOf(p *ir.Program, stage *shader.Stage) *code {
	if c := s.codes[p]; c != nil {
		return c
	}
	if len(s.codes) >= maxCodes {
		clear(s.codes)
	}
	c := &code{program: p, stage: stage, marks: newMarks(p, stage.Facts, stage.Symbols, s.config.Locate(stage))}
	s.codes[p] = c
	return c
}

// stageOf returns the stage of a program that runs; nil if it is of none that the debugger knows.
func (h *hook) stageOf(p *ir.Program) *shader.Stage {
	if h.command.Kind == vk.DebugDispatch {
		return h.stages[0]
	}
	for _, s := range h.stages {
		if s.Program == p.From {
			return s
		}
	}
	return nil
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
