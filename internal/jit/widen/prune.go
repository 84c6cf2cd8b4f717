package widen

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// prune removes what nobody reads and nobody notices.
func prune(f *vcode.Func) {
	p := pruner{f: f, live: make([]bool, len(f.Classes)), made: make([]*vcode.Inst, len(f.Classes)), more: map[vcode.Reg][]*vcode.Inst{}}
	for b := range f.Blocks {
		for i := range f.Blocks[b].Insts {
			in := &f.Blocks[b].Insts[i]
			if acts(in) {
				p.reads(in)
				continue
			}
			for _, d := range in.Defs {
				if p.made[d] == nil {
					p.made[d] = in
				} else {
					p.more[d] = append(p.more[d], in)
				}
			}
		}
	}
	for len(p.todo) > 0 {
		r := p.todo[len(p.todo)-1]
		p.todo = p.todo[:len(p.todo)-1]
		if p.made[r] == nil {
			continue
		}
		p.reads(p.made[r])
		for _, in := range p.more[r] {
			p.reads(in)
		}
	}
	for b := range f.Blocks {
		f.Blocks[b].Insts = slices.DeleteFunc(f.Blocks[b].Insts, func(in vcode.Inst) bool {
			return !acts(&in) && !slices.ContainsFunc(in.Defs, func(r vcode.Reg) bool { return p.live[r] })
		})
	}
}

// straighten removes jumps to where the code goes on anyway.
func straighten(f *vcode.Func) {
	next := len(f.Blocks) // the first block from here on that has code
	for b := len(f.Blocks) - 1; b >= 0; b-- {
		list := f.Blocks[b].Insts
		for len(list) > 0 {
			last := list[len(list)-1]
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
	f    *vcode.Func
	live []bool
	made []*vcode.Inst               // by register: the first instruction that writes it
	more map[vcode.Reg][]*vcode.Inst // and the others
	todo []vcode.Reg
}

// reads makes what an instruction reads live.
func (p *pruner) reads(in *vcode.Inst) {
	for _, list := range [][]vcode.Reg{in.Uses, in.Masks} {
		for _, r := range list {
			if !p.live[r] {
				p.live[r] = true
				p.todo = append(p.todo, r)
			}
		}
	}
}

// acts reports whether an instruction does more than to define registers.
func acts(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.Lane, vcode.Strip, vcode.Scalar:
		return !in.IR.HasResult() || in.IR.Is(ir.Writes) || in.Key.Flags&ir.Volatile != 0
	case vcode.Gather, vcode.RowLoad, vcode.Spread:
		return in.Key.Flags&ir.Volatile != 0
	case vcode.Undef, vcode.Copy, vcode.And, vcode.AndNot, vcode.Or, vcode.Arg,
		vcode.Broadcast, vcode.Extract, vcode.RowIn, vcode.RowBase, vcode.SlotLoad,
		vcode.Window, vcode.StoreWindow, vcode.Halves, vcode.HalfWindow, vcode.StoreHalfWindow, vcode.Own:
		return false
	}
	return true
}
