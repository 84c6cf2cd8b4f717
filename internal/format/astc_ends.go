package format

// astcEnds are the colors between which a partition's texels lie.
type astcEnds struct {
	color [2][4]int32 // of 16 bits
	log   [4]bool     // the channel is logarithmic
	bad   bool        // HDR where there is none
}

// at returns the number of a channel that lies p parts of 64 from end to end.
func (e *astcEnds) at(ch int, p int32) int32 {
	return (e.color[0][ch&3]*(64-p) + e.color[1][ch&3]*p + 32) >> 6
}

// read makes the colors of numbers in 0..255, as the mode says.
func (e *astcEnds) read(b *Blocks, mode uint8, v []uint8) {
	var n [8]int32
	for i := range 2 * (mode/4 + 1) {
		n[i] = int32(v[i])
	}
	switch mode {
	case 2, 3, 7, 11, 14, 15:
		if !b.hdr || b.Mode == DecodeUNorm8 {
			e.bad = true
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

// readLDR makes colors of 8 bits (Khronos Data Format, LDR endpoint decoding).
func (e *astcEnds) readLDR(mode uint8, v *[8]int32) {
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
		offset(&v[1], &v[0])
		offset(&v[3], &v[2])
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
			*low, *high = contracted(*high), contracted(*low)
		}
	case 9, 13:
		for i := 0; i < 6; i += 2 {
			offset(&v[i+1], &v[i])
		}
		if mode == 13 {
			offset(&v[7], &v[6])
		} else {
			v[6], v[7] = 255, 0
		}
		*low, *high = [4]int32{v[0], v[2], v[4], v[6]}, [4]int32{v[0] + v[1], v[2] + v[3], v[4] + v[5], v[6] + v[7]}
		if v[1]+v[3]+v[5] < 0 {
			*low, *high = contracted(*high), contracted(*low)
		}
	}
	for ch := range low {
		low[ch], high[ch] = min(max(low[ch], 0), 255), min(max(high[ch], 0), 255)
	}
}

// offset moves the highest bit of a to b, and makes a a distance of −32 to 31.
func offset(a, b *int32) {
	*b = *b>>1 | *a&0x80
	*a = extended(*a>>1, 6)
}

// contracted moves red and green halfway to blue.
func contracted(c [4]int32) [4]int32 {
	return [4]int32{(c[R] + c[B]) >> 1, (c[G] + c[B]) >> 1, c[B], c[A]}
}

// astcOne is 1 as logarithmic colors of 12 bits have it.
const astcOne = 0x780

// readHDR makes colors of 12 bits (Khronos Data Format, HDR endpoint decoding).
func (e *astcEnds) readHDR(mode uint8, v *[8]int32) {
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
		e.scaled(v)
	case 11:
		e.direct(v)
	case 14:
		e.direct(v)
		e.color[0][A], e.color[1][A] = v[6], v[7]
	case 15:
		e.direct(v)
		e.color[0][A], e.color[1][A] = astcAlpha(v[6], v[7])
	}
}

// astcBit places one of the bits that are spare in a mode: which of them, the
// number it belongs to, and its place there.
type astcBit struct{ from, to, at uint8 }

// astcScaled has by mode where the spare bits of endpoint mode 7 go, of the
// numbers red, green, blue and scale; astcScaledShift how far all move up.
var (
	astcScaled = [6][7]astcBit{
		{{0, 0, 9}, {1, 0, 8}, {2, 0, 7}, {3, 0, 10}, {4, 0, 6}, {5, 3, 6}, {6, 3, 5}},
		{{0, 0, 8}, {1, 1, 5}, {2, 0, 7}, {3, 2, 5}, {4, 0, 6}, {5, 0, 10}, {6, 0, 9}},
		{{0, 0, 9}, {1, 0, 8}, {2, 0, 7}, {3, 0, 6}, {4, 3, 7}, {5, 3, 6}, {6, 3, 5}},
		{{0, 0, 8}, {1, 1, 5}, {2, 0, 7}, {3, 2, 5}, {4, 0, 6}, {5, 3, 6}, {6, 3, 5}},
		{{0, 1, 6}, {1, 1, 5}, {2, 2, 6}, {3, 2, 5}, {4, 0, 6}, {5, 0, 7}, {6, 3, 5}},
		{{0, 1, 6}, {1, 1, 5}, {2, 2, 6}, {3, 2, 5}, {4, 0, 6}, {5, 3, 6}, {6, 3, 5}},
	}
	astcScaledShift = [6]uint8{1, 1, 2, 3, 4, 5}
)

// scaled makes the colors of endpoint mode 7: one, and a distance from it that
// all channels have.
func (e *astcEnds) scaled(v *[8]int32) {
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
	for _, p := range astcScaled[mode] {
		n[p.to] |= spare[p.from] & 1 << p.at
	}
	for i := range n {
		n[i] <<= astcScaledShift[mode]
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

// astcDirect has by mode where the spare bits of endpoint mode 11 go, of the
// numbers a, b0, b1, c, d0 and d1; astcDirectBits how many bits d0 and d1 have.
var (
	astcDirect = [8][6]astcBit{
		{{0, 1, 6}, {1, 2, 6}, {2, 4, 6}, {3, 5, 6}, {4, 4, 5}, {5, 5, 5}},
		{{0, 1, 6}, {1, 2, 6}, {2, 1, 7}, {3, 2, 7}, {4, 4, 5}, {5, 5, 5}},
		{{0, 0, 9}, {1, 3, 6}, {2, 4, 6}, {3, 5, 6}, {4, 4, 5}, {5, 5, 5}},
		{{0, 1, 6}, {1, 2, 6}, {2, 0, 9}, {3, 3, 6}, {4, 4, 5}, {5, 5, 5}},
		{{0, 1, 6}, {1, 2, 6}, {2, 1, 7}, {3, 2, 7}, {4, 0, 9}, {5, 0, 10}},
		{{0, 0, 9}, {1, 0, 10}, {2, 3, 7}, {3, 3, 6}, {4, 4, 5}, {5, 5, 5}},
		{{0, 1, 6}, {1, 2, 6}, {2, 0, 11}, {3, 3, 6}, {4, 0, 9}, {5, 0, 10}},
		{{0, 0, 9}, {1, 0, 10}, {2, 0, 11}, {3, 3, 6}, {4, 4, 5}, {5, 5, 5}},
	}
	astcDirectBits = [8]uint8{7, 6, 7, 6, 5, 6, 5, 6}
)

// direct makes the colors of endpoint mode 11: of the greatest channel both, of
// the others what they lie below it.
func (e *astcEnds) direct(v *[8]int32) {
	major := v[4]>>7&1 | v[5]>>7&1<<1
	if major == 3 {
		e.color[0] = [4]int32{v[0] << 4, v[2] << 4, v[4] & 0x7f << 5, astcOne}
		e.color[1] = [4]int32{v[1] << 4, v[3] << 4, v[5] & 0x7f << 5, astcOne}
		return
	}
	mode := v[1]>>7&1 | v[2]>>7&1<<1 | v[3]>>7&1<<2
	n := [6]int32{v[0] | v[1]>>6&1<<8, v[2] & 63, v[3] & 63, v[1] & 63, v[4] & 31, v[5] & 31}
	spare := [6]int32{v[2] >> 6, v[3] >> 6, v[4] >> 6, v[5] >> 6, v[4] >> 5, v[5] >> 5}
	for _, p := range astcDirect[mode] {
		n[p.to] |= spare[p.from] & 1 << p.at
	}
	n[4], n[5] = extended(n[4], astcDirectBits[mode]), extended(n[5], astcDirectBits[mode])
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

// astcAlpha makes the alpha of endpoint mode 15: both, or one and a distance.
func astcAlpha(a, b int32) (low, high int32) {
	mode := a>>7&1 | b>>6&2
	a &= 0x7f
	b &= 0x7f
	if mode == 3 {
		return a << 5, b << 5
	}
	a |= b << (mode + 1) & 0x780
	b = extended(b, uint8(6-mode))
	a, b = a<<(4-mode), b<<(4-mode)
	return a, min(max(a+b, 0), 0xfff)
}
