// Package stackroom reserves space on the stack of a goroutine that C has called.
//
// A signal handler of the application without SA_ONSTACK runs on the stack of the thread that receives the signal. In a thread
// that is in Go, this is the stack of a goroutine, which is small at first and has no guard page: the handler would write over
// the heap. A goroutine with enough space left, for the frames of the call and for the handler, is safe. A program needs
// GODEBUG=gcshrinkstackoff=1 as well: else a collection during the call takes the space back.
package stackroom

// Size is the space that a stack has after Make, in bytes: at least half of it is free.
const Size = 1 << 20
