package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// compact numbers the values of a function anew, in the order of the code, so
// that engines keep no room for what other passes left behind. Equal constants
// become one.
func compact(_ *ir.Program, f *ir.Func) {
	n := &ir.Func{Name: f.Name, Vals: make([]ir.Val, 1, len(f.Vals)), Extra: make([]ir.V, 0, len(f.Extra))}
	c := &copier{from: f, edit: &editor{f: n}, to: make([]ir.V, len(f.Vals))}
	n.Args = c.owned(f.Args, 0)
	n.Code = make([]ir.V, 0, len(f.Code))
	for _, v := range f.Code { // values stand before those that read them
		n.Code = append(n.Code, c.copy(v))
	}
	*f = *n
}
