package vcode

// Form is the SIMD register model of a machine level, such as AVX2 or AVX-512.
type Form struct {
	Lanes       int  // 32-bit lanes of a vector register: 4, 8 or 16
	Vectors     int  // vector registers that a loop can use; 0 is unknown
	VectorMasks bool // a mask has 32 bits per lane, all ones or all zeros (AVX2, NEON); else one bit (AVX-512)

	// RowStrips limits strips to a row of the workgroup, if several vectors make one: the lanes of a row have consecutive addresses, and
	// the lanes of several rows have not. With short vectors a row already has enough parts to hide latency.
	RowStrips bool
	Addresses bool // Scalar Region and RegionOff, and a Scalar Ld of 64 bits of the push constants, of which the Gen has all
	Strided16 bool // with VectorMasks: accesses of 16 bits carry the registers of a strided access (vcode.Inst.Stride)

	Fours          bool // gathers of three and four adjacent words have code
	Records        bool // loads of several words of a record have code that loads all at once (Inst.AccessesRecords)
	Distances      bool // gathers with Inst.Distances have code
	NarrowAccesses bool // gathers and scatters of 8 and 16 bits have code
	QuadSides      bool // a Strip QuadSwap may have the flags NearSide and FarSide

	LaunchWords int // words of a worker for the values of a launch (LaunchLoad); 0 if the machine has none

	Arena *Arena // memory of the functions; nil for ordinary Go memory

	Fuse func(*Func) // peephole pass that forms operations of the machine (Own); nil if there is none
}

// Size returns the size in bytes of a spilled register of class c. A Wide needs two vector registers.
func (f Form) Size(c Class) int32 {
	switch {
	case c == Gen, c == Mask && !f.VectorMasks:
		return 8
	case c == Wide:
		return int32(8 * f.Lanes)
	}
	return int32(4 * f.Lanes)
}

// Parts returns the number of registers of one value, for a strip with the given number of lanes.
func (f Form) Parts(lanes uint32) int { return (int(lanes) + f.Lanes - 1) / f.Lanes }
