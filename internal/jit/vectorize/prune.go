package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// prune removes what nobody reads and nobody notices.
func prune(f *vcode.Func) {
	in := enter()
	defer in.leave()
	n := len(f.Classes)
	p := pruner{live: in.flags.Alloc(n), made: in.numbers.Alloc(n), makers: in.makers.Alloc(2*n + 1)[:1], todo: in.regs.Alloc(n)[:0]}
	each(f, func(in *vcode.Inst) {
		if acts(in) {
			p.reads(in)
			return
		}
		for _, d := range in.Defs {
			p.makers = append(p.makers, maker{in, p.made[d]})
			p.made[d] = int32(len(p.makers) - 1)
		}
	})
	for len(p.todo) > 0 {
		r := p.todo[len(p.todo)-1]
		p.todo = p.todo[:len(p.todo)-1]
		for i := p.made[r]; i != 0; i = p.makers[i].next {
			p.reads(p.makers[i].in)
		}
	}
	removeIf(f, func(in *vcode.Inst) bool { return !p.wanted(in) })
}

// removeIf takes out the instructions of which gone is true.
func removeIf(f *vcode.Func, gone func(*vcode.Inst) bool) {
	for b := range f.Blocks {
		f.Blocks[b].Insts = less(f.Blocks[b].Insts, gone)
	}
}

// less takes out of a list the instructions of which gone is true.
func less(list []vcode.Inst, gone func(*vcode.Inst) bool) []vcode.Inst {
	n := 0
	for i := range list {
		if gone(&list[i]) {
			continue
		}
		if n != i {
			list[n] = list[i]
		}
		n++
	}
	return list[:n]
}

// straighten removes jumps to where the code goes on anyway.
func straighten(f *vcode.Func) {
	next := len(f.Blocks) // the first block from here on that has code
	for b := len(f.Blocks) - 1; b >= 0; b-- {
		list := f.Blocks[b].Insts
		for len(list) > 0 {
			last := &list[len(list)-1]
			if !last.Op.Jumps() || last.Target <= b || last.Target > next {
				break
			}
			list = list[:len(list)-1]
		}
		if f.Blocks[b].Insts = list; len(list) > 0 {
			next = b
		}
	}
}

type pruner struct {
	live   []bool
	made   []int32 // by register: the last of the instructions that write it, in makers; 0 where there is none
	makers []maker
	todo   []vcode.Reg
}

// maker is an instruction that writes a register, and the one before it.
type maker struct {
	in   *vcode.Inst
	next int32
}

// reads makes what an instruction reads live.
func (p *pruner) reads(in *vcode.Inst) {
	p.need(in.Uses)
	p.need(in.Masks)
}

func (p *pruner) need(list []vcode.Reg) {
	for _, r := range list {
		if !p.live[r] {
			p.live[r] = true
			p.todo = append(p.todo, r)
		}
	}
}

// wanted reports whether an instruction stays.
func (p *pruner) wanted(in *vcode.Inst) bool {
	for _, d := range in.Defs {
		if p.live[d] {
			return true
		}
	}
	return acts(in)
}

// acts reports whether an instruction does more than to define registers.
func acts(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.Lane, vcode.Strip, vcode.Scalar:
		return !in.IR.HasResult() || in.IR.Is(ir.Writes) || in.Key.Flags&ir.Volatile != 0
	case vcode.Gather, vcode.StridedLoad, vcode.BroadcastLoad, vcode.TableLookup:
		return in.Key.Flags&ir.Volatile != 0
	case vcode.Undef, vcode.Copy, vcode.And, vcode.AndNot, vcode.Or, vcode.Arg,
		vcode.Broadcast, vcode.Extract, vcode.InputBase, vcode.StridedBase, vcode.SlotLoad,
		vcode.BoundsCheck, vcode.StoreBoundsCheck, vcode.TwoRuns, vcode.TwoRunsCheck, vcode.StoreTwoRunsCheck, vcode.Own:
		return false
	}
	return true
}
