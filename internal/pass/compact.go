package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// compact is a dense renumbering of values in code order: a copying collection
// (Cheney 1970) that drops the garbage of earlier passes. Engines allocate storage
// by value number, so a dead number costs memory. Equal constants become one value.
func compact(_ *ir.Program, f *ir.Func) {
	r := newArena()
	defer r.release()
	n := &ir.Func{Name: f.Name, Vals: make([]ir.Val, 1, sizeHint(f)), Extra: make([]ir.V, 0, len(f.Extra))}
	c := &copier{from: f, edit: &editor{f: n}, to: r.values.Alloc(len(f.Vals))}
	for _, v := range f.Args {
		c.to[v] = c.edit.float(*f.Val(v))
		n.Args = append(n.Args, c.to[v])
	}
	n.Code = make([]ir.V, 0, len(f.Code))
	for _, v := range f.Code { // definitions precede their uses
		n.Code = append(n.Code, c.copy(v))
	}
	*f = *n
}

// sizeHint estimates the number of values that the code of a function uses.
func sizeHint(f *ir.Func) int { return min(len(f.Vals), 1+len(f.Code)+len(f.Code)/4+len(f.Extra)+8) }
