package format

// bptcWeights maps an index of 2, 3 or 4 bits to the weight of the second endpoint, in 64ths (Khronos Data
// Format §"BPTC Compressed Texture Image Formats").
var bptcWeights = [5][16]uint8{
	2: {0, 21, 43, 64},
	3: {0, 9, 18, 27, 37, 46, 55, 64},
	4: {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64},
}

// bptcIndices reads an n-bit index for each texel and returns their weights. The first texel and the other
// anchors lack their high bit, which is 0. All indices together have at most 63 bits.
func bptcIndices(w *bits128, n, anchor1, anchor2 uint8) (parts [16]uint8) {
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

// bc7Mode is the layout of a BC7 mode: the numbers of subsets and of bits of each field.
type bc7Mode struct {
	subsets, pattern, rotation, indexSelection uint8
	color, alpha                               uint8 // bits per channel of an endpoint
	endBits, sharedBits                        uint8 // P-bits: 1 if each endpoint (endBits) or each subset (sharedBits) has one
	index, secondIndex                         uint8
}

// bc7Modes are the eight modes, from the specification's table.
var bc7Modes = [8]bc7Mode{
	{subsets: 3, pattern: 4, color: 4, endBits: 1, index: 3},
	{subsets: 2, pattern: 6, color: 6, sharedBits: 1, index: 3},
	{subsets: 3, pattern: 6, color: 5, index: 2},
	{subsets: 2, pattern: 6, color: 7, endBits: 1, index: 2},
	{subsets: 1, rotation: 2, indexSelection: 1, color: 5, alpha: 6, index: 2, secondIndex: 3},
	{subsets: 1, rotation: 2, color: 7, alpha: 8, index: 2, secondIndex: 2},
	{subsets: 1, color: 7, alpha: 7, endBits: 1, index: 4},
	{subsets: 2, pattern: 6, color: 5, alpha: 5, endBits: 1, index: 2},
}

// decodeBC7 decodes BC7. The mode is the number of trailing zero bits. The reserved mode decodes to 0,
// alpha included.
func (b *Blocks) decodeBC7(texels [][4]float32, first int, block []byte) {
	w := bits128Of(block)
	mode := 0
	for mode < 8 && block[0]>>mode&1 == 0 {
		mode++
	}
	if mode == 8 {
		clear(texels)
		return
	}
	m := &bc7Modes[mode]
	w.read(uint8(mode) + 1)
	pattern := w.read(m.pattern)
	rotation := w.read(m.rotation)
	choice := w.read(m.indexSelection)
	ends := m.endpoints(&w)
	subsets, anchor1, anchor2 := uint32(0), uint8(0), uint8(0)
	switch m.subsets {
	case 2:
		subsets, anchor1 = subsets2[pattern], anchors2[pattern]
	case 3:
		subsets, anchor1, anchor2 = subsets3[pattern], anchors3Second[pattern], anchors3Third[pattern]
	}
	color := bptcIndices(&w, m.index, anchor1, anchor2)
	alpha := color
	if m.secondIndex != 0 {
		alpha = bptcIndices(&w, m.secondIndex, 0, 0)
	}
	if choice == 1 {
		color, alpha = alpha, color
	}
	for i := range texels {
		k := (first + i) & 15
		e := &ends[subsets>>(2*k)&3]
		p, q := uint32(color[k]), uint32(alpha[k])
		r, g, bl, a := interpolate64(e[0][R], e[1][R], p), interpolate64(e[0][G], e[1][G], p), interpolate64(e[0][B], e[1][B], p), interpolate64(e[0][A], e[1][A], q)
		switch rotation {
		case 1:
			r, a = a, r
		case 2:
			g, a = a, g
		case 3:
			bl, a = a, bl
		}
		b.setBytes(&texels[i], r, g, bl, a)
	}
}

// interpolate64 interpolates between x and y with weight w, in 64ths, rounding to nearest.
func interpolate64(x, y uint8, w uint32) uint8 {
	return uint8(((64-w)*uint32(x) + w*uint32(y) + 32) >> 6)
}

// endpoints reads the endpoints of each subset, with P-bits appended, and expands them to 8 bits.
func (m *bc7Mode) endpoints(w *bits128) (ends [4][2][4]uint8) {
	bits := [4]uint8{m.color, m.color, m.color, m.alpha}
	for ch, n := range bits {
		for s := range m.subsets {
			ends[s][0][ch], ends[s][1][ch] = uint8(w.read(n)), uint8(w.read(n))
		}
	}
	last := m.endBits | m.sharedBits
	for s := range m.subsets {
		var low uint8
		for k := range ends[s] {
			if k == 0 || m.endBits != 0 {
				low = uint8(w.read(last))
			}
			for ch, n := range bits {
				e := &ends[s][k][ch]
				if n == 0 {
					*e = 255
					continue
				}
				*e = replicateBits(*e<<last|low, n+last)
			}
		}
	}
	return ends
}

// replicateBits expands v from n bits, 4 to 8, to 8 by replicating its high bits: 0b10110 → 0b10110101.
func replicateBits(v, n uint8) uint8 {
	v <<= 8 - n
	return v | v>>n
}

// bc6Mode is the layout of a BC6H mode.
type bc6Mode struct {
	bits        uint8    // bits per channel of the first endpoint
	delta       [3]uint8 // bits per channel of the others
	transformed bool     // the others are stored as signed differences from the first
	twoSubsets  bool     // two subsets, else one
	fields      []bc6Field
}

// bc6Field is the next bits of a block: they are part of an endpoint value (0 to 11), from bit shift on.
type bc6Field struct{ endpoint, shift, bits uint8 }

// decodeBC6H decodes BC6H. Reserved modes decode to 0, alpha 1.
func (b *Blocks) decodeBC6H(texels [][4]float32, first int, block []byte) {
	w := bits128Of(block)
	mode := w.read(2)
	if mode >= 2 {
		mode |= w.read(3) << 2
	}
	m := &bc6Modes[mode]
	for i := range texels {
		texels[i] = [4]float32{3: 1}
	}
	if m.fields == nil {
		return
	}
	ends := m.endpoints(&w, b.signed)
	subsets, anchor, n := uint32(0), uint8(0), uint8(4)
	if m.twoSubsets {
		pattern := w.read(5)
		subsets, anchor, n = subsets2[pattern], anchors2[pattern], 3
	}
	weights := bptcIndices(&w, n, anchor, 0)
	for i := range texels {
		k := (first + i) & 15
		e := subsets >> (2 * k) & 1 * 2
		part := int32(weights[k])
		for ch := range 3 {
			v := (ends[ch][e]*(64-part) + ends[ch][e+1]*part + 32) >> 6
			texels[i][ch] = halfToFloat(b.bc6ToHalf(v))
		}
	}
}

// endpoints reads the four endpoints of each channel, unquantized to 16 bits.
func (m *bc6Mode) endpoints(w *bits128, signed bool) (ends [3][4]int32) {
	for _, p := range m.fields {
		ends[p.endpoint/4][p.endpoint%4] |= int32(w.read(p.bits)) << p.shift
	}
	for ch := range ends {
		e := &ends[ch]
		if signed {
			e[0] = signExtend(e[0], m.bits)
		}
		for k := 1; k < 4; k++ {
			if m.transformed {
				e[k] = (e[0] + signExtend(e[k], m.delta[ch])) & (1<<m.bits - 1)
			}
			if signed {
				e[k] = signExtend(e[k], m.bits)
			}
		}
		for k := range e {
			e[k] = m.unquantize(e[k], signed)
		}
	}
	return ends
}

// signExtend returns the low n bits of v as a two's complement integer.
func signExtend(v int32, n uint8) int32 { return v << (32 - n) >> (32 - n) }

// unquantize expands an endpoint from m.bits to 16 bits; the greatest value maps to the greatest.
func (m *bc6Mode) unquantize(v int32, signed bool) int32 {
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

// bc6ToHalf scales an interpolated value to the bits of a half float: by 31/64, or 31/32 if signed, so that
// the greatest is the greatest finite half float.
func (b *Blocks) bc6ToHalf(v int32) uint16 {
	switch {
	case !b.signed:
		return uint16(v * 31 >> 6)
	case v < 0:
		return uint16(-v*31>>5) | 0x8000
	}
	return uint16(v * 31 >> 5)
}
