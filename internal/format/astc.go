package format

import "math/bits"

// astcBlock is a parsed ASTC block: an error, a single color, or endpoints of up to four partitions
// with a grid of weights (Khronos Data Format §"ASTC Compressed Texture Image Formats").
//
//	bit 0     11   13           17 or 29        end         128−weights  127
//	┌─────────┬────┬────────────┬──────────────┬───────────┬─────────────┐
//	│ block   │ #  │ partition  │ endpoint     │ extra     │ weights,    │
//	│ mode    │part│ seed, CEMs │ values (ISE) │ CEM, plane│ reversed ISE│
//	└─────────┴────┴────────────┴──────────────┴───────────┴─────────────┘
//
// ISE is integer sequence encoding, CEM color endpoint mode.
type astcBlock struct {
	invalid    bool
	constant   bool
	floats     bool      // color holds half floats, else 16-bit UNORM
	color      [4]uint16 // of a void-extent block
	grid       [3]int    // weights along each axis
	dual       bool      // dual plane: one channel has its own weights
	selected   uint32    // the channel of the second plane
	partitions uint32
	pattern    astcPattern
	endpoints  [4]astcEndpoints
	weights    [2][128]uint8 // by plane, in 64ths; texels at the far edges read past index 63, with factor 0
}

// decodeASTC decodes consecutive texels from index first on.
func (b *Blocks) decodeASTC(texels [][4]float32, first int, block []byte) {
	var a astcBlock
	w := bits128Of(block)
	a.read(b, w)
	if a.invalid || a.constant {
		for i := range texels {
			if a.invalid {
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
		fill.locate(x, y, z)
		e := &a.endpoints[0]
		if a.partitions > 1 {
			e = &a.endpoints[a.pattern.partition(x, y, z)&3]
		}
		p := fill.weight(&a.weights[0])
		for ch := range c {
			c[ch] = e.at(ch, p)
		}
		if a.dual {
			c[a.selected] = e.at(int(a.selected), fill.weight(&a.weights[1]))
		}
		b.setASTC(&texels[i], &c, e)
		if x++; x == b.Width {
			x = 0
			if y++; y == b.Height {
				y, z = 0, z+1
			}
		}
	}
}

// read parses a block. Reserved and contradictory encodings make it invalid.
func (a *astcBlock) read(b *Blocks, w bits128) {
	flat := b.Depth == 1
	if mode := w.lo & 0x1ff; mode == 0x1fc {
		a.readVoidExtent(w, flat)
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
	used := r.bitCount(count)
	a.partitions = uint32(w.lo>>11&3) + 1
	if !ok || m.grid[0] > b.Width || m.grid[1] > b.Height || m.grid[2] > b.Depth ||
		count > 64 || used < 24 || used > 96 || m.dual && a.partitions == 4 {
		a.invalid = true
		return
	}
	a.readWeights(w, m, count, used)
	if a.partitions > 1 {
		a.pattern = newASTCPattern(uint32(w.lo>>13&0x3ff), a.partitions, b.Texels() < 31)
	}
	a.readEndpoints(b, w, 128-used)
}

// readWeights reads the weights. Their bit stream begins at the block's highest bit and runs downwards, so
// the whole block is reversed first.
func (a *astcBlock) readWeights(w bits128, m astcMode, count, used int) {
	var raw [64]uint8
	top := bits128{bits.Reverse64(w.hi), bits.Reverse64(w.lo)}
	astcRanges[m.weights].decode(raw[:count], top.low(used))
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

// readEndpoints reads the endpoint modes and colors of each partition, and the second plane's channel. The
// bits before end belong to them; the colors use the greatest range of values for which they suffice.
func (a *astcBlock) readEndpoints(b *Blocks, w bits128, end int) {
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
			field |= w.from(end).low32() << 6
			field >>= 2
			low := field >> a.partitions
			for i := range a.partitions {
				modes[i] = uint8((sort-1+field>>i&1)<<2 | low>>(2*i)&3)
			}
		}
	}
	if a.dual {
		end -= 2
		a.selected = w.from(end).low32() & 3
	}
	count := 0
	for _, m := range modes[:a.partitions] {
		count += 2 * int(m/4+1)
	}
	if count > 18 {
		a.invalid = true
		return
	}
	best := len(astcRanges) - 1
	for best > 3 && astcRanges[best].bitCount(count) > end-start {
		best--
	}
	if best == 3 { // less than range 0..5: invalid
		a.invalid = true
		return
	}
	r := &astcRanges[best]
	var v [24]uint8
	r.decode(v[:count], w.from(start).low(r.bitCount(count)))
	for i := range count {
		v[i] = r.unquantizeColor(v[i])
	}
	next := v[:]
	for i, m := range modes[:a.partitions] {
		a.endpoints[i].read(b, m, next)
		next = next[2*(m/4+1):]
	}
}

// low32 returns the lowest 32 bits.
func (w bits128) low32() uint32 { return uint32(w.lo) }

// readVoidExtent reads a void-extent block: one color for all texels. Its extent, which would permit
// skipping texel reads, is only checked: an empty one is an error.
func (a *astcBlock) readVoidExtent(w bits128, flat bool) {
	extent, n := w.from(10), 9
	axes := 3
	if flat {
		a.invalid = w.lo>>10&3 != 3
		extent, n, axes = w.from(12), 13, 2
	}
	all := true
	var least, most [3]uint32
	for i := range axes {
		least[i] = extent.read(uint8(n))
		most[i] = extent.read(uint8(n))
		all = all && least[i] == 1<<n-1 && most[i] == 1<<n-1
	}
	for i := range axes {
		if !all && least[i] >= most[i] {
			a.invalid = true
		}
	}
	a.constant, a.floats = !a.invalid, w.lo>>9&1 == 1
	for ch := range a.color {
		a.color[ch] = uint16(w.hi >> (16 * ch))
	}
}

// astcMode is the block mode: the low 11 bits of a block.
type astcMode struct {
	grid    [3]int
	weights uint8 // index in astcRanges
	dual    bool
}

// astcMode2 decodes the mode of a 2D block; ok is false for reserved modes.
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

// astcMode3 decodes the mode of a 3D block; ok is false for reserved modes.
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
