package draw

func init() { minBatchTotal = 512 } // tests draw few triangles

// SetLeast says from how many triangles of a pipeline on, and of a draw, a program sets
// them up, until what it returns is called.
func SetLeast(pipeline uint64, draw int) (back func()) {
	before, each := minBatchTotal, minBatchDraw
	minBatchTotal, minBatchDraw = pipeline, draw
	return func() { minBatchTotal, minBatchDraw = before, each }
}

// Blind has nothing be hidden, or again what is.
func Blind(b bool) { disableHiZ = b }
