package lower

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// demotion rewrites a module so that OpKill demotes: OpDemoteToHelperInvocation, and then a branch to the
// merge block of the innermost construct, as drivers do it that implement OpKill by demotion. In a void
// function outside of all constructs the invocation returns. An OpKill elsewhere remains: its merge block uses
// values that are not defined on the path from it.
type demotion struct {
	from    *facts.Module
	to      map[*facts.Block]*facts.Block   // from a block with OpKill: the merge block; nil: return
	undef   map[*facts.Block][]spirv.ID     // by block with OpKill: a value for each phi of the merge block
	into    map[*facts.Block][]*facts.Block // by merge block: blocks with OpKill
	atTerm  map[int]*facts.Block            // by terminator: blocks of to
	bound   uint32
	words   []uint32
	origins []int32 // by instruction of the new module: that of the old one
}

// demoteKills returns the facts of the rewritten module, and the instruction of the old module for each one
// of the new module.
func demoteKills(m *facts.Module) (*facts.Module, []int32, error) {
	d := &demotion{
		from: m, to: map[*facts.Block]*facts.Block{}, undef: map[*facts.Block][]spirv.ID{},
		into: map[*facts.Block][]*facts.Block{}, atTerm: map[int]*facts.Block{}, bound: m.Code.Bound,
	}
	for i := range m.Functions {
		f := &m.Functions[i]
		for k := range f.Blocks {
			b := &f.Blocks[k]
			if b.Term >= 0 && b.Reachable && m.Code.OpAt(b.Term) == spirv.OpKill {
				d.plan(f, b)
			}
		}
	}
	if len(d.to) == 0 {
		return m, nil, nil
	}
	d.write()
	code, err := spirv.FromWords(d.words)
	if err != nil {
		return nil, nil, err
	}
	return facts.Gather(code, m.Spec), d.origins, nil
}

// plan finds the block after an OpKill. The header of the construct must branch to its merge block directly:
// then the new edge does not change which blocks dominate the merge block.
func (d *demotion) plan(f *facts.Function, b *facts.Block) {
	c := b.Construct
	if c == nil {
		if f.Return.IsVoid() {
			d.to[b], d.atTerm[b.Term] = nil, b
		}
		return
	}
	if c.Merge == nil || c.Header == nil || c.Kind == facts.ContinuePart || !facts.Dominates(c.Header, b) {
		return
	}
	direct := false
	for _, s := range c.Header.Succs {
		direct = direct || s == c.Merge
	}
	n := 0
	for i := c.Merge.Index + 1; i < c.Merge.End; i++ {
		if d.from.Code.OpAt(i) == spirv.OpPhi {
			n++
			const room = 2 // words of a pair
			if len(d.from.Code.Inst(i))+room*(len(d.into[c.Merge])+1) > math.MaxUint16 {
				return
			}
		}
	}
	if !direct || facts.Dominates(c.Merge, b) || uint64(d.bound)+uint64(n) >= 1<<22 {
		return
	}
	for range n {
		d.undef[b] = append(d.undef[b], spirv.ID(d.bound))
		d.bound++
	}
	d.to[b], d.atTerm[b.Term] = c.Merge, b
	d.into[c.Merge] = append(d.into[c.Merge], b)
}

// write writes the new module.
func (d *demotion) write() {
	m := d.from.Code
	d.words = append(d.words, m.Words[:spirv.HeaderWords]...)
	const boundWord = 3
	d.words[boundWord] = d.bound
	var merge *facts.Block // of the phis that follow
	phi := 0
	for i, in := range m.All() {
		switch in.Op() {
		case spirv.OpLabel:
			merge, phi = d.from.Block(in.Result()), 0
		case spirv.OpPhi:
			head := len(d.words)
			d.put(i, in...)
			for _, b := range d.into[merge] {
				if phi < len(d.undef[b]) {
					d.words = append(d.words, uint32(d.undef[b][phi]), uint32(b.ID))
				}
			}
			d.words[head] = spirv.Head(spirv.OpPhi, len(d.words)-head)
			phi++
			continue
		}
		if b, ok := d.atTerm[i]; ok {
			d.demote(i, b)
			continue
		}
		d.put(i, in...)
	}
}

// demote writes what replaces an OpKill.
func (d *demotion) demote(i int, b *facts.Block) {
	to := d.to[b]
	if to != nil {
		k := 0
		for p := to.Index + 1; p < to.End && k < len(d.undef[b]); p++ {
			if in := d.from.Code.Inst(p); in.Op() == spirv.OpPhi {
				d.put(i, spirv.Head(spirv.OpUndef, 3), uint32(in.Type()), uint32(d.undef[b][k]))
				k++
			}
		}
	}
	d.put(i, spirv.Head(spirv.OpDemoteToHelperInvocation, 1))
	if to == nil {
		d.put(i, spirv.Head(spirv.OpReturn, 1))
		return
	}
	d.put(i, spirv.Head(spirv.OpBranch, 2), uint32(to.ID))
}

// put writes an instruction in the place of instruction i of the old module.
func (d *demotion) put(i int, words ...uint32) {
	d.words = append(d.words, words...)
	d.origins = append(d.origins, int32(i))
}

// restoreOrigins makes the origins of a program those of the old module.
func restoreOrigins(p *ir.Program, origins []int32) {
	for _, f := range p.Funcs {
		for v := range f.Vals {
			x := &f.Vals[v]
			if x.Origin > 0 && int(x.Origin) <= len(origins) {
				x.Origin = origins[x.Origin-1] + 1
			}
		}
	}
}
