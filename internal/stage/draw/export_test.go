package draw

func init() { minBatchTotal = 512 } // tests draw few triangles

// SetLeast says from how many triangles of a pipeline on, and of a draw, a program sets
// them up, until what it returns is called.
func SetLeast(pipeline uint64, draw int) (back func()) {
	before, each := minBatchTotal, minBatchDraw
	minBatchTotal, minBatchDraw = pipeline, draw
	return func() { minBatchTotal, minBatchDraw = before, each }
}

// Packs has all draws be packed that can be, or none.
func Packs(all bool) (back func()) {
	before := packing
	if packing = packNone; all {
		packing = packAll
	}
	return func() { packing = before }
}

// Stacks has all draws have stacks that can, or none.
func Stacks(all bool) (back func()) {
	before := stacking
	if stacking = stackNone; all {
		stacking = stackAll
	}
	return func() { stacking = before }
}

// Stack returns the stacks of the items of a tile.
func Stack(items []uint64) []uint64 { return new(stackCount).stack(nil, items) }

// HasLayers reports whether a pipeline has found that its primitives are layers, and whether it can stack them.
func HasLayers(p *Pipeline) (found, can bool) { return p.layers.Load() == manyLayers, p.stackable }

// PackPixels has all draws be packed that can be, by pixels where no lane reads another one of its quad.
func PackPixels() (back func()) {
	before := packing
	packing = packPixels
	return func() { packing = before }
}

// SmallBins has passes shade what they have binned after some triangles.
func SmallBins() (back func()) {
	binned, list, taskList := maxBinnedBytes, maxListBytes, maxTaskListBytes
	maxBinnedBytes, maxListBytes, maxTaskListBytes = 1<<14, 1<<11, 1<<11
	return func() { maxBinnedBytes, maxListBytes, maxTaskListBytes = binned, list, taskList }
}

// Kept returns the bytes of the unused bin lists of a pass.
func Kept(p *Pass) int { return p.kept }

// DisableHiZ disables or enables hierarchical Z.
func DisableHiZ(b bool) { disableHiZ = b }

// Pack packs the items of a tile into packs of n quads, or of n pixels.
func Pack(items []uint64, n int, pixels bool) []uint64 {
	var p packer
	p.start(n, pixels)
	return p.pack(nil, items)
}

// HasTiny reports whether a pipeline has found that its triangles cover few pixels each.
func HasTiny(p *Pipeline) bool { return p.triangleSize.Load() == tinyTriangles }
