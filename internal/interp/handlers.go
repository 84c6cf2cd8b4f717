package interp

import "github.com/chiaro-gpu/chiaro/internal/ir"

// handlers has the operations without a value function in their row of package ir.
// The engine does not run the operations missing here: exit, and the operations of
// graphics stages, which have no meaning in a compute program.
var handlers = map[ir.Op]handler{
	ir.Block:       (*subgroup).block,
	ir.Loop:        (*subgroup).loop,
	ir.If:          (*subgroup).ifArm,
	ir.Kill:        (*subgroup).kill,
	ir.Demote:      (*subgroup).demote,
	ir.Helper:      (*subgroup).isHelper,
	ir.ResetBudget: (*subgroup).resetBudget,

	ir.Res:       (*subgroup).res,
	ir.Push:      (*subgroup).push,
	ir.Wg:        (*subgroup).wg,
	ir.Table:     (*subgroup).table,
	ir.Len:       (*subgroup).length,
	ir.Ld:        (*subgroup).ld,
	ir.St:        (*subgroup).st,
	ir.Region:    (*subgroup).region,
	ir.RegionOff: (*subgroup).regionOff,
	ir.PLd:       (*subgroup).pld,
	ir.PSt:       (*subgroup).pst,
	ir.PClr:      (*subgroup).pclr,
	ir.PAddr:     (*subgroup).paddr,
	ir.PLdI:      (*subgroup).pldi,
	ir.PStI:      (*subgroup).psti,

	ir.AtomXchg:    (*subgroup).atomic,
	ir.AtomCmpXchg: (*subgroup).atomic,
	ir.AtomAdd:     (*subgroup).atomic,
	ir.AtomSMin:    (*subgroup).atomic,
	ir.AtomSMax:    (*subgroup).atomic,
	ir.AtomUMin:    (*subgroup).atomic,
	ir.AtomUMax:    (*subgroup).atomic,
	ir.AtomAnd:     (*subgroup).atomic,
	ir.AtomOr:      (*subgroup).atomic,
	ir.AtomXor:     (*subgroup).atomic,
	ir.AtomFAdd:    (*subgroup).atomic,
	ir.AtomFMin:    (*subgroup).atomic,
	ir.AtomFMax:    (*subgroup).atomic,

	ir.In:       (*subgroup).input,
	ir.Elect:    (*subgroup).elect,
	ir.Any:      (*subgroup).any,
	ir.All:      (*subgroup).all,
	ir.AllEq:    (*subgroup).allEq,
	ir.Ballot:   (*subgroup).ballot,
	ir.Shuf:     (*subgroup).shuf,
	ir.QuadSwap: (*subgroup).quadSwap,
	ir.Reduce:   (*subgroup).reduce,
	ir.ScanI:    (*subgroup).scanInclusive,
	ir.ScanX:    (*subgroup).scanExclusive,
	ir.Barrier:  (*subgroup).barrier,
	ir.Fence:    (*subgroup).fence,
	ir.Log:      (*subgroup).log,
	ir.LogArg:   (*subgroup).logArg,
}

// eval runs an operation that has a value function, lane by lane. Many operands are
// uniform or equal in neighbouring lanes. A lane with the operands of the lane before it
// has its value: the function depends on its arguments alone.
func (s *subgroup) eval(in *inst) {
	dst, x, y, z := s.reg(in.dst), s.reg(in.x), s.reg(in.y), s.reg(in.z)
	f, key := in.eval, in.key
	first := s.A.First()
	if first >= uint32(len(dst)) {
		return
	}
	a, b, c := x[first], y[first], z[first]
	value := f(key, a, b, c)
	if s.A == s.w.all {
		for lane := range dst {
			if x[lane] != a || y[lane] != b || z[lane] != c {
				a, b, c = x[lane], y[lane], z[lane]
				value = f(key, a, b, c)
			}
			dst[lane] = value
		}
		return
	}
	for lane := range s.A.All {
		if x[lane] != a || y[lane] != b || z[lane] != c {
			a, b, c = x[lane], y[lane], z[lane]
			value = f(key, a, b, c)
		}
		dst[lane] = value
	}
}
