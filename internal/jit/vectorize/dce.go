package vectorize

import "github.com/chiaro-gpu/chiaro/internal/jit/vcode"

// Dead code elimination
//
// Mark and sweep over the definitions of each register, as in Cytron et al. 1991: instructions with effects
// are live, and so is every instruction that may define a register that a live one reads. It needs no
// control flow, so one live read makes all writes of a register live. This is the pass that removes the
// unused forms of values.

// eliminateDead removes the instructions without effect or live result.
func eliminateDead(f *vcode.Func) {
	mem := acquireArena()
	defer mem.release()
	n := len(f.Classes)
	p := deadCode{live: mem.flags.Alloc(n), lastDef: mem.numbers.Alloc(n), definitions: mem.definitions.Alloc(2*n + 1)[:1], worklist: mem.regs.Alloc(n)[:0]}
	f.Each(func(in *vcode.Inst) {
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

// deadCode is the state of eliminateDead.
type deadCode struct {
	live        []bool  // by register: read by a live instruction
	lastDef     []int32 // by register: the last instruction that writes it, an index into definitions, or 0
	definitions []definition
	worklist    []vcode.Reg // live registers with definitions that are not visited yet
}

// definition is an instruction that writes a register, and the index of the one before it, or 0.
type definition struct {
	in   *vcode.Inst
	next int32
}

// useAll makes the registers live that an instruction reads.
func (p *deadCode) useAll(in *vcode.Inst) {
	p.markLive(in.Uses)
	p.markLive(in.Masks)
}

// markLive makes registers live.
func (p *deadCode) markLive(list []vcode.Reg) {
	for _, r := range list {
		if !p.live[r] {
			p.live[r] = true
			p.worklist = append(p.worklist, r)
		}
	}
}

// isLive reports whether an instruction is live.
func (p *deadCode) isLive(in *vcode.Inst) bool {
	for _, d := range in.Defs {
		if p.live[d] {
			return true
		}
	}
	return hasEffect(in)
}
