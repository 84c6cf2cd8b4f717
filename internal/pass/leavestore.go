package pass

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// hoistLeavingStores is code hoisting of stores at loop exits (Muchnick 1997, 13.5), to private memory. If the arm that stays stores to the same
// slot as the code after the loop, as in an insertion into a sorted list, one store in front of the test replaces both:
//
//	block L2(v3 i32) {
//		loop L4(v5 i32 = v1) {           loop L4(v5 i32 = v1) {
//			if v6 {                          v9 = add.i32 v5, 1:i32
//				v9 = add.i32 v5, 1:i32       v10 = select.i32 v6, v7, v8
//				pst.i32 v9, v7               pst.i32 v9, v10
//			} else {                         if v6 {
//				br L2(v5)            →       } else {
//			}                                    br L2(v5)
//			…                                }
//		}                                    …
//	}                                    }
//	v11 = add.i32 v3, 1:i32
//	pst.i32 v11, v8
//
// Lanes leave a loop in different iterations. So the slot differs between them after the loop, but is the same for all lanes that are in an
// iteration: the store writes a row in place of one word for each lane. Only its own invocation sees private memory, so the order of effects stays.
func hoistLeavingStores(p *ir.Program, f *ir.Func) {
	if p.PrivateSlots() == 0 {
		return
	}
	h := &storeHoister{f: f, edit: editor{f: f}, end: regionEnds(f), moved: map[int][]ir.V{}, gone: map[int]bool{}}
	for i, v := range f.Code {
		if f.Val(v).Op == ir.Block {
			h.block(i)
		}
	}
	if len(h.moved) == 0 {
		return
	}
	var code []ir.V
	for i, v := range f.Code {
		code = append(code, h.moved[i]...)
		if !h.gone[i] {
			code = append(code, v)
		}
	}
	f.Code = code
}

// storeHoister hoists the stores of one function. Positions are those before any change.
type storeHoister struct {
	f     *ir.Func
	edit  editor
	end   []int          // by position of an opener: the position of its end
	moved map[int][]ir.V // by position: operations to insert there
	gone  map[int]bool   // positions of operations to delete
}

// regionEnds returns, by position of an opener, the position of its end.
func regionEnds(f *ir.Func) []int {
	end := make([]int, len(f.Code))
	var open []int
	for i, v := range f.Code {
		switch f.Val(v).Op {
		case ir.Block, ir.Loop, ir.If:
			open = append(open, i)
		case ir.End:
			end[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	return end
}

// maxLeft is the largest number of operations of a loop. It bounds the walks over nested loops.
const maxLeft = 1 << 9

// block hoists the stores at the exit of the loop that the block at position i consists of, if there are any.
func (h *storeHoister) block(i int) {
	f, last := h.f, h.end[i]
	if f.Val(f.Code[i+1]).Op != ir.Loop || h.end[i+1] != last-1 || last-i > maxLeft {
		return
	}
	after, ok := h.store(last + 1)
	if !ok {
		return
	}
	t, ok := h.test(i)
	if !ok {
		return
	}
	stay, ok := h.store(t.stay)
	if !ok {
		return
	}
	x, y := f.Val(f.Code[stay]), f.Val(f.Code[after])
	exit := exitValues{params: f.Params(f.Code[i]), args: f.BrArgs(f.Code[t.br])}
	value := exit.of(y.Args[1])
	if x.Aux != y.Aux || x.Type != y.Type || x.Flags != y.Flags || slices.Contains(f.Code[last+1:after], value) || !h.same(x.Args[0], y.Args[0], &exit, sameDepth) {
		return
	}
	h.gone[after] = true
	for _, r := range [][2]int{{t.leave, t.br}, {t.stay, stay + 1}} {
		for at := r[0]; at < r[1]; at++ {
			h.gone[at] = true
			h.moved[t.at] = append(h.moved[t.at], f.Code[at])
		}
	}
	first, second := x.Args[1], value
	if !t.stays {
		first, second = second, first
	}
	one := h.edit.float(ir.Val{Op: ir.Select, Type: x.Type, Args: [4]ir.V{f.Val(f.Code[t.at]).Args[0], first, second}, Origin: x.Origin})
	f.Val(f.Code[stay]).Args[1] = one
	list := h.moved[t.at]
	h.moved[t.at] = slices.Insert(list, len(list)-1, one)
}

// store returns the position of the first store to private memory from a position on, if only computations are in front of it.
func (h *storeHoister) store(at int) (int, bool) {
	for ; at < len(h.f.Code); at++ {
		x := h.f.Val(h.f.Code[at])
		if h.gone[at] || x.Op != ir.PSt && !computes(x) {
			return 0, false
		}
		if x.Op == ir.PSt {
			return at, true
		}
	}
	return 0, false
}

// computes reports whether an operation may be executed earlier, by more lanes.
func computes(x *ir.Val) bool {
	return x.Op.HasResult() && x.Flags == 0 && !x.Op.Is(ir.Control) && !x.Op.Is(ir.Reads) && !x.Op.Is(ir.Writes) && !x.Op.Is(ir.Meets) && !x.Op.Is(ir.DivergenceSource)
}

// leavingTest is an if of a loop, by positions. One of its arms computes and leaves the loop.
type leavingTest struct {
	at    int  // of the if
	leave int  // of the first operation of the arm that leaves
	br    int  // of the branch that leaves
	stay  int  // of the first operation for the lanes that stay
	stays bool // the lanes that fulfil the condition stay
}

// test returns the only exit of the loop of the block at position i, if it is in an arm of an if that is directly in the loop.
func (h *storeHoister) test(i int) (t leavingTest, ok bool) {
	f := h.f
	label := f.Code[i]
	exits := 0
	for at := i + 2; at < h.end[i]; at++ {
		v := f.Code[at]
		switch x := f.Val(v); x.Op {
		case ir.Switch:
			if x.Args[1] == label || slices.Contains(f.Cases(v), label) {
				return t, false
			}
		case ir.Br:
			if x.Args[0] == label {
				exits++
				t.br = at
			}
		}
	}
	if exits != 1 {
		return t, false
	}
	for at := i + 2; at < t.br; at++ {
		switch f.Val(f.Code[at]).Op {
		case ir.If:
			if h.end[at] > t.br {
				t.at = at
				return t, h.arms(&t)
			}
			at = h.end[at]
		case ir.Block, ir.Loop:
			if h.end[at] > t.br {
				return t, false
			}
			at = h.end[at]
		}
	}
	return t, false
}

// arms finds the arms of the test.
func (h *storeHoister) arms(t *leavingTest) bool {
	f, end, mid := h.f, h.end[t.at], 0
	for at := t.at + 1; at < end; at++ {
		switch f.Val(f.Code[at]).Op {
		case ir.Block, ir.Loop, ir.If:
			at = h.end[at]
		case ir.Else:
			mid = at
		}
	}
	t.stays = mid > 0 && t.br > mid
	switch {
	case t.stays:
		t.leave, t.stay = mid+1, t.at+1
	default:
		t.leave, t.stay = t.at+1, mid+1
	}
	if stop := f.Val(f.Code[t.stay]); mid == 0 || stop.Op == ir.Else || stop.Op == ir.End && t.stay == end {
		t.stay = end + 1 // no operation for them alone
	}
	for at := t.leave; at < t.br; at++ {
		if h.gone[at] || !computes(f.Val(f.Code[at])) {
			return false
		}
	}
	return true
}

// exitValues are the parameters of the block around a loop and their arguments at the exit.
type exitValues struct{ params, args []ir.V }

// of returns the value that v has at the exit.
func (e *exitValues) of(v ir.V) ir.V {
	if i := slices.Index(e.params, v); i >= 0 {
		return e.args[i]
	}
	return v
}

// sameDepth is the largest depth of equal expressions.
const sameDepth = 4

// same reports whether a at the exit is equal to b after the loop.
func (h *storeHoister) same(a, b ir.V, exit *exitValues, depth int) bool {
	b = exit.of(b)
	if a == b {
		return true
	}
	x, y := h.f.Val(a), h.f.Val(b)
	if depth == 0 || x.Op != y.Op || x.Type != y.Type || x.Aux != y.Aux || x.Flags != y.Flags {
		return false
	}
	if x.Op == ir.Const {
		return true
	}
	if x.Op == ir.Param || !computes(x) {
		return false
	}
	for i := range x.Op.Args() {
		if !h.same(x.Args[i], y.Args[i], exit, depth-1) {
			return false
		}
	}
	return true
}
