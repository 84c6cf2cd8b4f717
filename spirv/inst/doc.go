// Package inst names the operands of each instruction: a view over its words
// for reading, and a function that appends it to words. It knows the grammar
// and refuses to know any module: literals whose width the type says, and the
// cases of a switch, come as words.
//
//	in := m.Inst(i)
//	if in.Op() == spirv.OpAccessChain {
//		v := inst.AccessChain(in)
//		use(v.Base(), v.Indexes())
//	}
//
// A view takes for granted that the words are such an instruction and that
// spirv.Decode has seen them; of other words it panics or tells nonsense. No
// method allocates but those that return a string.
package inst
