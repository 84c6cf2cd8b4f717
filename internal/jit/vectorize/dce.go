package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// eliminateDead removes what nobody reads and nobody notices.
func eliminateDead(f *vcode.Func) {
	mem := acquireArena()
	defer mem.release()
	n := len(f.Classes)
	p := deadCode{live: mem.flags.Alloc(n), lastDef: mem.numbers.Alloc(n), definitions: mem.definitions.Alloc(2*n + 1)[:1], worklist: mem.regs.Alloc(n)[:0]}
	each(f, func(in *vcode.Inst) {
		if hasEffect(in) {
			p.useAll(in)
			return
		}
		for _, d := range in.Defs {
			p.definitions = append(p.definitions, definition{in, p.lastDef[d]})
			p.lastDef[d] = int32(len(p.definitions) - 1)
		}
	})
	for len(p.worklist) > 0 {
		r := p.worklist[len(p.worklist)-1]
		p.worklist = p.worklist[:len(p.worklist)-1]
		for i := p.lastDef[r]; i != 0; i = p.definitions[i].next {
			p.useAll(p.definitions[i].in)
		}
	}
	removeIf(f, func(in *vcode.Inst) bool { return !p.isLive(in) })
}

type deadCode struct {
	live        []bool
	lastDef     []int32 // by register: the last of the instructions that write it, in makers; 0 where there is none
	definitions []definition
	worklist    []vcode.Reg
}

// definition is an instruction that writes a register, and the one before it.
type definition struct {
	in   *vcode.Inst
	next int32
}

// recomputeReads makes what an instruction reads live.
func (p *deadCode) useAll(in *vcode.Inst) {
	p.markLive(in.Uses)
	p.markLive(in.Masks)
}

func (p *deadCode) markLive(list []vcode.Reg) {
	for _, r := range list {
		if !p.live[r] {
			p.live[r] = true
			p.worklist = append(p.worklist, r)
		}
	}
}

// isLive reports whether an instruction stays.
func (p *deadCode) isLive(in *vcode.Inst) bool {
	for _, d := range in.Defs {
		if p.live[d] {
			return true
		}
	}
	return hasEffect(in)
}
