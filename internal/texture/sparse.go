package texture

import (
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// SparseBytes is the memory of one block of a sparse image.
const SparseBytes = 1 << 16

// SparseAspect describes the blocks of one aspect of a sparse image (VkSparseImageMemoryRequirements). The blocks are the
// standard ones of Vulkan (Standard Sparse Image Block Shapes) unless NonStandard is set. All levels from TailLevel on, with all layers,
// are the mip tail.
type SparseAspect struct {
	Aspect    format.Aspect
	Block     [3]int // texels
	TailLevel int    // the number of levels if there is no tail
	TailBytes int

	NonStandard bool // the table has no block for elements of 3, 6 or 12 bytes
}

// sparseAspect is a SparseAspect with the places of its bits.
type sparseAspect struct {
	SparseAspect
	element [3]int // texels of an element: of a compressed block
	bytes   int    // of an element, all samples
	levels  []sparseLevel
	tail    int // bit of the tail
}

// sparseLevel is the blocks of a level: the bit of the first, and their numbers along the axes, in each layer.
type sparseLevel struct {
	first  int
	blocks [3]int
}

// Residency tells which blocks of an image have memory. The texels of the others are zero: the owner of the image stores
// nothing to them, and programs neither.
type Residency struct {
	image   *Image
	aspects []sparseAspect
	blocks  *Pages
}

// Sparse makes the image one that has memory for some of its blocks, at first for none. The error is a *DescError.
func (m *Image) Sparse() (*Residency, error) {
	list, n, err := m.sparseAspects()
	if err != nil {
		return nil, err
	}
	m.residency = &Residency{image: m, aspects: list, blocks: NewPages(n)}
	return m.residency, nil
}

// SparseAspects returns the blocks of a sparse image of the layout. The error is a *DescError.
func (l *Layout) SparseAspects() (out []SparseAspect, err error) {
	list, _, err := l.sparseAspects()
	for i := range list {
		out = append(out, list[i].SparseAspect)
	}
	return out, err
}

// sparseAspects returns the blocks of a sparse image, and the number of their bits.
func (l *Layout) sparseAspects() (list []sparseAspect, next int, err error) {
	if l.Dim == ir.Dim1D || l.Packed || l.Corner || l.chroma() || l.Samples > 16 {
		return nil, 0, descErrorf("a sparse %s image of %s with %d samples; must be 2d or 3d, with optimal tiling, one plane and at most 16 samples", l.Dim, l.Format, l.Samples)
	}
	for i := range l.parts {
		p := &l.parts[i]
		a := sparseAspect{SparseAspect: SparseAspect{Aspect: p.aspect, TailLevel: l.Levels}, element: [3]int{1, 1, 1}, bytes: p.texel.Bytes * l.Samples}
		if l.blocked != nil {
			b := l.blocked.layout
			a.element, a.bytes = [3]int{b.Width, b.Height, b.Depth}, b.Bytes
		}
		shape, ok := a.shape(l)
		if !ok {
			return nil, 0, descErrorf("a sparse image of %s; must have elements of 1 to 16 bytes, and sizes that are powers of two", l.Format)
		}
		a.Block = shape
		for n := range l.Levels {
			t := &p.levels[n]
			if t.width*t.height*t.depth < shape[0]*shape[1]*shape[2] { // by size, not by each dimension
				a.TailLevel = n
				break
			}
			b := sparseLevel{first: next, blocks: [3]int{(t.width-1)/shape[0] + 1, (t.height-1)/shape[1] + 1, (t.depth-1)/shape[2] + 1}}
			next += b.blocks[0] * b.blocks[1] * b.blocks[2] * l.Layers
			a.levels = append(a.levels, b)
		}
		a.tail = next
		next++
		from, to := l.tail(i, a.TailLevel)
		a.TailBytes = to - from
		list = append(list, a)
	}
	return list, next, nil
}

// tail returns the range of the levels from n on, with all layers, in the memory of an aspect.
func (l *Layout) tail(aspect, n int) (from, to int) {
	levels := l.parts[aspect].levels
	if l.blocked != nil {
		levels = l.blocked.levels
	}
	if n >= len(levels) {
		return 0, 0
	}
	last := &levels[len(levels)-1]
	return int(levels[n].base), int(last.base) + int(last.slice)*last.depth*l.Layers
}

// shape returns the block in texels: the standard one, or the next greater element's if the table has none. The end of the
// memory of such a block is unused.
func (a *sparseAspect) shape(m *Layout) (shape [3]int, ok bool) {
	one := a.bytes / m.Samples
	if one == 0 || one > 16 {
		return shape, false
	}
	n := bits.TrailingZeros(SparseBytes) - bits.Len(uint(one-1))
	a.NonStandard = one&(one-1) != 0
	log := [3]int{(n + 1) / 2, n / 2, 0}
	if m.Dim == ir.Dim3D {
		log = [3]int{(n + 2) / 3, (n + 1) / 3, n / 3}
	}
	s := bits.TrailingZeros(uint(m.Samples))
	log[0], log[1] = log[0]-(s+1)/2, log[1]-s/2
	for i := range shape {
		if e := a.element[i]; e&(e-1) != 0 { // shifts find the block of a texel
			return shape, false
		}
		shape[i] = a.element[i] << log[i]
	}
	return shape, true
}

// Aspects returns the aspects, as the image has them.
func (r *Residency) Aspects() (list []SparseAspect) {
	for i := range r.aspects {
		list = append(list, r.aspects[i].SparseAspect)
	}
	return list
}

// Blocks returns the number of blocks of a level along the axes; ok is false if the level does not exist or is in the tail.
func (r *Residency) Blocks(aspect, level int) (n [3]int, ok bool) {
	if aspect < 0 || aspect >= len(r.aspects) || level < 0 || level >= len(r.aspects[aspect].levels) {
		return n, false
	}
	return r.aspects[aspect].levels[level].blocks, true
}

// SparsePlace names a block: an aspect by its number, and a place counted in blocks.
type SparsePlace struct{ Aspect, Level, Layer, X, Y, Z int }

// bit returns the bit of a block, which must exist.
func (r *Residency) bit(p SparsePlace) int {
	l := &r.aspects[p.Aspect].levels[p.Level]
	return l.first + ((p.Layer*l.blocks[2]+p.Z)*l.blocks[1]+p.Y)*l.blocks[0] + p.X
}

// Set records that a block has memory, or has none.
func (r *Residency) Set(p SparsePlace, on bool) { r.blocks.Set(r.bit(p), 1, on) }

// Has reports whether a block has memory.
func (r *Residency) Has(p SparsePlace) bool { return r.blocks.Has(r.bit(p)) }

// SetTail records that the mip tail of an aspect has memory, or has none.
func (r *Residency) SetTail(aspect int, on bool) { r.blocks.Set(r.aspects[aspect].tail, 1, on) }

// memory returns the memory of an aspect, and a level of elements.
func (r *Residency) memory(aspect, n int) ([]byte, *level) {
	m := r.image
	if m.blocks != nil {
		return m.blocks.memory, &m.blocks.levels[n]
	}
	return m.planes[aspect].memory, &m.planes[aspect].levels[n]
}

// Rows calls each for the rows of a block within its level, with their offset in the memory of the block: rows of elements, each
// with all samples of the row, one slice after another.
func (r *Residency) Rows(p SparsePlace, each func(row []byte, offset int)) {
	a := &r.aspects[p.Aspect]
	memory, l := r.memory(p.Aspect, p.Level)
	samples := r.image.Samples
	size, pitch := a.bytes/samples, int(l.rowPitch)/samples
	var n, at [3]int // elements of a block, and the first element
	for i, place := range [3]int{p.X, p.Y, p.Z} {
		n[i] = a.Block[i] / a.element[i]
		at[i] = place * n[i]
	}
	for z := at[2]; z < min(at[2]+n[2], l.depth); z++ {
		for y := at[1]; y < min(at[1]+n[1], l.height); y++ {
			for sample := range samples {
				from := int(l.base) + (p.Layer+z)*int(l.slice) + (y*samples+sample)*pitch + at[0]*size
				row := ((z-at[2])*n[1]+y-at[1])*samples + sample
				each(memory[from:][:min(n[0], l.width-at[0])*size], row*n[0]*size)
			}
		}
	}
}

// Tail returns the memory of the mip tail of an aspect.
func (r *Residency) Tail(aspect int) []byte {
	n := min(r.aspects[aspect].TailLevel, r.image.Levels-1)
	memory, _ := r.memory(aspect, n)
	from, to := r.image.tail(aspect, r.aspects[aspect].TailLevel)
	return memory[from:to]
}

// The residency of a view is in words after the words of its shape: the shift from texels to blocks along each axis; the first
// slice of the view, and 1 if its layers are slices of a volume; for each level the bit of its first block and the factors of
// the block's coordinates x, y, z and of the layer; then the bits of all blocks.
const (
	residencyShift  = ir.ShapeWords
	residencySlice  = residencyShift + 3
	residencyLayer  = residencySlice + 1
	residencyLevels = residencyLayer + 1
	residencyLevel  = 5 // words of a level
	residencyBits   = residencyLevels + residencyLevel*ir.MaxLevels
)

// residencyOf returns the residency of a view; nil if the image has none. elements is set if texels of the view are elements.
func (m *Image) residencyOf(p *plane, d ViewDesc, shape []byte, elements bool) *viewResidency {
	r := m.residency
	if r == nil {
		return nil
	}
	i := slices.IndexFunc(r.aspects, func(a sparseAspect) bool { return m.blocks != nil || a.Aspect == p.aspect })
	a := &r.aspects[i]
	v := &viewResidency{pages: r.blocks, base: shape, words: make([]uint32, residencyBits-ir.ShapeWords)}
	put := func(at, n int) { v.words[at-ir.ShapeWords] = uint32(n) }
	for k := range a.Block {
		size := a.Block[k]
		if elements {
			size /= a.element[k]
		}
		put(residencyShift+k, bits.TrailingZeros(uint(size)))
	}
	slices2D := m.Dim == ir.Dim3D && d.Dim != ir.Dim3D
	put(residencySlice, d.BaseSlice)
	if slices2D {
		put(residencySlice, d.BaseLayer)
		put(residencyLayer, 1)
	}
	for k := range d.Levels {
		at, n := residencyLevels+residencyLevel*k, d.BaseLevel+k
		if n >= len(a.levels) {
			put(at, a.tail)
			continue
		}
		l := &a.levels[n]
		inLayer := l.blocks[0] * l.blocks[1] * l.blocks[2]
		put(at, l.first)
		put(at+1, 1)
		put(at+2, l.blocks[0])
		put(at+3, l.blocks[0]*l.blocks[1])
		if !slices2D {
			put(at, l.first+d.BaseLayer*inLayer)
			put(at+4, inLayer)
		}
	}
	return v
}
