// Package inst names the operands of each instruction: a view over its words
// for reading; package build has the functions that write them. It knows the
// grammar but no module: literals with a width from their type, and the cases
// of a switch, are words.
//
//	in := m.Inst(i)
//	if in.Op() == spirv.OpAccessChain {
//		v := inst.AccessChain(in)
//		use(v.Base(), v.Indexes())
//	}
//
// The words of a view must be such an instruction and must have been decoded by
// spirv.Decode; for other words a method panics or returns nonsense. Only
// methods that return a string allocate.
package inst
