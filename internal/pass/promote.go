package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// promote makes values of the variables whose slots are all known: where ways
// meet that leave different values in a variable, the label there gets a
// parameter. It does so for one function after the other, and for variables
// that this function alone uses, and that do not carry anything from one call
// of it to the next.
//
// A lane's private memory is its own, so what a load gives is what the same
// lane stored last, and the law that values are written for active lanes alone
// is the same for slots and for parameters.
func promote(p *ir.Program) {
	u := usePrivate(p)
	if u.places {
		return
	}
	for fn := range p.Funcs {
		r := &promoter{p: p, f: p.Funcs[fn], fn: fn, edit: editor{f: p.Funcs[fn]}}
		if !r.choose(u) {
			continue
		}
		r.measure()
		r.live()
		if r.arguments() <= maxArguments {
			r.rename()
		}
	}
}

// Bounds on the work: what lies beyond stays in memory.
const (
	maxCells     = 1 << 13 // of one function
	maxSets      = 1 << 21 // words of all sets of cells of one function
	maxClears    = 1 << 16 // cells that pclr names, counted each time
	maxArguments = 1 << 20 // parameters and arguments that promotion adds to one function
)

// cell is a slot, or a pair of slots, that becomes a value.
type cell struct {
	t ir.Type
	v uint64 // variable
}

type slotKey struct{ v, slot uint64 }

// promoter promotes the variables of one function.
type promoter struct {
	p    *ir.Program
	f    *ir.Func
	fn   int
	edit editor

	use   []bool          // by variable: it is promoted
	at    map[slotKey]int // the cell that begins at a slot; −1: its second half
	cells []cell
	of    [][]int // by variable: its cells

	regions []span  // of the function, in order of their openers
	number  []int32 // by opener: its region

	out   []cellSet // by region: cells that are needed behind it, or at the start of a loop
	defs  []cellSet // by region: cells that are written in it
	words int
}

// choose picks the variables and gives their slots to cells. It reports
// whether there are any.
func (r *promoter) choose(u *private) bool {
	r.use = make([]bool, len(r.p.Vars))
	any := false
	for i, w := range u.vars {
		r.use[i] = w.fn == r.fn && !w.several && !w.dynamic && uint64(w.clears)*uint64(r.p.Vars[i].Slots) <= maxClears
		any = any || r.use[i]
	}
	if !any {
		return false
	}
	r.at, r.of = map[slotKey]int{}, make([][]int, len(r.p.Vars))
	for _, v := range r.f.Code {
		if x := r.f.Val(v); (x.Op == ir.PLd || x.Op == ir.PSt) && r.use[x.Aux] && !r.outside(x) {
			r.use[x.Aux] = r.place(x)
		}
	}
	controls := 1
	for _, v := range r.f.Code {
		if op := r.f.Val(v).Op; op == ir.Block || op == ir.Loop || op == ir.If {
			controls++
		}
	}
	if r.words = len(r.cells)/64 + 1; r.words*controls > maxSets {
		return false
	}
	return true
}

// slot returns the slot that an access names.
func (r *promoter) slot(x *ir.Val) uint64 { return r.f.Val(x.Args[0]).Aux }

// outside reports whether an access is out of range: it reads 0, and writes
// nothing.
func (r *promoter) outside(x *ir.Val) bool {
	return r.slot(x)+uint64(x.Type.Slots()) > uint64(r.p.Vars[x.Aux].Slots)
}

// place finds or makes the cell of an access. It reports whether all accesses
// so far see the slots alike.
func (r *promoter) place(x *ir.Val) bool {
	k := slotKey{x.Aux, r.slot(x)}
	second := slotKey{x.Aux, k.slot + 1}
	wide := x.Type.Slots() == 2
	if c, ok := r.at[k]; ok {
		return c >= 0 && r.cells[c].t.Bits() == x.Type.Bits()
	}
	if _, ok := r.at[second]; wide && ok || len(r.cells) == maxCells {
		return false
	}
	r.at[k] = len(r.cells)
	if wide {
		r.at[second] = -1
	}
	r.of[x.Aux] = append(r.of[x.Aux], len(r.cells))
	r.cells = append(r.cells, cell{x.Type, x.Aux})
	return true
}

// cell returns the cell of an access, or -1 where it is none that is promoted.
func (r *promoter) cell(x *ir.Val) int {
	if !r.use[x.Aux] || r.outside(x) {
		return -1
	}
	return r.at[slotKey{x.Aux, r.slot(x)}]
}

// cellSet is a set of cells.
type cellSet []uint64

func (b cellSet) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b cellSet) add(i int)      { b[i/64] |= 1 << (i % 64) }
func (b cellSet) drop(i int)     { b[i/64] &^= 1 << (i % 64) }

// unite adds all of c, and reports whether that was news.
func (b cellSet) unite(c cellSet) bool {
	news := false
	for i := range b {
		news = news || c[i]&^b[i] != 0
		b[i] |= c[i]
	}
	return news
}
