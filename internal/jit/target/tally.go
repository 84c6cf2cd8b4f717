package target

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Reduction privatization: if a program accesses a resource by one kind of atomic only, with unused
// results, each worker may apply it to private memory, which needs no lock, and combine that with the
// resource at the end (Rauchwerger & Padua 1995, LRPD test).

// Tally is an atomic that commutes, on words of 32 or 64 bits. The zero value is none.
type Tally struct {
	Op   ir.Op
	Type ir.Type
}

// Neutral returns the operand with which the atomic changes nothing, in the low bits.
func (t Tally) Neutral() uint64 { return ir.Identity(t.Op.Combines(), t.Type) }

// Bytes returns the size of a word.
func (t Tally) Bytes() int { return int(t.Type.Bits()) / 8 }

// tallyOf returns the tally that an instruction adds to; false if it is no atomic that commutes, or if its result is used.
func tallyOf(x *ir.Val) (Tally, bool) {
	is := x.Op.Combines().Is(ir.Commute) && (x.Type == ir.I32 || x.Type == ir.I64) && x.Flags&ir.Unused != 0
	return Tally{x.Op, x.Type}, is
}

// PrivatizableAtomics returns for each resource the atomic that is its only access, or none. It returns
// none at all if others may observe the order of effects: if an access is volatile or coherent, or the
// program can access memory by address. The resource of WithBase is an exception.
func PrivatizableAtomics(p *ir.Program) []Tally {
	if len(p.Res) == 1 && p.Res[0].Set == BaseSet {
		return baseTally(p)
	}
	other := Tally{Op: ir.Ray} // no atomic
	none := make([]Tally, len(p.Res))
	out := make([]Tally, len(p.Res))
	for r, x := range p.Res {
		if x.Kind != ir.StorageBuffer || x.NonWritable {
			out[r] = other
		}
	}
	for _, f := range p.Funcs {
		for _, v := range f.Code {
			x := f.Val(v)
			if x.Op == ir.Region || x.Flags&(ir.Volatile|ir.Coherent) != 0 {
				return none
			}
			if x.Op != ir.Ld && x.Op != ir.St && x.Op.Family() != ir.Atomics {
				continue
			}
			switch h := f.Val(x.Args[0]); h.Op {
			case ir.Push, ir.Table, ir.Wg:
			case ir.Res:
				old := out[h.Aux]
				new, ok := tallyOf(x)
				if !ok || old != (Tally{}) && old != new {
					new = other
				}
				out[h.Aux] = new
			default:
				return none
			}
		}
	}
	for r := range out {
		if out[r] == other {
			out[r] = Tally{}
		}
	}
	return out
}

// baseTally is PrivatizableAtomics of a program of WithBase.
func baseTally(p *ir.Program) []Tally {
	f := p.Funcs[0]
	for _, v := range f.Code {
		if x := f.Val(v); x.Op.Family() == ir.Atomics && f.Val(x.Args[0]).Op == ir.Res {
			kind, _ := tallyOf(x)
			return []Tally{kind}
		}
	}
	return []Tally{{}}
}
