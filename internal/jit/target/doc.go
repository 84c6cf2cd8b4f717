// Package target is the protocol between the engine, its back ends and their machine code: the interface
// of a code generator, compiled code, and the layout of the memory that Go and machine code share. It
// refuses to know instruction sets: a back end, such as package amd64, implements Target.
//
//	vcode.Func ─▶ Builder ─▶ Code: Bytes, and for each exit to a service of Go a Site
//
// # Machine code
//
// One register of the code always holds the address of the Context (package trampoline). The code finds
// there its arguments and leaves through it, so that it contains no address and can be cached.
//
//	Context ── Args ─┬─▶ handle table      HandleBytes per descriptor (HandleLayout)
//	                 ├─▶ resource table    ResourceBytes per resource
//	                 ├─▶ region table      device addresses
//	                 ├─▶ workgroup memory
//	                 └─▶ subgroup table    SubgroupBytes per subgroup ─▶ its stack, its Record
//
// # Files
//
//  1. target.go: the interface of a back end. level.go: instruction set levels.
//  2. context.go, layout.go, region.go: the memory that Go and machine code share.
//  3. code.go, site.go, listing.go: compiled code.
//  4. access.go, tally.go, base.go: facts of a program that permit faster stores and atomics.
package target
