package target

import "github.com/chiaro-gpu/chiaro/internal/ir"

// WriteOnlyResources finds the resources that a program stores to and never reads. It returns nil if
// there are atomics, or accesses that are volatile or coherent. A handle that is not directly a
// resource, such as a selected one, may be any resource, so that it makes the answer nil.
func WriteOnlyResources(p *ir.Program) []bool {
	read, stored := make([]bool, len(p.Res)), make([]bool, len(p.Res))
	for _, f := range p.Funcs {
		for _, v := range f.Code {
			x := f.Val(v)
			if x.Op.Family() == ir.Atomics || x.Flags&(ir.Volatile|ir.Coherent) != 0 {
				return nil
			}
			if x.Op != ir.Ld && x.Op != ir.St {
				continue
			}
			switch h := f.Val(x.Args[0]); {
			case h.Op == ir.Res && x.Op == ir.St:
				stored[h.Aux] = true
			case h.Op == ir.Res:
				read[h.Aux] = true
			case h.Op != ir.Push && h.Op != ir.Table && h.Op != ir.Wg:
				return nil
			}
		}
	}
	for r := range stored {
		stored[r] = stored[r] && !read[r]
	}
	return stored
}
