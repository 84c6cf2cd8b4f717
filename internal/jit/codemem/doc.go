// Package codemem is the code heap: it allocates executable memory for machine code and enforces W^X, that is
// no page is ever writable and executable at the same address. It refuses to know the code's meaning and its
// machine.
//
// A Heap reserves one contiguous address range, so that a signal handler can recognize a fault in generated
// code by one comparison. The range is mapped twice from one anonymous file (memfd):
//
//	        ┌─────────── memfd ───────────┐
//	write   │ rw-  Add copies code here   │
//	run     │ r-x  the same bytes, Entry  │
//	        └─────────────────────────────┘
//
// If the kernel forbids executable mappings of the file, as under some SELinux policies, the range is mapped
// once and mprotect switches pages between writable and executable. Windows always has one view, and VirtualProtect switches its
// pages. The build tag oneview requests one view for an emulator that translates code once and does not see later stores through
// another view, such as qemu-user 7.2.
//
// # Files
//
//  1. heap.go: the allocator, first fit with coalescing.
//  2. map_*.go: the mappings, by operating system; view_*.go: the build tag oneview; flush_*.go: the instruction cache, by processor.
package codemem
