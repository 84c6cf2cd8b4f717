// Package amd64 generates x86-64 machine code from vcode, with AVX-512 or AVX2. It refuses to know memory
// management of code, how Go enters it, and shaders.
//
// # From vcode to bytes
//
//	vcode.Func ─ fuse ─▶ regalloc ─▶ selection ─▶ Asm ─▶ target.Code
//	                     frame.go    machine.go
//	              fuse*.go           select*.go (zmm), ymm*.go    encode_*.go, insn*.go
//
// Instruction selection is a table lookup: a rule (operation, type, type of the first operand) maps to
// an emitter, a function that appends the instructions (select.go, ymm_select.go). An operation
// without a rule exits to Go, which evaluates it lane by lane (target.Site). Wazero selects by trees of SSA
// instructions, LLVM by generated pattern matchers; the rules suffice, because the IR has few types
// and fuse has found the larger patterns before.
//
// AVX-512 is the reference, in methods of machine: 16 lanes, masks in mask registers. AVX2, in methods
// of ymm, has 8 lanes and masks in vectors, all ones or zeros per lane. zmm and ymm implement the
// interface selection; the rest is common.
//
// # Fast and slow paths
//
// Most memory accesses need a bounds check (robust buffer access). The fast path checks once for all
// lanes and accesses memory with one vector instruction. The slow path, out of line after the
// function, checks and accesses lane by lane:
//
//	        lea rcx, [offset + 64]
//	        cmp rcx, [handle + length]
//	        ja slow
//	        vmovdqu32 zmm9, [base + offset]
//	resume: …
//	        ⋮
//	slow:   gather under a mask of the lanes in range
//	        jmp resume
//
// # Files
//
//  1. reg.go, insn*.go, encode_*.go, asm.go: the assembler; decode*.go, listing.go: its inverse.
//  2. exit.go: exits to Go.
//  3. dispatch.go, poll.go: the loop over workgroups, safepoints.
//  4. level.go, feature.go: instruction sets; literal.go: constants.
//     machine.go, frame.go, shared.go, operand*.go, control.go: functions, frames, operands, control flow; pinconstant.go: constants in
//     registers.
//  5. fuse*.go: the peephole pass.
//  6. privatize.go, select*.go, zmm.go: code for AVX-512 and for general registers; ymm*.go: code for AVX2.
//     Accesses: select_bounds.go, select_word.go, select_gather.go, select_common.go, select_strided.go, select_widestride.go,
//     select_storerun.go, select_recordrun.go, callees first;
//     ymm_access.go, ymm_narrow.go, ymm_rowpair.go, ymm_gather.go, ymm_fours.go, ymm_strided.go, ymm_recordrun.go.
//
// Instruction timings that influenced the choice of sequences are from uops.info, Agner Fog's
// instruction tables, and Intel's optimization manual (248966).
package amd64
