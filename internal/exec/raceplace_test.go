package exec

import (
	"encoding/binary"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestTexelOffset checks the places of the samples of a texel: each row of texels has a row for each sample.
func TestTexelOffset(t *testing.T) {
	const samples, level, row, slice, bytes = 4, 64, 4 * 96, 10 * 4 * 96, 4
	shape := make([]byte, 4*ir.ShapeWords)
	for at, v := range map[int]uint32{
		ir.ShapeLevelsN: 1, ir.ShapeSamples: samples, ir.ShapeTexel: bytes,
		ir.ShapeLevels: level, ir.ShapeLevels + ir.MaxLevels: row, ir.ShapeLevels + 2*ir.MaxLevels: slice,
	} {
		binary.LittleEndian.PutUint32(shape[4*at:], v)
	}
	e := &ir.Event{Texel: 3, Axes: 2}
	for sample := range uint64(samples) {
		offset, size := texelOffset(shape, e, []uint64{5, 2, 1, 0, sample, 0})
		if want := level + slice + 2*row + sample*row/samples + 5*bytes; offset != want || size != bytes {
			t.Errorf("sample %d is %d bytes at %d; must be %d at %d", sample, size, offset, bytes, want)
		}
	}
	if _, size := texelOffset(shape, e, []uint64{5, 2, 1, 0, samples, 0}); size != 0 {
		t.Errorf("sample %d of %d has %d bytes; must have none", samples, samples, size)
	}
}
