// Package vcode is the low-level IR of the JIT: basic blocks of SIMD instructions over virtual registers,
// after vectorization and before register allocation and instruction selection (LLVM's machine IR, wazero's
// SSA after lowering). It refuses to know encodings, physical registers and structured control flow; of the
// machine it knows only the number of lanes of a vector and the representation of masks (Form).
//
//	package ir          one invocation, SSA, structured control flow
//	   │ vectorize      masks replace control flow; uniform and strided values become scalars
//	   ▼
//	vcode.Func          one strip, virtual registers, blocks and jumps
//	   │ regalloc       physical registers and stack slots
//	   │ amd64          instruction selection and encoding
//	   ▼
//	machine code
//
// # Strips and parts
//
// A strip of B lanes is cut into parts of Form.Lanes lanes each: a part is one vector register's worth of
// lanes. With 16 lanes to a register, a value of a strip of 32 lanes occupies two virtual registers.
//
// A virtual register has a Class: a Mask holds one truth value per lane, a Vec 32 bits per lane (also for
// narrower types, zero-extended), a Wide 64 bits per lane; a Gen holds one number for the whole strip, in a
// general-purpose register of the machine.
//
// Code is not in SSA form: a register may be written several times. An instruction with a mask (predication)
// writes the mask's lanes. The other lanes become undefined, unless the instruction is Merging; then they
// preserve the old value. These are the zeroing and merging masks of AVX-512 and Arm SVE, except that
// undefined replaces zero.
//
// # Example
//
//	func "f" parts 1
//	b0:
//		k1 = arg #0                              the execution mask
//		v2 = copy 0x9                            9 in every lane
//		v2 = lane add.i32 v2, v2 {k1} merging    doubled in the lanes of k1
//		jumpifnone b1 {k1}                       skip if no lane is active
//		call f2 k1
//	b1:
//		return
//
// # Files
//
//  1. form.go: the machine's vectors and masks.
//  2. func.go: operations, instructions, functions.
//  3. record.go: accesses to records.
//  4. print.go: the text form, which tests compare.
//  5. arena.go: memory of functions.
package vcode
