package ray

import "math"

// item is a primitive of a build: its box and its numbers.
type item struct {
	lo        vec
	geometry  uint32
	hi        vec
	primitive uint32
}

// bins is the number of bins of an axis.
const bins = 16

// bounds is a box that grows.
type bounds struct{ lo, hi vec }

// nothing is the box of no points.
func nothing() bounds {
	return bounds{vec{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32}, vec{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32}}
}

// add grows b by the box of lo and hi.
func (b *bounds) add(lo, hi *vec) {
	for k := range 3 {
		if lo[k] < b.lo[k] {
			b.lo[k] = lo[k]
		}
		if hi[k] > b.hi[k] {
			b.hi[k] = hi[k]
		}
	}
}

// area returns half the surface of b, in 64 bits: no product overflows.
func (b *bounds) area() float64 {
	x, y, z := float64(b.hi[0])-float64(b.lo[0]), float64(b.hi[1])-float64(b.lo[1]), float64(b.hi[2])-float64(b.lo[2])
	if x < 0 {
		return 0
	}
	return float64(x*y) + float64(y*z) + float64(z*x)
}

// middle returns half the sum of the corners along k: the position by which a split sorts an item.
func (it *item) middle(k int) float32 { return float32(0.5*it.lo[k]) + float32(0.5*it.hi[k]) }

// wideBounds is a box in two vector registers. The fourth components mean nothing.
type wideBounds struct{ lo, hi [4]float32 }

// nowhere is the wide box of no points.
var nowhere = func() (w wideBounds) {
	for k := range w.lo {
		w.lo[k], w.hi[k] = math.MaxFloat32, -math.MaxFloat32
	}
	return w
}()

// set sets w to the box of lo and hi.
func (w *wideBounds) set(lo, hi *vec) {
	copy(w.lo[:], lo[:])
	copy(w.hi[:], hi[:])
}

// grow grows w by o.
func (w *wideBounds) grow(o *wideBounds) {
	for c := range 3 {
		w.lo[c], w.hi[c] = min32(o.lo[c], w.lo[c]), max32(o.hi[c], w.hi[c])
	}
}

// addWide grows b by w.
func (b *bounds) addWide(w *wideBounds) { b.add((*vec)(w.lo[:3]), (*vec)(w.hi[:3])) }

// binning distributes items over bins by their middles. The machine code reads and writes it.
type binning struct {
	// A middle m is in the bin (m−from)·scale. The scale is 0 along an axis without extent.
	from, scale [4]float32
	// last is the number of the last bin, for each lane.
	last  [4]int32
	box   [3][bins]wideBounds
	count [3][bins]int32
}

// fewItems is the number of items below which a split has half the bins.
const fewItems = 32

// init prepares b for n items with middles inside centers.
func (b *binning) init(centers *wideBounds, n int) {
	used := bins
	if n < fewItems {
		used = bins / 2
	}
	b.from, b.scale = [4]float32{}, [4]float32{}
	for k := range b.last {
		b.last[k] = int32(used - 1)
	}
	for k := range 3 {
		b.from[k] = centers.lo[k]
		if size := centers.hi[k] - centers.lo[k]; size > 0 {
			if s := float32(used) / size; isFinite(s) {
				b.scale[k] = s
			}
		}
		for i := range used {
			b.count[k][i], b.box[k][i] = 0, nowhere
		}
	}
}

// join adds the items of o, which has the same bins.
func (b *binning) join(o *binning) {
	for k := range 3 {
		for i := range bins {
			b.count[k][i] += o.count[k][i]
			b.box[k][i].grow(&o.box[k][i])
		}
	}
}

// bin returns the bin of an item along k.
func (b *binning) bin(it *item, k int) int32 {
	x := float32((it.middle(k) - b.from[k]) * b.scale[k])
	if !(x > 0) {
		return 0
	}
	return int32(min(x, float32(b.last[k])))
}

// addPortable adds items.
func (b *binning) addPortable(items []item) {
	for i := range items {
		it := &items[i]
		for k := range 3 {
			j := b.bin(it, k)
			b.count[k][j]++
			w := &b.box[k][j]
			for c := range 3 {
				w.lo[c], w.hi[c] = min32(it.lo[c], w.lo[c]), max32(it.hi[c], w.hi[c])
			}
		}
	}
}

// middlesPortable returns the box of the middles of items.
func middlesPortable(items []item) wideBounds {
	w := nowhere
	for i := range items {
		for k := range 3 {
			m := items[i].middle(k)
			w.lo[k], w.hi[k] = min32(m, w.lo[k]), max32(m, w.hi[k])
		}
	}
	return w
}

// mostExtent bounds the coordinates of boxes in areas: the area of the largest box is finite.
const (
	mostExtent     = 0x1p61
	mostExtentBits = (127 + 61) << 23
)

// areasPortable sets left and right to half the surfaces of the boxes of the bins before and from i, of one axis.
func (b *binning) areasPortable(axis int, left, right *[bins + 1]float32) {
	area := func(w *wideBounds) float32 {
		size := func(k int) float32 { return min32(w.hi[k], mostExtent) - max32(w.lo[k], -mostExtent) }
		x, y, z := size(0), size(1), size(2)
		return float32(x*y) + float32(y*z) + float32(z*x)
	}
	w := nowhere
	for i := range b.last[0] + 1 {
		w.grow(&b.box[axis][i])
		left[i+1] = area(&w)
	}
	w = nowhere
	for i := b.last[0]; i >= 0; i-- {
		w.grow(&b.box[axis][i])
		right[i] = area(&w)
	}
}

// partitionPortable moves the items of the bins before the cut of s to the front and returns their number.
func (b *binning) partitionPortable(items []item, s split) int {
	n := 0
	for i := range items {
		before := b.bin(&items[i], s.axis) < s.cut
		items[i], items[n] = items[n], items[i]
		if before {
			n++
		}
	}
	return n
}

// split is a way to divide items: those in the bins before cut along axis are on the left.
type split struct {
	axis int
	cut  int32
	// cost is the sum over both sides of area times the number of blocks.
	cost float64
}

// best returns the split with the least cost by the surface area heuristic (Wald 2007, "On fast Construction of
// SAH-based Bounding Volume Hierarchies"). It is not ok if all items are in one bin along every axis.
func (b *binning) best(single bool) (s split, ok bool) {
	s.cost = math.Inf(1)
	size := 2 // the logarithm of the number of items of a block
	if single {
		size = 0
	}
	more := int32(1)<<size - 1
	var left, right [bins + 1]float32
	for k := range 3 {
		if b.scale[k] == 0 {
			continue
		}
		b.areas(k, &left, &right)
		var all, before int32
		for i := range b.last[0] + 1 {
			all += b.count[k][i]
		}
		for i := int32(1); i <= b.last[0]; i++ {
			before += b.count[k][i-1]
			if before == 0 || before == all {
				continue
			}
			l, r := (before+more)>>size, (all-before+more)>>size
			if cost := float64(float64(left[i])*float64(l)) + float64(float64(right[i])*float64(r)); cost < s.cost {
				s, ok = split{k, i, cost}, true
			}
		}
	}
	return s, ok
}
