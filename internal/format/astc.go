package format

import "math/bits"

// astcBlock is what a block of ASTC says: an error, one color, or colors at the
// ends of up to four partitions and what each texel takes of them (Khronos Data
// Format §"ASTC Compressed Texture Image Formats").
type astcBlock struct {
	bad        bool
	constant   bool
	floats     bool      // color has half floats, else numbers of 16 bits
	color      [4]uint16 // where constant
	grid       [3]int    // weights each way
	dual       bool      // one channel has weights of its own
	selected   uint32    // which
	partitions uint32
	pattern    astcPattern
	ends       [4]astcEnds
	weights    [2][128]uint8 // by plane, in 64ths; texels at the far edges read, times 0, beyond the 64
}

// weighted decodes ASTC.
func (b *Blocks) weighted(texels [][4]float32, first int, block []byte) {
	var a astcBlock
	w := wordsOf(block)
	a.read(b, w)
	if a.bad || a.constant {
		for i := range texels {
			if a.bad {
				b.astcError(&texels[i])
			} else {
				b.astcConstant(&texels[i], &a)
			}
		}
		return
	}
	fill := astcInfill{scale: [3]int{astcScale(b.Width), astcScale(b.Height), astcScale(b.Depth)}, grid: a.grid}
	x, y, z := first%b.Width, first/b.Width%b.Height, first/(b.Width*b.Height)
	var c [4]int32
	for i := range texels {
		fill.place(x, y, z)
		e := &a.ends[0]
		if a.partitions > 1 {
			e = &a.ends[a.pattern.partition(x, y, z)&3]
		}
		p := fill.weight(&a.weights[0])
		for ch := range c {
			c[ch] = e.at(ch, p)
		}
		if a.dual {
			c[a.selected] = e.at(int(a.selected), fill.weight(&a.weights[1]))
		}
		b.astcNumbers(&texels[i], &c, e)
		if x++; x == b.Width {
			x = 0
			if y++; y == b.Height {
				y, z = 0, z+1
			}
		}
	}
}

// read takes a block apart.
func (a *astcBlock) read(b *Blocks, w words) {
	flat := b.Depth == 1
	if mode := w.lo & 0x1ff; mode == 0x1fc {
		a.void(w, flat)
		return
	}
	m, ok := astcMode3(uint32(w.lo & 0x7ff))
	if flat {
		m, ok = astcMode2(uint32(w.lo & 0x7ff))
	}
	a.grid, a.dual = m.grid, m.dual
	count := m.grid[0] * m.grid[1] * m.grid[2]
	if m.dual {
		count *= 2
	}
	r := &astcRanges[m.weights]
	used := r.size(count)
	a.partitions = uint32(w.lo>>11&3) + 1
	if !ok || m.grid[0] > b.Width || m.grid[1] > b.Height || m.grid[2] > b.Depth ||
		count > 64 || used < 24 || used > 96 || m.dual && a.partitions == 4 {
		a.bad = true
		return
	}
	a.readWeights(w, m, count, used)
	if a.partitions > 1 {
		a.pattern = astcPatternOf(uint32(w.lo>>13&0x3ff), a.partitions, b.Texels() < 31)
	}
	a.readEnds(b, w, 128-used)
}

// readWeights reads the weights, whose bits run down from the highest.
func (a *astcBlock) readWeights(w words, m astcMode, count, used int) {
	var raw [64]uint8
	top := words{bits.Reverse64(w.hi), bits.Reverse64(w.lo)}
	astcRanges[m.weights].sequence(raw[:count], top.first(used))
	table := &astcWeights[m.weights]
	if !m.dual {
		for i, v := range raw[:count] {
			a.weights[0][i] = table[v&31]
		}
		return
	}
	for i := 0; i < count; i += 2 {
		a.weights[0][i/2], a.weights[1][i/2] = table[raw[i]&31], table[raw[i+1]&31]
	}
}

// readEnds reads the modes and colors at the ends of each partition, and which
// channel has weights of its own. The bits below end belong to them.
func (a *astcBlock) readEnds(b *Blocks, w words, end int) {
	var modes [4]uint8
	start := 17
	if a.partitions == 1 {
		modes[0] = uint8(w.lo >> 13 & 15)
	} else {
		start = 29
		field := uint32(w.lo >> 23 & 63)
		if sort := field & 3; sort == 0 {
			for i := range modes {
				modes[i] = uint8(field >> 2 & 15)
			}
		} else {
			more := 3*int(a.partitions) - 4
			end -= more
			field |= w.from(end).lo32() << 6
			field >>= 2
			low := field >> a.partitions
			for i := range a.partitions {
				modes[i] = uint8((sort-1+field>>i&1)<<2 | low>>(2*i)&3)
			}
		}
	}
	if a.dual {
		end -= 2
		a.selected = w.from(end).lo32() & 3
	}
	count := 0
	for _, m := range modes[:a.partitions] {
		count += 2 * int(m/4+1)
	}
	if count > 18 {
		a.bad = true
		return
	}
	best := len(astcRanges) - 1
	for best > 3 && astcRanges[best].size(count) > end-start {
		best--
	}
	if best == 3 { // fewer than six steps
		a.bad = true
		return
	}
	r := &astcRanges[best]
	var v [24]uint8
	r.sequence(v[:count], w.from(start).first(r.size(count)))
	for i := range count {
		v[i] = r.color(v[i])
	}
	next := v[:]
	for i, m := range modes[:a.partitions] {
		a.ends[i].read(b, m, next)
		next = next[2*(m/4+1):]
	}
}

// lo32 returns the lowest 32 bits.
func (w words) lo32() uint32 { return uint32(w.lo) }

// void reads a block of one color. Its extent is an error where it is empty, and
// is not used.
func (a *astcBlock) void(w words, flat bool) {
	extent, n := w.from(10), 9
	axes := 3
	if flat {
		a.bad = w.lo>>10&3 != 3
		extent, n, axes = w.from(12), 13, 2
	}
	all := true
	var least, most [3]uint32
	for i := range axes {
		least[i] = extent.take(uint8(n))
		most[i] = extent.take(uint8(n))
		all = all && least[i] == 1<<n-1 && most[i] == 1<<n-1
	}
	for i := range axes {
		if !all && least[i] >= most[i] {
			a.bad = true
		}
	}
	a.constant, a.floats = !a.bad, w.lo>>9&1 == 1
	for ch := range a.color {
		a.color[ch] = uint16(w.hi >> (16 * ch))
	}
}

// astcMode is what the first 11 bits of a block say of its weights.
type astcMode struct {
	grid    [3]int
	weights uint8 // number of their range
	dual    bool
}

// astcMode2 reads the mode of a flat block; ok is false of those reserved.
func astcMode2(v uint32) (m astcMode, ok bool) {
	field := func(at, n int) int { return int(v >> at & (1<<n - 1)) }
	m.dual = field(10, 1) == 1
	precise := field(9, 1)
	size := field(4, 1) | field(0, 2)<<1
	w, h := 0, 0
	if field(0, 2) != 0 {
		x, y := field(7, 2), field(5, 2)
		switch field(2, 2) {
		case 0:
			w, h = x+4, y+2
		case 1:
			w, h = x+8, y+2
		case 2:
			w, h = y+2, x+8
		default:
			w, h = y+2, x+6
			if x >= 2 {
				w, h = x&1+2, y+2
			}
		}
	} else {
		size = field(4, 1) | field(2, 2)<<1
		if field(2, 2) == 0 {
			return m, false
		}
		y := field(5, 2)
		switch field(7, 2) {
		case 0:
			w, h = 12, y+2
		case 1:
			w, h = y+2, 12
		case 2:
			w, h = y+6, field(9, 2)+6
			m.dual, precise = false, 0
		default:
			switch y {
			case 0:
				w, h = 6, 10
			case 1:
				w, h = 10, 6
			default:
				return m, false
			}
		}
	}
	m.grid, m.weights = [3]int{w, h, 1}, uint8(size-2+6*precise)
	return m, true
}

// astcMode3 reads the mode of a block with depth.
func astcMode3(v uint32) (m astcMode, ok bool) {
	field := func(at, n int) int { return int(v >> at & (1<<n - 1)) }
	m.dual = field(10, 1) == 1
	precise := field(9, 1)
	size := field(4, 1) | field(0, 2)<<1
	if field(0, 2) != 0 {
		m.grid = [3]int{field(5, 2) + 2, field(7, 2) + 2, field(2, 2) + 2}
	} else {
		size = field(4, 1) | field(2, 2)<<1
		if field(2, 2) == 0 {
			return m, false
		}
		x, y := field(5, 2), field(9, 2)
		switch field(7, 2) {
		case 0:
			m.grid = [3]int{6, y + 2, x + 2}
		case 1:
			m.grid = [3]int{x + 2, 6, y + 2}
		case 2:
			m.grid = [3]int{x + 2, y + 2, 6}
		default:
			if x == 3 {
				return m, false
			}
			m.grid = [3]int{2, 2, 2}
			m.grid[x] = 6
		}
		if field(7, 2) != 3 {
			m.dual, precise = false, 0
		}
	}
	m.weights = uint8(size - 2 + 6*precise)
	return m, true
}
