package exec

// Space is a range of memory that shows pages of other allocations. An access to any of its bytes succeeds. All pages that show
// no allocation share the pages of a scratch allocation, so that stores to them need no further memory. Without a scratch
// allocation they are zero, and stores change them until the next Unmap.
type Space struct {
	Memory
	scratch *Memory // nil for none; not empty
}
