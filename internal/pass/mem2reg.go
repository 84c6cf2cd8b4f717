package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// mem2reg is SSA construction (mem2reg and SROA): each slot of a private variable
// that is only accessed at constant slots becomes a value.
//
//	pst.i32 0:i32, 5:i32, #0       block L2(v3 i32) {
//	if v1 {                            if v1 {
//		pst.i32 0:i32, v2, #0              br L2(v2)
//	}                                  }
//	v3 = pld.i32 0:i32, #0             br L2(5:i32)
//	… v3 …                         }
//	                               … v3 …
//
// The parameters are those of pruned SSA: a label gets one only if the slot is
// written in its region and live after it (Cytron et al. 1991 with liveness). Since
// control is structured, no dominance frontier is needed: values merge exactly at
// the ends of regions and the starts of loops (Brandis and Mössenböck 1994). One
// forward walk then renames.
//
// A variable must belong to one function, which must not read a value that an
// earlier call of it left there. Slots and parameters follow the same rule: a write
// changes them for the active lanes only.
func mem2reg(p *ir.Program) {
	u := usePrivate(p)
	if u.indirect { // an indirect access may reach any slot of any variable
		return
	}
	for fn := range p.Funcs {
		r := &promoter{p: p, f: p.Funcs[fn], fn: fn, edit: editor{f: p.Funcs[fn]}}
		if !r.selectVars(u) {
			continue
		}
		r.measure()
		r.live()
		if r.arguments() <= maxArguments {
			r.rename()
		}
	}
}

// Limits on the work. A variable beyond them stays in memory.
const (
	maxCells     = 1 << 13 // of one function
	maxSets      = 1 << 21 // words of all cell sets of one function
	maxClears    = 1 << 16 // cells that pclr operations clear, counted for each operation
	maxArguments = 1 << 20 // parameters and arguments that the pass adds to one function
)

// cell is a scalar of a variable: a slot, or two for 64 bits. It becomes a value.
type cell struct {
	t ir.Type
	v uint64 // its variable
}

// slotKey is a slot of variable v.
type slotKey struct{ v, slot uint64 }

// promoter is the state for one function.
type promoter struct {
	p    *ir.Program
	f    *ir.Func
	fn   int
	edit editor

	use   []bool          // by variable: it is promoted
	at    map[slotKey]int // the cell that starts at a slot; −1 for the second slot of a cell
	cells []cell
	of    [][]int // by variable: its cells

	regions []regionInfo // in code order of their openers
	number  []int32      // by opener: the index of its region

	out   []cellSet // by region: cells that are live after it, or for a loop at its start
	defs  []cellSet // by region: cells written in it
	words int       // the length of a cellSet
}

// selectVars selects the variables to promote and divides them into cells. It
// reports whether there are any.
func (r *promoter) selectVars(u *private) bool {
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
			r.use[x.Aux] = r.addCell(x)
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

// outside reports whether an access is out of range. It then reads 0 or writes
// nothing.
func (r *promoter) outside(x *ir.Val) bool {
	return r.slot(x)+uint64(x.Type.Slots()) > uint64(r.p.Vars[x.Aux].Slots)
}

// addCell finds or adds the cell of an access. It reports false if the access
// overlaps a cell of another width: then the variable is not promoted.
func (r *promoter) addCell(x *ir.Val) bool {
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

// cell returns the cell of an access, or −1 if it is not promoted.
func (r *promoter) cell(x *ir.Val) int {
	if !r.use[x.Aux] || r.outside(x) {
		return -1
	}
	return r.at[slotKey{x.Aux, r.slot(x)}]
}

// cellSet is a bit set of cells.
type cellSet []uint64

func (b cellSet) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b cellSet) add(i int)      { b[i/64] |= 1 << (i % 64) }
func (b cellSet) drop(i int)     { b[i/64] &^= 1 << (i % 64) }

// unite adds all of c and reports whether the set has grown.
func (b cellSet) unite(c cellSet) bool {
	news := false
	for i := range b {
		news = news || c[i]&^b[i] != 0
		b[i] |= c[i]
	}
	return news
}
