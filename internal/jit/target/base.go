package target

import (
	"encoding/binary"
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Tallies at a base
//
// A kernel gets the device address of a histogram as a push constant, and adds to it by atomics as its last effect:
//
//	v7 = ld.i64 push, 0:i32, #8              v7 = ld.i64 push, 0:i32, #8
//	v8 = region v7, #1                       v8 = region v7, #1
//	v9 = regionoff v8, v7                    v9 = regionoff v8, v7
//	…                                        …
//	v12 = atomadd.i32 v8, v11, v10, #0       v13 = res 0:i32, #0
//	                                         v12 = atomadd.i32 v13, v11, v10, #0
//
// On the right the atomics name a resource, the region of the address that a job has in its push constants. The job binds the same
// bytes to it, or each worker its private memory (Tally).
//
// An address may be one of any memory, so that loads may reach the same bytes. They are right all the same if the atomics are the last
// effects of each invocation: then no invocation can order a load after another one's atomics, as it would need a later effect of that
// one. Further atomics of the same kind commute with them. A loop that reads memory that others write, by a volatile or coherent load or by an
// atomic, is an exception: it may wait for the atomics, which then must not wait for the end of a worker.

// BaseSet is the set of the resource of a base; no descriptor set has this number.
const BaseSet = math.MaxUint32

// Base is the resource of the region of an address in the push constants.
type Base struct {
	Offset uint64 // of the address in the push constants, in bytes
	Bytes  uint64 // that the region must have from the address on
}

// Address returns the address in the push constants of a job, 0 beyond their end.
func (b *Base) Address(push []byte) uint64 {
	if b.Offset+8 > uint64(len(push)) {
		return 0
	}
	return binary.LittleEndian.Uint64(push[b.Offset:])
}

// WithBase returns p with a resource, the last one, for the tallies at a base, and the base; p and nil if it has none. Programs with
// other resources are left alone.
func WithBase(p *ir.Program) (*ir.Program, *Base) {
	if len(p.Res) > 0 || len(p.Funcs) != 1 || p.Stage != ir.Compute {
		return p, nil
	}
	s := baseSearch{f: p.Funcs[0]}
	if !s.scan() || len(s.atomics) == 0 {
		return p, nil
	}
	q := p.Clone()
	q.Res = []ir.Resource{{Set: BaseSet, Kind: ir.StorageBuffer, Count: 1}}
	b, code := ir.Edit(q.Funcs[0])
	first := true
	var resource ir.V
	for _, v := range code {
		// The resource has a value of its own where the region has one, which dominates all atomics.
		b.Keep(v)
		if v == s.region && first {
			b.Origin = q.Funcs[0].Val(v).Origin
			resource, first = b.OpAux(ir.Res, ir.H, 0, b.I32(0)), false
		}
	}
	for _, v := range s.atomics {
		q.Funcs[0].Val(v).Args[0] = resource
	}
	region := s.f.Val(s.region)
	return q, &Base{Offset: s.f.Val(region.Args[0]).Aux, Bytes: region.Aux}
}

// baseSearch looks for the tallies at a base.
type baseSearch struct {
	f       *ir.Func
	region  ir.V // of the base
	kind    Tally
	atomics []ir.V
	open    []bool // by open construct: it is a loop
	loops   int    // how many of them are loops
}

// scan visits all operations in their order, which is a topological one of the code outside of loops. It returns false if an effect may
// follow an atomic of the list, or a loop may wait for one.
func (s *baseSearch) scan() bool {
	for _, v := range s.f.Code {
		x := s.f.Val(v)
		switch x.Op {
		case ir.Block, ir.If, ir.Loop:
			s.open = append(s.open, x.Op == ir.Loop)
			if x.Op == ir.Loop {
				s.loops++
			}
		case ir.End:
			if s.open[len(s.open)-1] {
				s.loops--
			}
			s.open = s.open[:len(s.open)-1]
		}
		if s.loops > 0 && s.mayWait(x) {
			return false
		}
		kind, is := tallyOf(x)
		is = is && x.Flags&(ir.Volatile|ir.Coherent) == 0
		switch {
		case is && s.loops == 0 && s.isBase(x.Args[0]) && (s.region == 0 || s.region == x.Args[0] && s.kind == kind):
			s.region, s.kind = x.Args[0], kind
			s.atomics = append(s.atomics, v)
		case len(s.atomics) > 0 && !(is && kind == s.kind) && s.mayFollow(x):
			return false
		}
	}
	return true
}

// mayWait reports whether an operation of a loop reads memory that other invocations change meanwhile. The loop may wait for a tally of
// another invocation. It would wait for the end of that worker, which may run the workgroup that waits.
func (s *baseSearch) mayWait(x *ir.Val) bool {
	switch {
	case x.Op != ir.Ld && x.Op.Family() != ir.Atomics, s.f.Val(x.Args[0]).Op == ir.Wg:
		return false
	case x.Op == ir.Ld:
		return x.Flags&(ir.Volatile|ir.Coherent) != 0
	}
	return x.Flags&ir.Unused == 0
}

// isBase reports whether a handle is the region of an address in the push constants.
func (s *baseSearch) isBase(h ir.V) bool {
	x := s.f.Val(h)
	if x.Op != ir.Region {
		return false
	}
	from := s.f.Val(x.Args[0])
	return from.Op == ir.Ld && s.f.Val(from.Args[0]).Op == ir.Push && s.f.Val(from.Args[1]).Op == ir.Const && s.f.Val(from.Args[1]).Aux == 0
}

// mayFollow reports whether an operation after a tally could let an invocation observe it: an effect, or a load from memory that other
// invocations write.
func (s *baseSearch) mayFollow(x *ir.Val) bool {
	if x.Op == ir.Ld {
		switch s.f.Val(x.Args[0]).Op {
		case ir.Push, ir.Table, ir.Wg:
			return x.Flags&(ir.Volatile|ir.Coherent) != 0
		}
		return true
	}
	return x.Op.Is(ir.Writes) || x.Op == ir.Call
}
