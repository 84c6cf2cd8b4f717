// Package trampoline enters and leaves machine code on the host. It refuses to know how code is made, and
// shaders.
//
// Machine code runs on stacks of its own, so that a Go frame is never above a frame of machine code and the
// Go runtime never has to unwind one. Run switches to such a stack, and the code leaves by a jump to the
// address in its Context:
//
//	Run ─ entersyscall ─ enter ─ leap ──▶ code at PC, on Stack
//	 ◀─── exitsyscall ──── ◀───────────── jump to exitPC: Finished, Called or Polled
//	 ◀──────────────────── ◀── signal ─── onFault: Faulted
//
// The assembly of an architecture is enter, stackWords and the signal handler. Of the registers, code that exits
// as Called or Polled has only the stack pointer and the one of the Context (amd64: R15) again when it resumes.
//
// # Windows
//
// A vectored exception handler takes the place of signal handlers; machine code has no unwind information, and needs none. Windows
// writes an exception to the stack of the code, so that an overflow of this stack, which no compiled program has
// (target.Code.StackBytes), ends the process.
//
// # Files
//
//  1. context.go: the Context.
//  2. fault_linux.go, fault_amd64.s, fault_arm64.s: signals of machine code; fault_windows.go, fault_windows_amd64.s: exceptions;
//     stacks*.go: its stacks.
//  3. run.go, enter_*.s: entry and exit; other.go: hosts without machine code.
//  4. preempt.go: how the Go runtime retakes a processor from machine code.
package trampoline
