package format

// bitCount returns the number of bits of n encoded integers: five trits take 8 bits, three quints 7,
// rounded up.
func (r *astcRange) bitCount(n int) int {
	s := n * int(r.bits)
	if r.trit {
		s += (8*n + 4) / 5
	}
	if r.quint {
		s += (7*n + 2) / 3
	}
	return s
}

// decode decodes integers (integer sequence encoding). Bits beyond the end of w are 0.
func (r *astcRange) decode(out []uint8, w bits128) {
	switch {
	case r.trit:
		for ; len(out) > 0; out = out[min(5, len(out)):] {
			var low [5]uint8
			var t uint32
			low[0], t = uint8(w.read(r.bits)), w.read(2)
			low[1], t = uint8(w.read(r.bits)), t|w.read(2)<<2
			low[2], t = uint8(w.read(r.bits)), t|w.read(1)<<4
			low[3], t = uint8(w.read(r.bits)), t|w.read(2)<<5
			low[4], t = uint8(w.read(r.bits)), t|w.read(1)<<7
			high := astcTrits[t&255]
			for i := range min(5, len(out)) {
				out[i] = low[i] | uint8(high>>(2*i)&3)<<r.bits
			}
		}
	case r.quint:
		for ; len(out) > 0; out = out[min(3, len(out)):] {
			var low [3]uint8
			var q uint32
			low[0], q = uint8(w.read(r.bits)), w.read(3)
			low[1], q = uint8(w.read(r.bits)), q|w.read(2)<<3
			low[2], q = uint8(w.read(r.bits)), q|w.read(2)<<5
			high := astcQuints[q&127]
			for i := range min(3, len(out)) {
				out[i] = low[i] | uint8(high>>(3*i)&7)<<r.bits
			}
		}
	default:
		for i := range out {
			out[i] = uint8(w.read(r.bits))
		}
	}
}

// unquantizeColor maps an encoded color value to 0..255. With trits or quints the lowest bit mirrors
// the range.
func (r *astcRange) unquantizeColor(v uint8) uint8 {
	if !r.trit && !r.quint {
		n := r.bits
		return replicateBits(v, n) | replicateBits(v, n)>>(2*n)
	}
	digit, rest := uint32(v>>r.bits), uint32(v&(1<<r.bits-1))>>1
	var u uint32
	switch {
	case r.trit:
		u = digit * [7]uint32{1: 204, 93, 44, 22, 11, 5}[r.bits]
	default:
		u = digit * [7]uint32{1: 113, 54, 26, 13, 6}[r.bits]
	}
	u += r.spread(rest)
	if v&1 == 1 {
		return uint8((u^0x1ff)>>2 | 0x80)
	}
	return uint8(u >> 2)
}

// spread is the specification's value B: the bits of x (all but the lowest one) at high positions, replicated
// at low ones.
func (r *astcRange) spread(x uint32) uint32 {
	if r.trit {
		switch r.bits {
		case 2:
			return x * 0b100010110
		case 3:
			return x<<7 | x<<2 | x
		case 4:
			return x<<6 | x
		case 5:
			return x<<5 | x>>2
		case 6:
			return x<<4 | x>>4
		}
		return 0
	}
	switch r.bits {
	case 2:
		return x * 0b100001100
	case 3:
		return x<<7 | x<<1 | x>>1
	case 4:
		return x<<6 | x>>1
	case 5:
		return x<<5 | x>>3
	}
	return 0
}

// astcPattern generates the partition pattern of a block.
type astcPattern struct {
	seeds  [12]uint8
	hash   uint32
	count  uint32
	double bool // the block has fewer than 31 texels: coordinates are doubled
}

// newASTCPattern hashes a partition seed (Khronos Data Format, partition pattern generation).
func newASTCPattern(number, count uint32, small bool) (p astcPattern) {
	number += (count - 1) * 1024
	h := number
	h ^= h >> 15
	h -= h << 17
	h += h << 7
	h += h << 4
	h ^= h >> 5
	h += h << 16
	h ^= h >> 7
	h ^= h >> 3
	h ^= h << 6
	h ^= h >> 17
	p.hash, p.count, p.double = h, count, small
	for i, at := range [12]uint8{0, 4, 8, 12, 16, 20, 24, 28, 18, 22, 26, 30} {
		s := uint8((h>>at | h<<(32-at)) & 15)
		p.seeds[i] = s * s
	}
	one, two := uint32(5), uint32(5)
	if number&2 != 0 {
		one = 4
	}
	if count == 3 {
		two = 6
	}
	if number&1 == 0 {
		one, two = two, one
	}
	three := two
	if number&16 != 0 {
		three = one
	}
	for i := range 8 {
		p.seeds[i] >>= [2]uint32{one, two}[i&1]
	}
	for i := 8; i < 12; i++ {
		p.seeds[i] >>= three
	}
	return p
}

// partition returns the partition of a texel, 0 to count−1.
func (p *astcPattern) partition(x, y, z int) int {
	if p.double {
		x, y, z = 2*x, 2*y, 2*z
	}
	u, v, w := uint32(x), uint32(y), uint32(z)
	s := func(i int) uint32 { return uint32(p.seeds[i]) }
	a := (s(0)*u + s(1)*v + s(10)*w + p.hash>>14) & 63
	b := (s(2)*u + s(3)*v + s(11)*w + p.hash>>10) & 63
	c := (s(4)*u + s(5)*v + s(8)*w + p.hash>>6) & 63
	d := (s(6)*u + s(7)*v + s(9)*w + p.hash>>2) & 63
	if p.count < 4 {
		d = 0
	}
	if p.count < 3 {
		c = 0
	}
	switch {
	case a >= b && a >= c && a >= d:
		return 0
	case b >= c && b >= d:
		return 1
	case c >= d:
		return 2
	}
	return 3
}

// astcScale returns the distance of adjacent texels of n along an axis, in 1024ths of the block.
func astcScale(n int) int {
	if n == 1 {
		return 0
	}
	return (1024 + n/2) / (n - 1)
}

// astcInfill interpolates the weight of a texel from the weight grid.
type astcInfill struct {
	scale, grid [3]int
	at          [4]int
	fractions   [4]int32
}

// locate selects the four grid weights, and their factors in 16ths, for a texel: bilinear in a 2D block,
// simplex interpolation in a 3D block.
func (f *astcInfill) locate(x, y, z int) {
	gx := (f.scale[0]*x*(f.grid[0]-1) + 32) >> 6
	gy := (f.scale[1]*y*(f.grid[1]-1) + 32) >> 6
	fx, fy := int32(gx&15), int32(gy&15)
	row, slice := f.grid[0], f.grid[0]*f.grid[1]
	at := gx>>4 + gy>>4*row
	if f.grid[2] == 1 {
		corner := (fx*fy + 8) >> 4
		f.at[0], f.at[1], f.at[2], f.at[3] = at, at+1, at+row, at+row+1
		f.fractions[0], f.fractions[1], f.fractions[2], f.fractions[3] = 16-fx-fy+corner, fx-corner, fy-corner, corner
		return
	}
	gz := (f.scale[2]*z*(f.grid[2]-1) + 32) >> 6
	fz := int32(gz & 15)
	at += gz >> 4 * slice
	// The path from corner to corner of the grid cell steps along the axis with the greatest fraction
	// first; of equal fractions, along the later axis.
	var s1, s2 int
	var p, q, r int32
	switch {
	case fx > fy && fy > fz:
		s1, s2, p, q, r = 1, row, fx, fy, fz
	case fx > fy && fx > fz:
		s1, s2, p, q, r = 1, slice, fx, fz, fy
	case fx > fy:
		s1, s2, p, q, r = slice, 1, fz, fx, fy
	case fy > fz && fx > fz:
		s1, s2, p, q, r = row, 1, fy, fx, fz
	case fy > fz:
		s1, s2, p, q, r = row, slice, fy, fz, fx
	default:
		s1, s2, p, q, r = slice, row, fz, fy, fx
	}
	f.at[0], f.at[1], f.at[2], f.at[3] = at, at+s1, at+s1+s2, at+slice+row+1
	f.fractions[0], f.fractions[1], f.fractions[2], f.fractions[3] = 16-p, p-q, q-r, r
}

// weight returns the interpolated weight of the texel, in 64ths.
func (f *astcInfill) weight(of *[128]uint8) int32 {
	return (int32(of[f.at[0]&127])*f.fractions[0] + int32(of[f.at[1]&127])*f.fractions[1] + int32(of[f.at[2]&127])*f.fractions[2] + int32(of[f.at[3]&127])*f.fractions[3] + 8) >> 4
}
