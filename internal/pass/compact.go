package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// compact numbers the values of a function anew, in the order of the code, so
// that engines keep no room for what other passes left behind. Equal constants
// become one.
func compact(_ *ir.Program, f *ir.Func) {
	r := enter()
	defer r.leave()
	n := &ir.Func{Name: f.Name, Vals: make([]ir.Val, 1, placed(f)), Extra: make([]ir.V, 0, len(f.Extra))}
	c := &copier{from: f, edit: &editor{f: n}, to: r.values.Alloc(len(f.Vals))}
	for _, v := range f.Args {
		c.to[v] = c.edit.float(*f.Val(v))
		n.Args = append(n.Args, c.to[v])
	}
	n.Code = make([]ir.V, 0, len(f.Code))
	for _, v := range f.Code { // values stand before those that read them
		n.Code = append(n.Code, c.copy(v))
	}
	*f = *n
}

// placed is about how many values a function has that stand somewhere, and of what
// they read.
func placed(f *ir.Func) int { return min(len(f.Vals), 1+len(f.Code)+len(f.Code)/4+len(f.Extra)+8) }
