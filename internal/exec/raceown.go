package exec

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Many shaders access memory at a place that depends on their invocation alone: element i of a buffer by invocation i. If no two invocations of the job have
// a byte of a buffer in common, it has no race, and its accesses need no events. The offsets are affine functions of the IDs of the invocation, whose
// factors are known when the job runs (Banerjee 1988, "Dependence Analysis for Supercomputing", for loops).
//
// Example: the invocations of a dispatch of 2×4 workgroups of 8×1 store word i = y · 16 + x of a buffer. With the IDs of workgroup W and
// of invocation L the offset is 64 · Wy + 32 · Wx + 4 · Lx:
//
//	factor   values   extent of the bytes so far
//	         (a word)     4
//	4        Lx: 8       32
//	32       Wx: 2       64
//	64       Wy: 4      256
//
// No factor is less than the extent before it, so that no two invocations have a byte in common. With a row of 15 words it is 60 · Wy, and
// they have.

// The coordinates of an invocation: WorkgroupId and LocalInvocationId.
const (
	ofGroupID = 0
	ofLocalID = 3
	axesOfIDs = 6
)

// affine is a number: base + the sum of the factors, each times its coordinate. No coordinate makes it overflow 32 bits.
type affine struct {
	base    uint64
	factors [axesOfIDs]uint64
}

// ownership finds the memory that invocations do not share.
type ownership struct {
	of     *ir.Program
	job    *Job
	ranges [axesOfIDs]uint64 // the number of values of each coordinate
	known  map[ir.V]*affine  // nil for a number that is not affine
}

// most returns the greatest value; ok is false beyond 31 bits.
func (o *ownership) most(a *affine) (n uint64, ok bool) {
	n = a.base
	for i, f := range a.factors {
		if f >= 1<<31 || n >= 1<<31 {
			return 0, false
		}
		n += f * (o.ranges[i] - 1) // at most 2³¹ · 2³²
	}
	return n, n < 1<<31
}

// value returns a number of the entry point; nil if it is not affine.
func (o *ownership) value(v ir.V) *affine {
	if a, ok := o.known[v]; ok {
		return a
	}
	a := o.compute(o.of.Funcs[0].Val(v))
	if a != nil {
		if _, ok := o.most(a); !ok {
			a = nil
		}
	}
	o.known[v] = a
	return a
}

// compute returns the number that an operation computes.
func (o *ownership) compute(v *ir.Val) *affine {
	switch v.Op {
	case ir.Const:
		return &affine{base: v.Aux}
	case ir.In:
		return o.input(v)
	case ir.Ld: // a push constant
		from, at := o.of.Funcs[0].Val(v.Args[0]), o.value(v.Args[1])
		if from.Op != ir.Push || v.Type != ir.I32 || at == nil || at.factors != [axesOfIDs]uint64{} || at.base+v.Aux+4 > uint64(len(o.job.Push)) {
			return nil
		}
		b := o.job.Push[at.base+v.Aux:]
		return &affine{base: uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24}
	case ir.Add:
		return sum(o.value(v.Args[0]), o.value(v.Args[1]))
	case ir.Mul:
		return product(o.value(v.Args[0]), o.value(v.Args[1]))
	case ir.At:
		return sum(o.value(v.Args[0]), product(o.value(v.Args[1]), &affine{base: v.Aux}))
	case ir.Shl:
		if n := o.value(v.Args[1]); n != nil && n.factors == [axesOfIDs]uint64{} && n.base < 31 {
			return product(o.value(v.Args[0]), &affine{base: 1 << n.base})
		}
	}
	return nil
}

// input returns an input as a number.
func (o *ownership) input(v *ir.Val) *affine {
	in, size := o.of.In[v.Aux].Semantic, o.of.LocalSize
	a := &affine{}
	switch {
	case v.Type != ir.I32:
		return nil
	case in >= ir.GlobalInvocationIdX && in <= ir.GlobalInvocationIdZ:
		axis := in - ir.GlobalInvocationIdX
		a.base = uint64(o.job.Base[axis]) * uint64(size[axis])
		a.factors[ofGroupID+axis], a.factors[ofLocalID+axis] = uint64(size[axis]), 1
	case in >= ir.LocalInvocationIdX && in <= ir.LocalInvocationIdZ:
		a.factors[ofLocalID+in-ir.LocalInvocationIdX] = 1
	case in >= ir.WorkgroupIdX && in <= ir.WorkgroupIdZ:
		a.base, a.factors[ofGroupID+in-ir.WorkgroupIdX] = uint64(o.job.Base[in-ir.WorkgroupIdX]), 1
	case in >= ir.NumWorkgroupsX && in <= ir.NumWorkgroupsZ:
		a.base = uint64(o.job.Groups[in-ir.NumWorkgroupsX])
	case in == ir.LocalInvocationIndex:
		a.factors[ofLocalID], a.factors[ofLocalID+1], a.factors[ofLocalID+2] = 1, uint64(size[0]), uint64(size[0])*uint64(size[1])
	default:
		return nil
	}
	return a
}

func sum(a, b *affine) *affine {
	if a == nil || b == nil {
		return nil
	}
	out := affine{base: a.base + b.base}
	for i := range out.factors {
		out.factors[i] = a.factors[i] + b.factors[i]
	}
	return &out
}

// product returns a product with a constant; nil for another one. Both are below 2³¹.
func product(a, b *affine) *affine {
	if a != nil && b != nil && a.factors == [axesOfIDs]uint64{} {
		a, b = b, a
	}
	if a == nil || b == nil || b.factors != [axesOfIDs]uint64{} {
		return nil
	}
	out := affine{base: a.base * b.base}
	for i := range out.factors {
		out.factors[i] = a.factors[i] * b.base
	}
	return &out
}

// part is the bytes of a buffer that an invocation accesses: from the offset on.
type part struct {
	affine
	size uint64
}

// disjoint reports whether the parts of any two invocations have no byte in common: in the order of the factors each is at least the extent of all
// before it, as the digits of a number in mixed radix.
func (o *ownership) disjoint(p *part) bool {
	// A coordinate with one value has no part in the sum.
	var axes []int
	for i, n := range o.ranges {
		if n > 1 {
			axes = append(axes, i)
		}
	}
	slices.SortFunc(axes, func(a, b int) int { return int(p.factors[a]) - int(p.factors[b]) })
	extent := p.size
	for _, i := range axes {
		if p.factors[i] < extent {
			return false
		}
		extent += p.factors[i] * (o.ranges[i] - 1)
	}
	return true
}

// ownMemory returns the names of the buffers of which no two invocations of the job access the same byte, and no other name shows a byte.
func (x *traced) ownMemory(p *ir.Program) map[string]bool {
	if x.job == nil || p.Stage != ir.Compute || x.lost {
		return nil
	}
	o := &ownership{of: p, job: x.job, known: map[ir.V]*affine{}}
	for i := range 3 {
		o.ranges[ofGroupID+i], o.ranges[ofLocalID+i] = max(uint64(x.job.Groups[i]), 1), max(uint64(p.LocalSize[i]), 1)
	}
	resources := map[string]int{}
	shared := map[string]bool{} // not own
	for i := range p.Messages {
		e, s := &p.Messages[i].Event, &x.sites[i]
		switch {
		case e.Kind != ir.AccessEvent || ofGroup(e):
			continue
		case s.resource < 0: // it may be in any memory
			return nil
		}
		resources[e.Memory] = s.resource
		shared[e.Memory] = shared[e.Memory] || s.args != 2 || e.Texel != 0 || len(x.job.Resources) <= s.resource || len(x.job.Resources[s.resource]) != 1
	}
	own := map[string]bool{}
	// Two descriptors may show the same bytes: then the accesses by one name are compared with those by the other.
	for memory, part := range o.parts(shared) {
		if own[memory] = !shared[memory] && o.disjoint(part); !own[memory] {
			continue
		}
		for other, n := range resources {
			spans := x.spans(nil, resources[memory])
			overlaps := func(s Span) bool { return len(spans) > 0 && s.Start < spans[0].End && spans[0].Start < s.End }
			if other != memory && slices.ContainsFunc(x.spans(nil, n), overlaps) {
				own[memory] = false
			}
		}
	}
	return own
}

// parts returns the bytes that an invocation accesses of each buffer. Those that it does not find are shared.
func (o *ownership) parts(shared map[string]bool) map[string]*part {
	parts := map[string]*part{}
	for n, f := range o.of.Funcs {
		for _, v := range f.Code {
			at := f.Val(v)
			if at.Op != ir.Log && at.Op != ir.LogEvent {
				continue
			}
			e := &o.of.Messages[at.Aux].Event
			if e.Kind != ir.AccessEvent || shared[e.Memory] {
				continue
			}
			// An access in a function that is not inlined has an offset that depends on its call.
			var a *affine
			if n == 0 && at.Op == ir.LogEvent {
				a = o.value(at.Args[0])
				if element := o.value(at.Args[1]); element == nil || *element != (affine{}) {
					a = nil
				}
			}
			p := parts[e.Memory]
			switch {
			case a == nil, p != nil && p.factors != a.factors:
				shared[e.Memory] = true
			case p == nil:
				parts[e.Memory] = &part{*a, uint64(e.Size)}
			default:
				from, to := min(p.base, a.base), max(p.base+p.size, a.base+uint64(e.Size))
				p.base, p.size = from, to-from
			}
		}
	}
	return parts
}
