package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// ifConvert is if-conversion (Allen, Kennedy, Porterfield and Warren 1983): it
// replaces an if by selects if both arms branch to one label and are cheap. All
// lanes then run both arms:
//
//	if v1 {                        v2 = add.i32 v0, 4:i32
//		v2 = add.i32 v0, 4:i32     v3 = select.i32 v1, v2, v0
//		br L2(v2)                  br L2(v3)
//	}
//	br L2(v0)
//
// Only operations without effects move, and each lane computes them for itself.
// So convergence does not change: no operation that lanes meet at is reached by
// other lanes than before. Unlike LLVM's SimplifyCFG and NIR's peephole select,
// the pass may speculate loads and divisions, because no operation traps.
func ifConvert(p *ir.Program, f *ir.Func) {
	r := newArena()
	defer r.release()
	c := &ifConverter{p: p, f: f, edit: editor{f: f}, index: r.numbers.Alloc(len(f.Vals)), code: r.values.Alloc(len(f.Code))[:0]}
	for _, v := range f.Code {
		x := f.Val(v)
		c.code = append(c.code, v)
		switch x.Op {
		case ir.If, ir.Else:
			c.index[v] = int32(len(c.code) - 1)
			if x.Op == ir.Else {
				c.elses = append(c.elses, v)
			}
		case ir.End:
			if f.Val(x.Args[0]).Op == ir.If {
				c.endIf(x.Args[0])
			}
		case ir.Br:
			for c.br() {
			}
		}
	}
	f.Code = append(f.Code[:0], c.code...)
}

// maxSpeculated limits the cost of the operations that run speculatively for one if. It also limits
// how far back the pass looks for the if before a branch. A mispredicted branch costs 15 to 20
// cycles on current processors, and a divergent one runs both arms anyway, under masks.
const maxSpeculated = 12

// privateLoad is the cost of a load from an unknown slot of private memory.
const privateLoad = 7

type ifConverter struct {
	p     *ir.Program
	f     *ir.Func
	edit  editor
	code  []ir.V
	index []int32 // by if and else: its index in code
	elses []ir.V  // a stack: the elses of the open ifs
}

// arm returns the operations in code[from:to], the br that ends them, and their cost. The br is 0 if
// there is none, or if an operation cannot be speculated. For the if above, the first arm is v2 with
// br L2(v2), at cost 1; the second, after the if, is empty, at cost 0.
func (c *ifConverter) arm(from, to int) (ops []ir.V, br ir.V, cost int) {
	if from >= to || c.f.Val(c.code[to-1]).Op != ir.Br {
		return nil, 0, 0
	}
	ops = c.code[from : to-1]
	for _, v := range ops {
		n := c.speculationCost(v)
		if cost += n; n < 0 || cost > maxSpeculated {
			return nil, 0, 0
		}
	}
	return ops, c.code[to-1], cost
}

// profitable reports whether to run both arms is cheaper than to branch. A branch
// that all lanes of a subgroup take together is one jump, which costs less than a
// division.
func (c *ifConverter) profitable(opener ir.V, cost1, cost2 int) bool {
	if max(cost1, cost2) >= expensive && c.uniform(c.f.Val(opener).Args[0], maxUniformDepth) {
		return false
	}
	return cost1+cost2 <= maxSpeculated
}

// maxUniformDepth limits the depth of the expressions that uniform looks at.
const maxUniformDepth = 8

// uniform reports whether a value is known to be the same in all lanes of a
// workgroup. This is a cheap approximation of the divergence analysis that the
// JIT does later.
func (c *ifConverter) uniform(v ir.V, depth int) bool {
	x := c.f.Val(v)
	switch {
	case x.Op == ir.Const:
		return true
	case depth == 0:
		return false
	case x.Op == ir.In:
		return c.p.In[x.Aux].Semantic.Rate() <= ir.PerGroup
	case x.Op == ir.Ld && x.Flags&(ir.Volatile|ir.Coherent) == 0:
	case !x.Op.Pure():
		return false
	}
	for i := range x.Op.Args() {
		if !c.uniform(x.Args[i], depth-1) {
			return false
		}
	}
	return true
}

// speculationCost returns the cost of an operation that may run speculatively, or
// −1. A load from the push constants at a constant offset is as cheap as a
// constant: the memory is never written, and all lanes read the same bytes. So is one
// from a private slot at a constant. A load from another slot may be a gather; one per
// arm is worth it, because lanes then test an index and the element at once (i ≥ 0 &&
// a[i] > x), and the code after the test can use the element.
func (c *ifConverter) speculationCost(v ir.V) int {
	x := c.f.Val(v)
	switch x.Op {
	case ir.Ld:
		if c.f.Val(x.Args[0]).Op == ir.Push && c.f.Val(x.Args[1]).Op == ir.Const {
			return cheap
		}
		return -1
	case ir.PLd:
		switch {
		case x.Flags&ir.Volatile != 0:
			return -1
		case c.f.Val(x.Args[0]).Op == ir.Const:
			return cheap
		}
		return privateLoad
	}
	return cost(x.Op)
}

// endIf converts an if that has just ended if it has two arms and both branch. The new br may end an
// arm of another if, so that nested ifs convert from the innermost one on.
func (c *ifConverter) endIf(opener ir.V) {
	n := len(c.elses) - 1
	if n < 0 || c.f.Val(c.elses[n]).Args[0] != opener {
		return
	}
	mid := int(c.index[c.elses[n]])
	c.elses = c.elses[:n]
	a, br1, cost1 := c.arm(int(c.index[opener])+1, mid)
	b, br2, cost2 := c.arm(mid+1, len(c.code)-1)
	if br1 != 0 && br2 != 0 && c.profitable(opener, cost1, cost2) {
		for again := c.convert(opener, a, b, br1, br2); again; again = c.br() {
		}
	}
}

// br converts an if with one arm, if the br that was just appended to code follows
// it. It reports whether it has done so: the new br may then follow another if.
func (c *ifConverter) br() bool {
	i := len(c.code) - 2
	for ; i > 0 && len(c.code)-i <= maxSpeculated+2 && c.speculationCost(c.code[i]) >= 0; i-- {
	}
	x := c.f.Val(c.code[i])
	if x.Op != ir.End || c.f.Val(x.Args[0]).Op != ir.If {
		return false
	}
	opener := x.Args[0]
	a, br1, cost1 := c.arm(int(c.index[opener])+1, i)
	b, br2, cost2 := c.arm(i+1, len(c.code))
	if br1 == 0 || br2 == 0 || !c.profitable(opener, cost1, cost2) {
		return false
	}
	return c.convert(opener, a, b, br1, br2)
}

// convert replaces an if with the arms a and b by both arms, selects and one br.
// If only br1 is inside the if, b is the code after it. It reports false if the
// branches go to different labels.
func (c *ifConverter) convert(opener ir.V, a, b []ir.V, br1, br2 ir.V) bool {
	f := c.f
	if f.Val(br1).Args[0] != f.Val(br2).Args[0] {
		return false
	}
	cond := f.Val(opener).Args[0]
	both := append(append([]ir.V(nil), a...), b...)
	yes, no := f.BrArgs(br1), f.BrArgs(br2)
	if len(yes) > maxSpeculated {
		return false
	}
	var args []ir.V
	for i := range yes {
		v := yes[i]
		// Equal arguments need no select.
		if v != no[i] {
			v = c.edit.float(ir.Val{Op: ir.Select, Type: f.Type(v), Args: [4]ir.V{cond, v, no[i]}, Origin: f.Val(opener).Origin})
			both = append(both, v)
		}
		args = append(args, v)
	}
	copy(no, args) // no is the argument list of br2, which stays
	c.code = append(append(c.code[:c.index[opener]], both...), br2)
	return true
}
