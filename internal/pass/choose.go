package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// choose turns ifs into selects: where both ways lead to one label, and there
// is little to do on either, both are done by all lanes, and a select takes the
// arguments of one. No lanes meet there that did not: what is done on either way
// is done by each lane for itself.
func choose(p *ir.Program, f *ir.Func) {
	r := enter()
	defer r.leave()
	c := &chooser{p: p, f: f, edit: editor{f: f}, at: r.numbers.Alloc(len(f.Vals)), code: r.values.Alloc(len(f.Code))[:0]}
	for _, v := range f.Code {
		x := f.Val(v)
		c.code = append(c.code, v)
		switch x.Op {
		case ir.If, ir.Else:
			c.at[v] = int32(len(c.code) - 1)
			if x.Op == ir.Else {
				c.second = append(c.second, v)
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

// maxSpeculated is the weight of what may be done in vain.
const maxSpeculated = 12

type chooser struct {
	p      *ir.Program
	f      *ir.Func
	edit   editor
	code   []ir.V
	at     []int32 // by if and else: its place in code
	second []ir.V  // the elses of the open ifs, and of those before
}

// arm returns the operations between two places of code, where they are pure
// and end in a br, and that br; 0 where they are not.
func (c *chooser) arm(from, to int) (ops []ir.V, br ir.V, weight int) {
	if from >= to || c.f.Val(c.code[to-1]).Op != ir.Br {
		return nil, 0, 0
	}
	ops = c.code[from : to-1]
	for _, v := range ops {
		w := c.speculative(v)
		if weight += w; w < 0 || weight > maxSpeculated {
			return nil, 0, 0
		}
	}
	return ops, c.code[to-1], weight
}

// pays reports whether both ways of these weights are done for less than to choose
// one. Where all lanes take the same one that is a jump, which a division outweighs.
func (c *chooser) pays(opener ir.V, w1, w2 int) bool {
	if max(w1, w2) >= expensive && c.together(c.f.Val(opener).Args[0], maxTogether) {
		return false
	}
	return w1+w2 <= maxSpeculated
}

// maxTogether is how many operations are followed for whether lanes have the same
// number.
const maxTogether = 8

// together reports whether a number is known to be the same in all lanes of a
// workgroup.
func (c *chooser) together(v ir.V, depth int) bool {
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
		if !c.together(x.Args[i], depth-1) {
			return false
		}
	}
	return true
}

// speculative returns the weight of an operation that may be done in vain, −1
// for others.
func (c *chooser) speculative(v ir.V) int {
	x := c.f.Val(v)
	switch x.Op {
	case ir.Ld: // which nobody writes, and all lanes read at one place
		if c.f.Val(x.Args[0]).Op == ir.Push && c.f.Val(x.Args[1]).Op == ir.Const {
			return cheap
		}
		return -1
	}
	return weight(x.Op)
}

// endIf looks at an if that has just ended, whose arms both branch.
func (c *chooser) endIf(opener ir.V) {
	n := len(c.second) - 1
	if n < 0 || c.f.Val(c.second[n]).Args[0] != opener {
		return
	}
	mid := int(c.at[c.second[n]])
	c.second = c.second[:n]
	a, br1, w1 := c.arm(int(c.at[opener])+1, mid)
	b, br2, w2 := c.arm(mid+1, len(c.code)-1)
	if br1 != 0 && br2 != 0 && c.pays(opener, w1, w2) {
		for again := c.convert(opener, a, b, br1, br2); again; again = c.br() {
		}
	}
}

// br looks at a br that was just placed: behind an if whose only arm branches
// to the same label. It reports whether they have become one.
func (c *chooser) br() bool {
	i := len(c.code) - 2
	for ; i > 0 && len(c.code)-i <= maxSpeculated+2 && c.speculative(c.code[i]) >= 0; i-- {
	}
	x := c.f.Val(c.code[i])
	if x.Op != ir.End || c.f.Val(x.Args[0]).Op != ir.If {
		return false
	}
	opener := x.Args[0]
	a, br1, w1 := c.arm(int(c.at[opener])+1, i)
	b, br2, w2 := c.arm(i+1, len(c.code))
	if br1 == 0 || br2 == 0 || !c.pays(opener, w1, w2) {
		return false
	}
	return c.convert(opener, a, b, br1, br2)
}

// convert replaces an if and what follows by both ways and one br.
func (c *chooser) convert(opener ir.V, a, b []ir.V, br1, br2 ir.V) bool {
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
		if v != no[i] {
			v = c.edit.float(ir.Val{Op: ir.Select, Type: f.Type(v), Args: [4]ir.V{cond, v, no[i]}, Origin: f.Val(opener).Origin})
			both = append(both, v)
		}
		args = append(args, v)
	}
	copy(no, args) // the list of the second br
	c.code = append(append(c.code[:c.at[opener]], both...), br2)
	return true
}
