package texture

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Texels of one word that surely lie within the level are read along rows: the two
// of a row with one read of two words, those of all rows before any is weighted, so
// that what is far away is waited for once.

// row is where a row of texels begins, and the words of two of them.
type row struct {
	at     ir.V
	lo, hi []ir.V
}

// weightedRows weights two texels along each axis: x first, then y, then z.
func (f *filter) weightedRows(pairs []pair) values {
	var list []values
	for _, r := range f.rows(pairs) {
		if f.ofBytes() {
			list = append(list, f.weightedBytes(r.lo[0], r.hi[0], pairs[0].part))
		} else {
			list = append(list, f.join(f.seen(r.lo, 0), f.seen(r.hi, 0), pairs[0].weight))
		}
	}
	for _, p := range pairs[1:] {
		for i := range len(list) / 2 {
			list[i] = f.join(list[2*i], list[2*i+1], p.weight)
		}
		list = list[:len(list)/2]
	}
	return list[0]
}

// rows reads the two texels of each row: the rows of the lower slice first. In
// nearly all lanes the two stand side by side. Where the level's edge came between
// them they are one, or, where it repeats, the second is read by itself. That the
// first may be the image's last is why memory has bytes to spare.
func (f *filter) rows(pairs []pair) []row {
	at := f.m.at
	switch {
	case f.face != 0:
		at = f.add(at, f.mul(f.cubeLayer(f.face), f.m.slice))
	case f.layer != 0:
		at = f.add(at, f.mul(f.layer, f.m.slice))
	}
	begins, strides := []ir.V{at}, []ir.V{0, f.m.row, f.m.slice}
	for i := len(pairs) - 1; i > 0; i-- {
		var inner []ir.V
		for _, at := range begins {
			lo := f.add(at, f.mul(pairs[i].lo, strides[i]))
			inner = append(inner, lo, f.behind(&pairs[i], at, lo, strides[i]))
		}
		begins = inner
	}
	p, list, size := &pairs[0], make([]row, len(begins)), f.I32(uint32(f.x.Bytes))
	for i, at := range begins {
		off := f.add(at, f.mul(p.lo, size))
		list[i] = row{at: at, lo: f.load(&f.x, off, ir.Proven), hi: f.loadBehind(&f.x, off, f.x.Bytes, ir.Proven)}
	}
	beside := p.beside
	if beside != 0 && p.clamped {
		for i := range list {
			list[i].hi = []ir.V{f.Select(beside, list[i].hi[0], list[i].lo[0])}
		}
		return list
	}
	if beside == 0 {
		beside = f.eq(p.hi, f.add(p.lo, f.I32(1)))
	}
	var types []ir.Type
	for range list {
		types = append(types, f.x.types()...)
	}
	merge, yes, no := f.Block(types...), []ir.V(nil), []ir.V(nil)
	f.If(f.not(beside))
	for _, r := range list {
		yes = append(yes, f.load(&f.x, f.behind(p, r.at, 0, size), ir.Proven)...)
		no = append(no, r.hi...)
	}
	f.Br(merge, yes...)
	f.End()
	f.Br(merge, no...)
	f.End()
	for i, v := range f.Func.Params(merge) {
		list[i].hi = []ir.V{v}
	}
	return list
}

// behind is where the second of two texels along an axis begins, or the second row
// or slice, of those that begin at an offset; lo is where the first does, or no
// value where the second does not stand beside it.
func (f *filter) behind(p *pair, at, lo, stride ir.V) ir.V {
	switch {
	case p.beside == 0:
		return f.add(at, f.mul(p.hi, stride))
	case lo == 0:
		return at
	case p.clamped:
		return f.Select(p.beside, f.add(lo, stride), lo)
	}
	return f.Select(p.beside, f.add(lo, stride), at)
}
