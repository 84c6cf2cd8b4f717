package lower

import "github.com/chiaro-gpu/chiaro/internal/ir"

// matrixProduct is the multiplication of cooperative matrices A and B with an
// accumulator C. Each component of the result adds its products in the order of the
// columns of A. The components are independent, so that the order among them is free.
type matrixProduct struct {
	f *function
	kernel
	a, b, c *tile
}

// blocks returns the number of columns that a lane holds of B, C and the result.
func (p *matrixProduct) blocks() uint64 { return p.b.components / p.b.length }

// unrolled adds the products to the sums in parts. x and y are the components of A
// and B that the lane holds.
func (p *matrixProduct) unrolled(x, y, parts []ir.V) {
	p.f.exchange(p.a, x, p.a.length, func(r *exchangeRound) {
		for line := r.first; line < r.last; line++ {
			for i := range p.a.length {
				shared := p.left(r.value(line, i))
				row, n := line, i
				if !p.a.byRow {
					row, n = i, line
				}
				for block := range p.blocks() {
					at := block*p.c.length + row
					parts[at] = p.add(parts[at], shared, p.right(y[block*p.b.length+n]))
				}
			}
		}
	})
}

// looped is unrolled as two loops, for a product with so many multiplications that
// unrolled code would be too long. It returns the sums, which are the same bits. A loop
// cannot index values, so the components that the lane holds are in private memory:
// those of B already converted, the sums, and those of A if lanes exchange them by
// shuffles.
//
//	for row of A {
//		sum = sums[row]
//		for column of A { // several in one iteration
//			sum = sum + A[row, column] * B[column]
//		}
//		sums[row] = sum
//	}
func (p *matrixProduct) looped(x, y, parts []ir.V) []ir.V {
	f := p.f
	right := make([]ir.V, len(y))
	for i := range y {
		right[i] = p.right(y[i])
	}
	b, sums := f.list(listB, right), f.list(listSums, parts)
	var own privateList
	if !p.a.wide {
		own = f.list(listA, x)
	}
	f.exchange(p.a, x, p.a.length, func(r *exchangeRound) {
		rows, columns := span{r.first, r.last}, span{0, p.a.columns}
		if !p.a.byRow {
			rows, columns = span{0, p.a.rows}, rows
		}
		f.counted(rows, 1, nil, func(row ir.V, _ []ir.V) []ir.V {
			var inits []ir.V
			for block := range p.blocks() {
				inits = append(inits, sums.load(f.plus(row, block*p.c.length)))
			}
			done := f.counted(columns, columns.step(), inits, func(column ir.V, sum []ir.V) []ir.V {
				line, i := row, column
				if !p.a.byRow {
					line, i = column, row
				}
				shared := p.left(r.valueAt(&own, line, i))
				next := make([]ir.V, len(sum))
				for block := range sum {
					next[block] = p.add(sum[block], shared, b.load(f.plus(column, uint64(block)*p.b.length)))
				}
				return next
			})
			for block, v := range done {
				sums.store(f.plus(row, uint64(block)*p.c.length), v)
			}
			return nil
		})
	})
	out := make([]ir.V, len(parts))
	for i := range out {
		out[i] = sums.load(f.b.I32(uint32(i)))
	}
	return out
}

// valueAt is value for a line and a position that are the same in all lanes but not
// constant. own is the list of the lane's components, for matrices of a subgroup.
func (r *exchangeRound) valueAt(own *privateList, line, i ir.V) ir.V {
	b := r.f.b
	if r.x.wide {
		in := b.Op(ir.Sub, ir.I32, line, b.I32(uint32(r.first)))
		off := b.OpAux(ir.At, ir.I32, r.length*uint64(r.typ.Size()), r.at, in)
		return r.load(b.OpAux(ir.At, ir.I32, uint64(r.typ.Size()), off, i), 0)
	}
	lanes := b.I32(uint32(r.x.lanes))
	at := b.Op(ir.Mul, ir.I32, b.Op(ir.UDiv, ir.I32, line, lanes), b.I32(uint32(r.length)))
	return b.Op(ir.Shuf, r.typ, own.load(b.Op(ir.Add, ir.I32, at, i)), b.Op(ir.UMod, ir.I32, line, lanes))
}

// span is the range of a loop counter: from first up to, but without, last.
type span struct{ first, last uint64 }

// step returns the number of iterations that one iteration of the loop performs: a
// divisor of the length.
func (s span) step() uint64 {
	for _, n := range [...]uint64{8, 4, 2} {
		if (s.last-s.first)%n == 0 {
			return n
		}
	}
	return 1
}

// counted emits a loop over a range that is not empty. The counter increases by step,
// and body is called for each counter value in between. It gets the carried values,
// first inits, and returns the next ones. counted returns the last ones.
func (f *function) counted(s span, step uint64, inits []ir.V, body func(i ir.V, now []ir.V) []ir.V) []ir.V {
	types := make([]ir.Type, len(inits))
	for i, v := range inits {
		types[i] = f.b.Func.Type(v)
	}
	done := f.b.Block(types...)
	loop := f.b.Loop(append([]ir.V{f.b.I32(uint32(s.first))}, inits...)...)
	params := append([]ir.V(nil), f.b.Func.Params(loop)...) // a copy: Extra may grow
	i, now := params[0], params[1:]
	for n := range step {
		now = body(f.plus(i, n), now)
	}
	next := f.plus(i, step)
	f.b.If(f.b.Cmp(ir.ULt, next, f.b.I32(uint32(s.last))))
	f.b.Br(loop, append([]ir.V{next}, now...)...)
	f.b.End()
	f.b.Br(done, now...)
	f.b.End()
	f.b.End()
	return append([]ir.V(nil), f.b.Func.Params(done)...)
}

// plus returns v + n.
func (f *function) plus(v ir.V, n uint64) ir.V {
	if n == 0 {
		return v
	}
	return f.b.Op(ir.Add, ir.I32, v, f.b.I32(uint32(n)))
}

// The lists of looped products and tensor accesses in private memory. All of a program
// share them.
const (
	listA = iota
	listB
	listSums
	listElements // of a tensor access
	numLists
)

var listNames = [numLists]string{"product.a", "product.b", "product.sums", "tensor.elements"}

// privateList is a list of values of one type in a private variable.
type privateList struct {
	f        *function
	variable uint64
	typ      ir.Type
}

// list stores values, of one type, in one of the lists.
func (f *function) list(which int, values []ir.V) privateList {
	t := f.b.Func.Type(values[0])
	u := f.unit
	if u.lists[which] == 0 {
		u.prog.Vars = append(u.prog.Vars, ir.Var{Name: listNames[which], Func: -1})
		u.lists[which] = uint64(len(u.prog.Vars))
	}
	l := privateList{f, u.lists[which] - 1, t}
	need := uint64(len(values)) * uint64(t.Slots())
	if have := &u.prog.Vars[l.variable].Slots; need > uint64(*have) {
		if u.private += need - uint64(*have); u.private > maxPrivate {
			f.tooLarge("private memory of more than %d slots", maxPrivate)
		}
		*have = uint32(need)
	}
	for i, v := range values {
		l.store(f.b.I32(uint32(i)), v)
	}
	return l
}

// slot returns the slot of element i.
func (l *privateList) slot(i ir.V) ir.V {
	if l.typ.Slots() == 1 {
		return i
	}
	return l.f.b.Op(ir.Mul, ir.I32, i, l.f.b.I32(l.typ.Slots()))
}

func (l *privateList) load(i ir.V) ir.V {
	return l.f.emit(ir.Val{Op: ir.PLd, Type: l.typ, Aux: l.variable, Args: [4]ir.V{l.slot(i)}})
}

func (l *privateList) store(i, v ir.V) {
	l.f.emit(ir.Val{Op: ir.PSt, Type: l.typ, Aux: l.variable, Args: [4]ir.V{l.slot(i), v}})
}
