package texture

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Linear filters of texels of whole words that are provably inside the level load along rows: both texels of a
// row at one offset, and all rows before any arithmetic, so that cache misses overlap. For a 2D
// image that is two accesses per sample instead of four:
//
//	lo ┌────┬────┐  one access: texels lo.x and lo.x+1 of row lo.y
//	   ├────┼────┤
//	hi └────┴────┘  one access: the same columns of row hi.y

// texelRow is a row of texels: its byte offset, and the words of the two texels to interpolate.
type texelRow struct {
	at     ir.V
	lo, hi []ir.V
}

// loadsRows reports whether a linear filter loads along rows. The padding after the last texel has room for one more texel.
// A texel without words has several sources (chromaTexel).
func (f *filter) loadsRows() bool {
	n := f.x.words()
	return f.x.wordBytes == 4 && n >= 1 && 4*n <= tailPadding && f.proven(0) != 0 && !f.looks
}

// linearByTexelRows interpolates two texels along each axis: x first, then y, then z.
func (f *filter) linearByTexelRows(pairs []pair) values {
	var list []values
	for _, r := range f.loadTexelRows(pairs) {
		if f.filtersBytes() {
			list = append(list, f.lerpBytes(r.lo[0], r.hi[0], pairs[0].weight256))
		} else {
			list = append(list, f.combine(f.texelValues(r.lo, 0), f.texelValues(r.hi, 0), pairs[0].weight))
		}
	}
	for _, p := range pairs[1:] {
		for i := range len(list) / 2 {
			list[i] = f.combine(list[2*i], list[2*i+1], p.weight)
		}
		list = list[:len(list)/2]
	}
	return list[0]
}

// loadTexelRows loads the two texels of each row, rows of the lower slice first. In nearly all lanes the two are
// adjacent. At the level's edge they are the same texel, or, with Repeat, the second is loaded separately. The
// first may be the image's last texel: tailPadding makes the load of its neighbour valid.
func (f *filter) loadTexelRows(pairs []pair) []texelRow {
	at := f.m.base
	switch {
	case f.face != 0:
		at = f.add(at, f.mul(f.cubeLayer(f.face), f.m.slice))
	case f.layer != 0:
		at = f.add(at, f.mul(f.layer, f.m.slice))
	}
	// Expand the slice offsets, then the row offsets: one, two or four rows.
	begins, strides := []ir.V{at}, []ir.V{0, f.m.rowPitch, f.m.slice}
	for i := len(pairs) - 1; i > 0; i-- {
		var inner []ir.V
		for _, at := range begins {
			lo := f.add(at, f.mul(pairs[i].lo, strides[i]))
			inner = append(inner, lo, f.secondOffset(&pairs[i], at, lo, strides[i]))
		}
		begins = inner
	}
	p, list, size := &pairs[0], make([]texelRow, len(begins)), f.I32(uint32(f.x.Bytes))
	for i, at := range begins {
		off := f.add(at, f.mul(p.lo, size))
		list[i] = texelRow{at: at, lo: f.load(&f.x, off, ir.Proven), hi: f.loadAt(&f.x, off, f.x.Bytes, ir.Proven)}
	}
	beside := p.adjacent
	if beside != 0 && p.clamped {
		for i := range list {
			for k, lo := range list[i].lo {
				list[i].hi[k] = f.Select(beside, list[i].hi[k], lo)
			}
		}
		return list
	}
	// Repeat: load the second texel separately in the lanes in which it is not the right neighbour.
	if beside == 0 {
		beside = f.eq(p.hi, f.add(p.lo, f.I32(1)))
	}
	var types []ir.Type
	for range list {
		types = append(types, f.x.types()...)
	}
	merge, yes, no := f.Block(types...), []ir.V(nil), []ir.V(nil)
	f.If(f.not(f.Op(ir.Every, ir.B1, beside)))
	for _, r := range list {
		for k, v := range f.load(&f.x, f.secondOffset(p, r.at, 0, size), ir.Proven) {
			yes = append(yes, f.Select(beside, r.hi[k], v))
		}
		no = append(no, r.hi...)
	}
	f.Br(merge, yes...)
	f.End()
	f.Br(merge, no...)
	f.End()
	hi := f.Func.Params(merge)
	for i := range list {
		list[i].hi = hi[i*f.x.words():][:f.x.words()]
	}
	return list
}

// secondOffset returns the offset of the second of two texels, rows or slices along an axis. at is the
// offset of index 0 along it, lo the offset of the first; lo is no value if the second is known not to be
// adjacent.
func (f *filter) secondOffset(p *pair, at, lo, stride ir.V) ir.V {
	switch {
	case p.adjacent == 0:
		return f.add(at, f.mul(p.hi, stride))
	case lo == 0:
		return at
	case p.clamped:
		return f.Select(p.adjacent, f.add(lo, stride), lo)
	}
	return f.Select(p.adjacent, f.add(lo, stride), at)
}
