package texture

import (
	"encoding/binary"
	"math"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// tables are a program's constant data, to which its texture functions add theirs once.
type tables struct {
	list            [][]byte
	toLinear, steps int // index + 1; 0 before they are added
	groups          map[*[16][4]uint32]int
	texels          map[uint32]texel // by VkFormat, so that names are parsed once
}

// texelOf returns the layout of the texels of a view.
func (t *tables) texelOf(v viewKey) texel {
	x, ok := t.texels[v.format]
	if !ok {
		if t.texels == nil {
			t.texels = map[uint32]texel{}
		}
		x = texelAs(v.texel())
		t.texels[v.format] = x
	}
	return x
}

// add appends a table of words, made of the elements of a list, and returns its index + 1.
func add[T any](t *tables, list []T, word func(T) uint32) int {
	data := make([]byte, 0, 4*len(list))
	for _, x := range list {
		data = binary.LittleEndian.AppendUint32(data, word(x))
	}
	t.list = append(t.list, data)
	return len(t.list)
}

// srgbToLinear is the table of the linear values of the 256 8-bit sRGB codes.
func (t *tables) srgbToLinear(b *ir.Builder) ir.V {
	if t.toLinear == 0 {
		list := format.SRGBLinear()
		t.toLinear = add(t, list[:], math.Float32bits)
	}
	return b.OpAux(ir.Table, ir.H, uint64(t.toLinear-1))
}

// srgbSteps is the table of format.SRGBSteps.
func (t *tables) srgbSteps(b *ir.Builder) ir.V {
	if t.steps == 0 {
		t.steps = add(t, format.SRGBSteps(), func(x uint32) uint32 { return x })
	}
	return b.OpAux(ir.Table, ir.H, uint64(t.steps-1))
}

// words is the table of the rows of a list, each packed into a word.
func (t *tables) words(b *ir.Builder, list *[16][4]uint32, packed func([4]uint32) uint32) ir.V {
	n, ok := t.groups[list]
	if !ok {
		if n = add(t, list[:], packed); t.groups == nil {
			t.groups = map[*[16][4]uint32]int{}
		}
		t.groups[list] = n
	}
	return b.OpAux(ir.Table, ir.H, uint64(n-1))
}
