package interp

import "github.com/chiaro-gpu/chiaro/internal/ir"

// handlers has the operations without a value function in their row of package ir.
// The engine does not run the operations missing here, those of graphics stages: they
// have no meaning in a compute program.
var handlers = map[ir.Op]handler{
	ir.Block:       (*subgroup).block,
	ir.Loop:        (*subgroup).loop,
	ir.If:          (*subgroup).ifArm,
	ir.Kill:        (*subgroup).kill,
	ir.Demote:      (*subgroup).demote,
	ir.Helper:      (*subgroup).isHelper,
	ir.ResetBudget: (*subgroup).resetBudget,
	ir.Count:       (*subgroup).count,
	ir.CountEdge:   (*subgroup).countEdge,

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

	ir.Ray:  (*subgroup).ray,
	ir.RayI: (*subgroup).rayi,

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
	ir.LogEvent: (*subgroup).logEvent,
}
