package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Chains of updates of a variable
//
// After coalescing, a sum that a loop carries is one register that each addition reads and writes. If the sums of a matrix product
// need more vectors than the machine has, most are in memory, and each addition loads and stores. So in such a block a register of
// its own carries the sum through a chain of updates (live range splitting; Cooper & Simpson 1998):
//
//	s = fma a0, b0, s        memory: load, store          t = fma a0, b0, s        load
//	s = fma a1, b1, s        load, store             →    t = fma a1, b1, t
//	s = fma a2, b2, s        load, store                  t = fma a2, b2, t
//	                                                      s = t                    store
//
// No instruction between the first and the last one of a chain mentions the sum otherwise, and none leaves the block.

// minUpdates is the number of updates from which a chain pays: the copy costs an instruction if the variable is in a vector after all.
const minUpdates = 3

// splitChains splits the chains of the blocks of loops that need too many vectors.
func splitChains(f *vcode.Func) {
	if f.Form.Vectors == 0 {
		return
	}
	mem := acquireArena()
	defer mem.release()
	looped := mem.flags.Alloc(len(f.Blocks))
	if !findLooped(f, looped) {
		return
	}
	p := newPressure(f, mem)
	n := len(f.Classes)
	c := &chainSplitter{f: f, first: mem.numbers.Alloc(n), last: mem.numbers.Alloc(n), updates: mem.numbers.Alloc(n), own: mem.regs.Alloc(n)}
	for b := range f.Blocks {
		if looped[b] && p.most(b) > f.Form.Vectors {
			c.block(b)
		}
	}
}

// chainSplitter is the state of splitChains in one block.
type chainSplitter struct {
	f           *vcode.Func
	first, last []int32     // by register: 1 + the positions of the first and the last update of its open chain; first is 0 if there is none
	updates     []int32     // by register: the updates of its open chain
	own         []vcode.Reg // by register: the one of the chain at the current position; 0 if there is none
	open        []vcode.Reg // registers with open chains
	found       []chain
}

// chain is the positions of the updates of a register.
type chain struct {
	r           vcode.Reg
	first, last int32
}

// block splits the chains of a block.
func (c *chainSplitter) block(b int) {
	list := c.f.Blocks[b].Insts
	c.found = c.found[:0]
	for i := range list {
		in := &list[i]
		if in.Op.Jumps() || in.BailsOut() {
			c.closeAll()
			continue
		}
		u := c.updated(in)
		for _, regs := range [...][]vcode.Reg{in.Uses, in.Masks, in.Defs} {
			for _, r := range regs {
				if r != u {
					c.close(r)
				}
			}
		}
		if u == 0 {
			continue
		}
		if c.first[u] == 0 {
			c.first[u], c.updates[u] = int32(i)+1, 0
			c.open = append(c.open, u)
		}
		c.last[u] = int32(i) + 1
		c.updates[u]++
	}
	c.closeAll()
	if len(c.found) > 0 {
		c.f.Blocks[b].Insts = c.split(list)
	}
}

// updated returns the register that an instruction reads and writes, or 0.
func (c *chainSplitter) updated(in *vcode.Inst) vcode.Reg {
	if len(in.Defs) != 1 || in.Merging || in.Op != vcode.Lane && in.Op != vcode.Own || int(in.Defs[0]) >= len(c.first) || c.f.Classes[in.Defs[0]] != vcode.Vec {
		return 0
	}
	if slices.Contains(in.Uses, in.Defs[0]) {
		return in.Defs[0]
	}
	return 0
}

// close ends the chain of a register, if it has one.
func (c *chainSplitter) close(r vcode.Reg) {
	if int(r) >= len(c.first) || c.first[r] == 0 {
		return
	}
	if c.updates[r] >= minUpdates {
		c.found = append(c.found, chain{r, c.first[r] - 1, c.last[r] - 1})
	}
	c.first[r] = 0
}

// closeAll ends all chains.
func (c *chainSplitter) closeAll() {
	for _, r := range c.open {
		c.close(r)
	}
	c.open = c.open[:0]
}

// split gives each chain a register of its own, and copies that back after the last update.
//
// One walk serves all chains of the block, which may overlap: at each position, own has the registers of the chains that are open there.
// Within a chain its updates alone mention the variable, so that an instruction that writes it is an update.
func (c *chainSplitter) split(list []vcode.Inst) []vcode.Inst {
	// An instruction updates one register, so that no two chains begin at one.
	slices.SortFunc(c.found, func(a, b chain) int { return int(a.first - b.first) })
	inserted := map[int][]vcode.Inst{}
	next := 0
	for i := range list {
		in := &list[i]
		if next < len(c.found) && int(c.found[next].first) == i {
			x := c.found[next]
			next++
			c.own[x.r], c.last[x.r] = c.f.NewReg(c.f.Classes[x.r]), x.last
			in.Defs = []vcode.Reg{c.own[x.r]}
			continue
		}
		if len(in.Defs) != 1 || int(in.Defs[0]) >= len(c.own) || c.own[in.Defs[0]] == 0 {
			continue
		}
		r, own := in.Defs[0], c.own[in.Defs[0]]
		in.Defs, in.Uses = []vcode.Reg{own}, slices.Clone(in.Uses)
		for k, u := range in.Uses {
			if u == r {
				in.Uses[k] = own
			}
		}
		if int(c.last[r]) == i { // the variable itself has the sum again
			c.own[r] = 0
			inserted[i+1] = append(inserted[i+1], vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{r}, Uses: []vcode.Reg{own}, Origin: in.Origin})
		}
	}
	return append(insertBefore(c.f, list, inserted), inserted[len(list)]...)
}
