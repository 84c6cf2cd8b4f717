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

// binning distributes items over bins by their middles.
type binning struct {
	from, scale vec
	box         [3][bins]bounds
	count       [3][bins]int32
}

// init prepares b for items with middles inside centers.
func (b *binning) init(centers *bounds) {
	for k := range 3 {
		b.from[k], b.scale[k] = centers.lo[k], 0
		if size := centers.hi[k] - centers.lo[k]; size > 0 {
			if s := float32(bins) / size; isFinite(s) {
				b.scale[k] = s
			}
		}
		b.count[k] = [bins]int32{}
		for i := range bins {
			b.box[k][i] = nothing()
		}
	}
}

// bin returns the bin of an item along k.
func (b *binning) bin(it *item, k int) int {
	i := int((it.middle(k) - b.from[k]) * b.scale[k])
	return min(max(i, 0), bins-1)
}

// add adds items.
func (b *binning) add(items []item) {
	for i := range items {
		it := &items[i]
		for k := range 3 {
			j := b.bin(it, k)
			b.count[k][j]++
			b.box[k][j].add(&it.lo, &it.hi)
		}
	}
}

// split is a way to divide items: those in the bins before cut along axis are on the left.
type split struct {
	axis, cut int
	// cost is the sum over both sides of area times the number of blocks.
	cost float64
}

// best returns the split with the least cost by the surface area heuristic (Wald 2007, "On fast Construction of
// SAH-based Bounding Volume Hierarchies"). It is not ok if all items are in one bin along every axis.
func (b *binning) best(single bool) (s split, ok bool) {
	s.cost = math.Inf(1)
	blocks := func(n int32) float64 {
		if single {
			return float64(n)
		}
		return float64((n + 3) / 4)
	}
	for k := range 3 {
		if b.scale[k] == 0 {
			continue
		}
		var right [bins]float64
		box, n := nothing(), int32(0)
		for i := bins - 1; i > 0; i-- {
			if b.count[k][i] > 0 {
				box.add(&b.box[k][i].lo, &b.box[k][i].hi)
			}
			n += b.count[k][i]
			right[i] = math.Inf(1)
			if n > 0 {
				right[i] = float64(box.area() * blocks(n))
			}
		}
		box, n = nothing(), 0
		for i := 1; i < bins; i++ {
			if b.count[k][i-1] > 0 {
				box.add(&b.box[k][i-1].lo, &b.box[k][i-1].hi)
			}
			n += b.count[k][i-1]
			if n == 0 {
				continue
			}
			if cost := float64(box.area()*blocks(n)) + right[i]; cost < s.cost {
				s, ok = split{k, i, cost}, true
			}
		}
	}
	return s, ok
}
