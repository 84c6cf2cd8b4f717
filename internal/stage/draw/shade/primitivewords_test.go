package shade

import (
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// TestPrimitiveWords: fragment programs read the fields of a primitive where they are.
func TestPrimitiveWords(t *testing.T) {
	var p raster.Primitive
	if n := unsafe.Sizeof(p); n != 4*raster.PrimitiveWords {
		t.Errorf("a primitive has %d bytes, want %d", n, 4*raster.PrimitiveWords)
	}
	var rest raster.PrimitiveRest
	if n := unsafe.Sizeof(rest); n != 4*raster.PrimitiveRestWords {
		t.Errorf("the rest of a primitive has %d bytes, want %d", n, 4*raster.PrimitiveRestWords)
	}
	for _, field := range []struct {
		name string
		at   uintptr
		word uintptr
	}{
		{"ID", unsafe.Offsetof(p.ID), primitiveID},
		{"Flags", unsafe.Offsetof(p.Flags), primitiveFlags},
		{"X", unsafe.Offsetof(p.X), primitiveX},
		{"Y", unsafe.Offsetof(p.Y), primitiveY},
		{"Z", unsafe.Offsetof(p.Z), primitiveZ},
		{"W", unsafe.Offsetof(p.W), primitiveW},
		{"Q1", unsafe.Offsetof(p.Q1), primitiveQ1},
		{"Q2", unsafe.Offsetof(p.Q2), primitiveQ2},
		{"Layer", unsafe.Sizeof(p) + unsafe.Offsetof(rest.Layer), primitiveLayer},
		{"L1", unsafe.Sizeof(p) + unsafe.Offsetof(rest.L1), primitiveL1},
		{"L2", unsafe.Sizeof(p) + unsafe.Offsetof(rest.L2), primitiveL2},
		{"MinZ", unsafe.Sizeof(p) + unsafe.Offsetof(rest.MinZ), primitiveMinZ},
		{"MaxZ", unsafe.Sizeof(p) + unsafe.Offsetof(rest.MaxZ), primitiveMaxZ},
	} {
		if field.at != 4*field.word {
			t.Errorf("%s is at byte %d, want %d", field.name, field.at, 4*field.word)
		}
	}
}
