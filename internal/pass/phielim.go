package pass

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// elimPhis is redundant phi elimination (Aycock and Horspool 2000; Braun et al.
// 2013): it removes a parameter of a label if all branches pass the same value, or
// the parameter itself.
//
//	loop L2(v3 i32 = v1) {     loop L2 {
//		… v3 …                     … v1 …
//		br L2(v3)                  br L2
//
// The value dominates every use of the parameter, because each branch to the label
// has it. And the lane's value cannot change while the parameter is live: to compute
// it again, the lane would have to pass the label again. Removal may make other
// parameters redundant, so the pass uses a worklist. It finds single redundant phis,
// not redundant strongly connected components (Braun et al., 3.2).
func elimPhis(_ *ir.Program, f *ir.Func) {
	work := make([]ir.V, 0, 32)
	for _, v := range f.Code {
		if x := f.Val(v); (x.Op == ir.Block || x.Op == ir.Loop) && v != f.Body() {
			work = append(work, f.Params(v)...)
		}
	}
	if len(work) == 0 {
		return
	}
	r := newArena()
	defer r.release()
	j := newPhiElim(f, r)
	// The budget bounds the time on labels with very many branches.
	some := false
	for budget := 64 * len(f.Code); len(work) > 0 && budget > 0; {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		if j.to[p] != 0 {
			continue
		}
		budget -= 1 + len(j.branches.to(f.Val(p).Args[0]))
		if same := j.uniqueValue(p); same != 0 {
			j.to[p], some = same, true
			for i := j.first[p]; i != 0; i = j.feeds[i].next {
				work = append(work, j.feeds[i].param)
			}
			j.mergeFeeds(p, same)
		}
	}
	if !some {
		return
	}
	for _, v := range f.Code {
		redirect(f, v, j.to)
	}
	dropParams(f, func(p ir.V) bool { return int(p) < len(j.to) && j.to[p] != 0 })
}

// phiElim holds the replacements found so far, and the data flow between parameters.
type phiElim struct {
	f           *ir.Func
	to          []ir.V // by value: its replacement, or 0
	branches    branches
	first, last []int32 // by value: its first and last entry in feeds, or 0
	feeds       []feed
}

// feed is an element of a linked list: a parameter that some branch passes the value
// to, and the index of the list's next element.
type feed struct {
	param ir.V
	next  int32
}

// newPhiElim collects the arguments of all branches and loops.
func newPhiElim(f *ir.Func, r *arena) *phiElim {
	n := len(f.Vals)
	j := &phiElim{f: f, to: r.values.Alloc(n), branches: branchesOf(f, r), first: r.numbers.Alloc(n), last: r.numbers.Alloc(n), feeds: make([]feed, 1, 16)}
	for _, v := range f.Code {
		switch x := f.Val(v); x.Op {
		case ir.Loop:
			j.addFeeds(v, f.Inits(v))
		case ir.Br:
			j.addFeeds(x.Args[0], f.BrArgs(v))
		}
	}
	return j
}

// addFeeds notes which parameters of the label the arguments flow to.
func (j *phiElim) addFeeds(label ir.V, args []ir.V) {
	if label == j.f.Body() {
		return
	}
	for i, p := range j.f.Params(label) {
		a := args[i]
		if j.f.Val(a).Op != ir.Param {
			continue
		}
		at := int32(len(j.feeds))
		j.feeds = append(j.feeds, feed{param: p})
		if j.first[a] == 0 {
			j.first[a] = at
		} else {
			j.feeds[j.last[a]].next = at
		}
		j.last[a] = at
	}
}

// mergeFeeds appends the list of p to its replacement's: the parameters that p
// flowed to now depend on the replacement.
func (j *phiElim) mergeFeeds(p, same ir.V) {
	switch {
	case j.first[p] == 0:
		return
	case j.first[same] == 0:
		j.first[same] = j.first[p]
	default:
		j.feeds[j.last[same]].next = j.first[p]
	}
	j.last[same] = j.last[p]
}

// uniqueValue returns the only value other than p that flows to p, or 0 if there are
// several.
func (j *phiElim) uniqueValue(p ir.V) ir.V {
	x := j.f.Val(p)
	label, i := x.Args[0], x.Aux
	one := ir.V(0)
	if j.f.Val(label).Op == ir.Loop {
		one = follow(j.f.Inits(label)[i], j.to)
	}
	for _, br := range j.branches.to(label) {
		switch a := follow(j.f.BrArgs(br)[i], j.to); {
		case a == p || a == one:
		case one == 0:
			one = a
		case !sameConst(j.f.Val(one), j.f.Val(a)):
			return 0
		}
	}
	return one
}

// sameConst reports whether two values are the same constant.
func sameConst(a, b *ir.Val) bool {
	return a.Op == ir.Const && b.Op == ir.Const && a.Type == b.Type && a.Aux == b.Aux
}

// dropParams removes parameters from their labels, and the corresponding arguments
// from branches.
func dropParams(f *ir.Func, gone func(ir.V) bool) {
	keep := map[ir.V][]bool{} // by label that loses parameters: which remain
	for _, v := range f.Code {
		x := f.Val(v)
		switch x.Op {
		case ir.Block, ir.Loop:
			dropFrom(f, v, gone, keep)
		case ir.Br:
			if stays := keep[x.Args[0]]; stays != nil {
				args := retain(f.BrArgs(v), stays)
				x.Aux = uint64(len(args))
			}
		}
	}
}

// dropFrom removes the parameters of one label.
func dropFrom(f *ir.Func, label ir.V, gone func(ir.V) bool, keep map[ir.V][]bool) {
	x := f.Val(label)
	params := f.Params(label)
	if !slices.ContainsFunc(params, gone) {
		return
	}
	stays := make([]bool, len(params))
	for i, p := range params {
		stays[i] = !gone(p)
	}
	keep[label] = stays
	var inits []ir.V
	if x.Op == ir.Loop {
		inits = retain(f.Inits(label), stays)
	}
	params = retain(params, stays)
	for i, p := range params {
		f.Val(p).Aux = uint64(i)
	}
	copy(f.Extra[int(x.Args[3])+len(params):], inits)
	x.Aux = uint64(len(params))
}

// retain shortens a list, in place, to the elements that stay.
func retain(list []ir.V, stays []bool) []ir.V {
	n := 0
	for i, v := range list {
		if stays[i] {
			list[n] = v
			n++
		}
	}
	return list[:n]
}
