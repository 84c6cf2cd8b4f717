package exec

// Space is a range of memory that shows pages of other allocations, and zeros in the pages that show none. An access to any of
// its bytes succeeds. Stores to a page that shows no allocation change it until the next Unmap.
type Space struct{ Memory }
