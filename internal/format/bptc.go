package format

// weights are the parts of 64 that an index of 2, 3 or 4 bits gives the second
// end (Khronos Data Format §"BPTC Compressed Texture Image Formats").
var bptcWeights = [5][16]uint8{
	2: {0, 21, 43, 64},
	3: {0, 9, 18, 27, 37, 46, 55, 64},
	4: {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64},
}

// bptcIndices reads an index of n bits for each texel and returns what it takes of
// the second end. The first texel and the other anchors lack their highest bit,
// which is 0. All indices together have at most 63 bits.
func bptcIndices(w *words, n, anchor1, anchor2 uint8) (parts [16]uint8) {
	table := &bptcWeights[n]
	bits, whole, used := w.lo, uint64(1)<<n-1, 0
	for i := range parts {
		m, k := whole, n
		if i == 0 || uint8(i) == anchor1 || uint8(i) == anchor2 {
			m, k = whole>>1, n-1
		}
		parts[i] = table[bits&m&15]
		bits >>= k & 63
		used += int(k)
	}
	*w = w.from(used)
	return parts
}

// bc7Mode is what a mode of BC7 has bits for.
type bc7Mode struct {
	subsets, pattern, rotation, choice uint8
	color, alpha                       uint8 // bits of a channel of an end
	endBits, sharedBits                uint8 // 1 where each end, or each pair, has a lowest bit of its own
	index, second                      uint8
}

var bc7Modes = [8]bc7Mode{
	{subsets: 3, pattern: 4, color: 4, endBits: 1, index: 3},
	{subsets: 2, pattern: 6, color: 6, sharedBits: 1, index: 3},
	{subsets: 3, pattern: 6, color: 5, index: 2},
	{subsets: 2, pattern: 6, color: 7, endBits: 1, index: 2},
	{subsets: 1, rotation: 2, choice: 1, color: 5, alpha: 6, index: 2, second: 3},
	{subsets: 1, rotation: 2, color: 7, alpha: 8, index: 2, second: 2},
	{subsets: 1, color: 7, alpha: 7, endBits: 1, index: 4},
	{subsets: 2, pattern: 6, color: 5, alpha: 5, endBits: 1, index: 2},
}

// ends decodes BC7. A block without a mode is 0 everywhere, in alpha too.
func (b *Blocks) ends(texels [][4]float32, first int, block []byte) {
	w := wordsOf(block)
	mode := 0
	for mode < 8 && block[0]>>mode&1 == 0 {
		mode++
	}
	if mode == 8 {
		clear(texels)
		return
	}
	m := &bc7Modes[mode]
	w.take(uint8(mode) + 1)
	pattern := w.take(m.pattern)
	rotation := w.take(m.rotation)
	choice := w.take(m.choice)
	ends := m.ends(&w)
	subsets, anchor1, anchor2 := uint32(0), uint8(0), uint8(0)
	switch m.subsets {
	case 2:
		subsets, anchor1 = halves[pattern], anchorOfHalves[pattern]
	case 3:
		subsets, anchor1, anchor2 = thirds[pattern], secondAnchorOfThirds[pattern], thirdAnchorOfThirds[pattern]
	}
	color := bptcIndices(&w, m.index, anchor1, anchor2)
	alpha := color
	if m.second != 0 {
		alpha = bptcIndices(&w, m.second, 0, 0)
	}
	if choice == 1 {
		color, alpha = alpha, color
	}
	for i := range texels {
		k := (first + i) & 15
		e := &ends[subsets>>(2*k)&3]
		p, q := uint32(color[k]), uint32(alpha[k])
		r, g, bl, a := mix(e[0][R], e[1][R], p), mix(e[0][G], e[1][G], p), mix(e[0][B], e[1][B], p), mix(e[0][A], e[1][A], q)
		switch rotation {
		case 1:
			r, a = a, r
		case 2:
			g, a = a, g
		case 3:
			bl, a = a, bl
		}
		b.bytes(&texels[i], r, g, bl, a)
	}
}

// mix returns the number that lies w parts of 64 from x to y.
func mix(x, y uint8, w uint32) uint8 {
	return uint8(((64-w)*uint32(x) + w*uint32(y) + 32) >> 6)
}

// ends reads the colors at the ends of each subset, widened to 8 bits by
// repeating their highest bits.
func (m *bc7Mode) ends(w *words) (ends [4][2][4]uint8) {
	bits := [4]uint8{m.color, m.color, m.color, m.alpha}
	for ch, n := range bits {
		for s := range m.subsets {
			ends[s][0][ch], ends[s][1][ch] = uint8(w.take(n)), uint8(w.take(n))
		}
	}
	last := m.endBits | m.sharedBits
	for s := range m.subsets {
		var low uint8
		for k := range ends[s] {
			if k == 0 || m.endBits != 0 {
				low = uint8(w.take(last))
			}
			for ch, n := range bits {
				e := &ends[s][k][ch]
				if n == 0 {
					*e = 255
					continue
				}
				*e = widened(*e<<last|low, n+last)
			}
		}
	}
	return ends
}

// widened returns v of n bits, 4 to 8, in 8: its highest bits are repeated.
func widened(v, n uint8) uint8 {
	v <<= 8 - n
	return v | v>>n
}

// bc6Mode is what a mode of BC6H has bits for.
type bc6Mode struct {
	bits   uint8    // of a channel of an end
	delta  [3]uint8 // those that are stored of the ends after the first
	moved  bool     // the ends after the first are distances from it
	halves bool     // there are two subsets
	pieces []bc6Piece
}

// bc6Piece places the next n bits of a block: number of the twelve, lowest bit.
type bc6Piece struct{ number, at, n uint8 }

// floats decodes BC6H. A block of a reserved mode is 0, and 1 in alpha.
func (b *Blocks) floats(texels [][4]float32, first int, block []byte) {
	w := wordsOf(block)
	mode := w.take(2)
	if mode >= 2 {
		mode |= w.take(3) << 2
	}
	m := &bc6Modes[mode]
	for i := range texels {
		texels[i] = [4]float32{3: 1}
	}
	if m.pieces == nil {
		return
	}
	ends := m.ends(&w, b.signed)
	subsets, anchor, n := uint32(0), uint8(0), uint8(4)
	if m.halves {
		pattern := w.take(5)
		subsets, anchor, n = halves[pattern], anchorOfHalves[pattern], 3
	}
	weights := bptcIndices(&w, n, anchor, 0)
	for i := range texels {
		k := (first + i) & 15
		e := subsets >> (2 * k) & 1 * 2
		part := int32(weights[k])
		for ch := range 3 {
			v := (ends[ch][e]*(64-part) + ends[ch][e+1]*part + 32) >> 6
			texels[i][ch] = halfNumber(b.finish(v))
		}
	}
}

// ends reads the numbers at the ends, by channel, of 16 bits each.
func (m *bc6Mode) ends(w *words, signed bool) (ends [3][4]int32) {
	for _, p := range m.pieces {
		ends[p.number/4][p.number%4] |= int32(w.take(p.n)) << p.at
	}
	for ch := range ends {
		e := &ends[ch]
		if signed {
			e[0] = extended(e[0], m.bits)
		}
		for k := 1; k < 4; k++ {
			if m.moved {
				e[k] = (e[0] + extended(e[k], m.delta[ch])) & (1<<m.bits - 1)
			}
			if signed {
				e[k] = extended(e[k], m.bits)
			}
		}
		for k := range e {
			e[k] = m.whole(e[k], signed)
		}
	}
	return ends
}

// extended reads the lowest n bits of v in two's complement.
func extended(v int32, n uint8) int32 { return v << (32 - n) >> (32 - n) }

// whole returns the number of m.bits in 16, so that the greatest is the greatest.
func (m *bc6Mode) whole(v int32, signed bool) int32 {
	if signed {
		if m.bits >= 16 {
			return v
		}
		magnitude := max(v, -v)
		switch {
		case magnitude >= 1<<(m.bits-1)-1:
			magnitude = 0x7fff
		case magnitude != 0:
			magnitude = (magnitude<<15 + 0x4000) >> (m.bits - 1)
		}
		if v < 0 {
			return -magnitude
		}
		return magnitude
	}
	switch {
	case m.bits >= 15, v == 0:
		return v
	case v == 1<<m.bits-1:
		return 0xffff
	}
	return (v<<15 + 0x4000) >> (m.bits - 1)
}

// finish scales a number between ends to the bits of a half float.
func (b *Blocks) finish(v int32) uint16 {
	switch {
	case !b.signed:
		return uint16(v * 31 >> 6)
	case v < 0:
		return uint16(-v*31>>5) | 0x8000
	}
	return uint16(v * 31 >> 5)
}
