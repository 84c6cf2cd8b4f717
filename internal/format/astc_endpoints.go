package format

// astcEndpoints are the two colors between which a partition's texels are interpolated.
type astcEndpoints struct {
	color   [2][4]int32 // in 16 bits
	log     [4]bool     // the channel is HDR, its values logarithmic
	invalid bool        // an HDR mode in an LDR format
}

// at returns a channel interpolated with weight p, in 64ths.
func (e *astcEndpoints) at(ch int, p int32) int32 {
	return (e.color[0][ch&3]*(64-p) + e.color[1][ch&3]*p + 32) >> 6
}

// read decodes the endpoints from values of 0..255 by the color endpoint mode, 0 to 15.
func (e *astcEndpoints) read(b *Blocks, mode uint8, v []uint8) {
	var n [8]int32
	for i := range 2 * (mode/4 + 1) {
		n[i] = int32(v[i])
	}
	switch mode {
	case 2, 3, 7, 11, 14, 15:
		if !b.hdr || b.Mode == DecodeUNorm8 {
			e.invalid = true
			return
		}
		e.log = [4]bool{true, true, true, mode != 14}
		e.readHDR(mode, &n)
	default:
		e.readLDR(mode, &n)
	}
	for k := range e.color {
		for ch := range e.color[k] {
			c := &e.color[k][ch]
			switch {
			case e.log[ch]:
				*c <<= 4
			case b.srgb && ch != int(A):
				*c = *c<<8 | 0x80
			default:
				*c *= 257
			}
		}
	}
}

// readLDR decodes endpoints in 8 bits (Khronos Data Format, LDR endpoint decoding).
func (e *astcEndpoints) readLDR(mode uint8, v *[8]int32) {
	low, high := &e.color[0], &e.color[1]
	switch mode {
	case 0:
		*low, *high = [4]int32{v[0], v[0], v[0], 255}, [4]int32{v[1], v[1], v[1], 255}
	case 1:
		l := v[0]>>2 | v[1]&0xc0
		h := min(l+(v[1]&0x3f), 255)
		*low, *high = [4]int32{l, l, l, 255}, [4]int32{h, h, h, 255}
	case 4:
		*low, *high = [4]int32{v[0], v[0], v[0], v[2]}, [4]int32{v[1], v[1], v[1], v[3]}
	case 5:
		bitTransferSigned(&v[1], &v[0])
		bitTransferSigned(&v[3], &v[2])
		*low, *high = [4]int32{v[0], v[0], v[0], v[2]}, [4]int32{v[0] + v[1], v[0] + v[1], v[0] + v[1], v[2] + v[3]}
	case 6, 10:
		*high = [4]int32{v[0], v[1], v[2], 255}
		*low = [4]int32{v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8, 255}
		if mode == 10 {
			low[A], high[A] = v[4], v[5]
		}
	case 8, 12:
		if mode == 8 {
			v[6], v[7] = 255, 255
		}
		*low, *high = [4]int32{v[0], v[2], v[4], v[6]}, [4]int32{v[1], v[3], v[5], v[7]}
		if v[1]+v[3]+v[5] < v[0]+v[2]+v[4] {
			*low, *high = blueContract(*high), blueContract(*low)
		}
	case 9, 13:
		for i := 0; i < 6; i += 2 {
			bitTransferSigned(&v[i+1], &v[i])
		}
		if mode == 13 {
			bitTransferSigned(&v[7], &v[6])
		} else {
			v[6], v[7] = 255, 0
		}
		*low, *high = [4]int32{v[0], v[2], v[4], v[6]}, [4]int32{v[0] + v[1], v[2] + v[3], v[4] + v[5], v[6] + v[7]}
		if v[1]+v[3]+v[5] < 0 {
			*low, *high = blueContract(*high), blueContract(*low)
		}
	}
	for ch := range low {
		low[ch], high[ch] = min(max(low[ch], 0), 255), min(max(high[ch], 0), 255)
	}
}

// bitTransferSigned moves the high bit of a to b, and makes a an offset from −32 to 31 (the
// specification's function of this name).
func bitTransferSigned(a, b *int32) {
	*b = *b>>1 | *a&0x80
	*a = signExtend(*a>>1, 6)
}

// blueContract moves red and green halfway towards blue (the specification's blue contraction).
func blueContract(c [4]int32) [4]int32 {
	return [4]int32{(c[R] + c[B]) >> 1, (c[G] + c[B]) >> 1, c[B], c[A]}
}

// astcOne is 1 as a 12-bit logarithmic value.
const astcOne = 0x780

// readHDR decodes endpoints in 12 bits (Khronos Data Format, HDR endpoint decoding).
func (e *astcEndpoints) readHDR(mode uint8, v *[8]int32) {
	switch mode {
	case 2:
		l, h := v[0]<<4, v[1]<<4
		if v[1] < v[0] {
			l, h = v[1]<<4+8, v[0]<<4-8
		}
		e.color = [2][4]int32{{l, l, l, astcOne}, {h, h, h, astcOne}}
	case 3:
		l, d := v[1]&0xf0<<4|v[0]&0x7f<<1, v[1]&0x0f<<1
		if v[0]&0x80 != 0 {
			l, d = v[1]&0xe0<<4|v[0]&0x7f<<2, v[1]&0x1f<<2
		}
		h := min(l+d, 0xfff)
		e.color = [2][4]int32{{l, l, l, astcOne}, {h, h, h, astcOne}}
	case 7:
		e.readMode7(v)
	case 11:
		e.readMode11(v)
	case 14:
		e.readMode11(v)
		e.color[0][A], e.color[1][A] = v[6], v[7]
	case 15:
		e.readMode11(v)
		e.color[0][A], e.color[1][A] = readMode15Alpha(v[6], v[7])
	}
}

// astcBit routes one of a mode's variable bits: its index among them, the value that it belongs to,
// and its bit position there.
type astcBit struct{ from, to, at uint8 }

// mode7Bits routes, by sub-mode, the variable bits of endpoint mode 7 to the values red, green, blue and
// scale; mode7Shift is the left shift of all values.
var (
	mode7Bits = [6][7]astcBit{
		{{0, 0, 9}, {1, 0, 8}, {2, 0, 7}, {3, 0, 10}, {4, 0, 6}, {5, 3, 6}, {6, 3, 5}},
		{{0, 0, 8}, {1, 1, 5}, {2, 0, 7}, {3, 2, 5}, {4, 0, 6}, {5, 0, 10}, {6, 0, 9}},
		{{0, 0, 9}, {1, 0, 8}, {2, 0, 7}, {3, 0, 6}, {4, 3, 7}, {5, 3, 6}, {6, 3, 5}},
		{{0, 0, 8}, {1, 1, 5}, {2, 0, 7}, {3, 2, 5}, {4, 0, 6}, {5, 3, 6}, {6, 3, 5}},
		{{0, 1, 6}, {1, 1, 5}, {2, 2, 6}, {3, 2, 5}, {4, 0, 6}, {5, 0, 7}, {6, 3, 5}},
		{{0, 1, 6}, {1, 1, 5}, {2, 2, 6}, {3, 2, 5}, {4, 0, 6}, {5, 3, 6}, {6, 3, 5}},
	}
	mode7Shift = [6]uint8{1, 1, 2, 3, 4, 5}
)

// readMode7 decodes endpoint mode 7: a color, and a distance of the other color that is common to
// all channels.
func (e *astcEndpoints) readMode7(v *[8]int32) {
	bitsOf := v[0]>>6&3 | v[1]>>7&1<<2 | v[2]>>7&1<<3
	major, mode := bitsOf>>2, bitsOf&3
	switch {
	case bitsOf == 15:
		major, mode = 0, 5
	case major == 3:
		major, mode = bitsOf&3, 4
	}
	n := [4]int32{v[0] & 63, v[1] & 31, v[2] & 31, v[3] & 31}
	spare := [7]int32{v[1] >> 6, v[1] >> 5, v[2] >> 6, v[2] >> 5, v[3] >> 7, v[3] >> 6, v[3] >> 5}
	for _, p := range mode7Bits[mode] {
		n[p.to] |= spare[p.from] & 1 << p.at
	}
	for i := range n {
		n[i] <<= mode7Shift[mode]
	}
	if mode != 5 {
		n[1], n[2] = n[0]-n[1], n[0]-n[2]
	}
	n[0], n[major] = n[major], n[0]
	for ch := range 3 {
		e.color[1][ch] = min(max(n[ch], 0), 0xfff)
		e.color[0][ch] = min(max(n[ch]-n[3], 0), 0xfff)
	}
	e.color[0][A], e.color[1][A] = astcOne, astcOne
}

// mode11Bits routes, by sub-mode, the variable bits of endpoint mode 11 to the values a, b0, b1, c, d0 and
// d1; mode11DeltaBits is the width of d0 and d1.
var (
	mode11Bits = [8][6]astcBit{
		{{0, 1, 6}, {1, 2, 6}, {2, 4, 6}, {3, 5, 6}, {4, 4, 5}, {5, 5, 5}},
		{{0, 1, 6}, {1, 2, 6}, {2, 1, 7}, {3, 2, 7}, {4, 4, 5}, {5, 5, 5}},
		{{0, 0, 9}, {1, 3, 6}, {2, 4, 6}, {3, 5, 6}, {4, 4, 5}, {5, 5, 5}},
		{{0, 1, 6}, {1, 2, 6}, {2, 0, 9}, {3, 3, 6}, {4, 4, 5}, {5, 5, 5}},
		{{0, 1, 6}, {1, 2, 6}, {2, 1, 7}, {3, 2, 7}, {4, 0, 9}, {5, 0, 10}},
		{{0, 0, 9}, {1, 0, 10}, {2, 3, 7}, {3, 3, 6}, {4, 4, 5}, {5, 5, 5}},
		{{0, 1, 6}, {1, 2, 6}, {2, 0, 11}, {3, 3, 6}, {4, 0, 9}, {5, 0, 10}},
		{{0, 0, 9}, {1, 0, 10}, {2, 0, 11}, {3, 3, 6}, {4, 4, 5}, {5, 5, 5}},
	}
	mode11DeltaBits = [8]uint8{7, 6, 7, 6, 5, 6, 5, 6}
)

// readMode11 decodes endpoint mode 11: both ends of the major channel, and of the two others their distances
// below it.
func (e *astcEndpoints) readMode11(v *[8]int32) {
	major := v[4]>>7&1 | v[5]>>7&1<<1
	if major == 3 {
		e.color[0] = [4]int32{v[0] << 4, v[2] << 4, v[4] & 0x7f << 5, astcOne}
		e.color[1] = [4]int32{v[1] << 4, v[3] << 4, v[5] & 0x7f << 5, astcOne}
		return
	}
	mode := v[1]>>7&1 | v[2]>>7&1<<1 | v[3]>>7&1<<2
	n := [6]int32{v[0] | v[1]>>6&1<<8, v[2] & 63, v[3] & 63, v[1] & 63, v[4] & 31, v[5] & 31}
	spare := [6]int32{v[2] >> 6, v[3] >> 6, v[4] >> 6, v[5] >> 6, v[4] >> 5, v[5] >> 5}
	for _, p := range mode11Bits[mode] {
		n[p.to] |= spare[p.from] & 1 << p.at
	}
	n[4], n[5] = signExtend(n[4], mode11DeltaBits[mode]), signExtend(n[5], mode11DeltaBits[mode])
	for i := range n {
		n[i] <<= mode>>1 ^ 3
	}
	a, b0, b1, c, d0, d1 := n[0], n[1], n[2], n[3], n[4], n[5]
	e.color[1] = [4]int32{a, a - b0, a - b1, astcOne}
	e.color[0] = [4]int32{a - c, a - b0 - c - d0, a - b1 - c - d1, astcOne}
	for k := range e.color {
		col := &e.color[k]
		for ch := range 3 {
			col[ch] = min(max(col[ch], 0), 0xfff)
		}
		col[0], col[major] = col[major], col[0]
	}
}

// readMode15Alpha decodes the alpha of endpoint mode 15: two values, or one and an offset.
func readMode15Alpha(a, b int32) (low, high int32) {
	mode := a>>7&1 | b>>6&2
	a &= 0x7f
	b &= 0x7f
	if mode == 3 {
		return a << 5, b << 5
	}
	a |= b << (mode + 1) & 0x780
	b = signExtend(b, uint8(6-mode))
	a, b = a<<(4-mode), b<<(4-mode)
	return a, min(max(a+b, 0), 0xfff)
}
