package format

import (
	"math"
	"slices"
)

// modelASTC decodes a texel of ASTC by the specification's text: bits are read
// one by one, and each number is worked out anew for each texel. It returns the
// four numbers of 16 bits between the ends, which of them are logarithmic, and
// whether it is an error; halves says that they are half floats.
type modelASTC struct {
	w, h, d   int
	hdr, srgb bool
	block     bitString
}

// modelRange is a range of integers: its size is 2, 3 or 5 times 2^bits.
type modelRange struct{ base, bits int }

func (r modelRange) size(n int) int {
	switch r.base {
	case 3:
		return n*r.bits + int(math.Ceil(float64(8*n)/5))
	case 5:
		return n*r.bits + int(math.Ceil(float64(7*n)/3))
	}
	return n * r.bits
}

func (r modelRange) steps() int {
	if r.base == 2 {
		return 1 << r.bits
	}
	return r.base << r.bits
}

// digits reads n integers of a stream: what is above the bits, and the bits.
func (r modelRange) digits(s bitString, n int) (high, low []int) {
	s = s[:min(len(s), r.size(n))]
	at := 0
	next := func(bits int) int { v := s.number(at, bits); at += bits; return v }
	group, packed := 1, []int{0}
	switch r.base {
	case 3:
		group, packed = 5, []int{2, 2, 1, 2, 1}
	case 5:
		group, packed = 3, []int{3, 2, 2}
	}
	for len(high) < n {
		code, bits := 0, 0
		for i := range group {
			low = append(low, next(r.bits))
			code |= next(packed[i]) << bits
			bits += packed[i]
		}
		switch r.base {
		case 3:
			high = append(high, modelTrits(code)...)
		case 5:
			high = append(high, modelQuints(code)...)
		default:
			high = append(high, 0)
		}
	}
	return high[:n], low[:n]
}

// modelTrits unpacks five trits by the specification's manipulation of bits.
func modelTrits(v int) []int {
	bit := func(of, i int) int { return of >> i & 1 }
	var c, t2, t1, t0, t3, t4 int
	if v>>2&7 == 7 {
		c, t4, t3 = v>>5<<2|v&3, 2, 2
	} else {
		c = v & 31
		if v>>5&3 == 3 {
			t4, t3 = 2, bit(v, 7)
		} else {
			t4, t3 = bit(v, 7), v>>5&3
		}
	}
	switch {
	case c&3 == 3:
		t2, t1, t0 = 2, bit(c, 4), bit(c, 3)<<1|bit(c, 2)&^bit(c, 3)
	case c>>2&3 == 3:
		t2, t1, t0 = 2, 2, c&3
	default:
		t2, t1, t0 = bit(c, 4), c>>2&3, bit(c, 1)<<1|bit(c, 0)&^bit(c, 1)
	}
	return []int{t0, t1, t2, t3, t4}
}

// modelQuints unpacks three quints.
func modelQuints(v int) []int {
	bit := func(i int) int { return v >> i & 1 }
	if v>>1&3 == 3 && v>>5 == 0 {
		return []int{4, 4, bit(0)<<2 | bit(4)&^bit(0)<<1 | bit(3)&^bit(0)}
	}
	c, q2 := v&31, v>>5
	if v>>1&3 == 3 {
		c, q2 = v>>3&3<<3|^(v>>5)&3<<1|bit(0), 4
	}
	if c&7 == 5 {
		return []int{c >> 3, 4, q2}
	}
	return []int{c & 7, c >> 3, q2}
}

// letters puts the bits of v, the lowest called a, where the pattern has them.
func letters(pattern string, v int) int {
	out := 0
	for _, c := range pattern {
		out <<= 1
		if c >= 'a' {
			out |= v >> (c - 'a') & 1
		}
	}
	return out
}

// replicated repeats n bits until there are m.
func replicated(v, n, m int) int {
	out := 0
	for i := range m {
		out = out<<1 | v>>(n-1-i%n)&1
	}
	return out
}

// color returns an integer in 0..255, by the table of parameters.
func (r modelRange) color(high, low int) int {
	if r.base == 2 {
		return replicated(low, r.bits, 8)
	}
	p := map[modelRange]struct {
		b string
		c int
	}{{3, 1}: {"000000000", 204}, {5, 1}: {"000000000", 113}, {3, 2}: {"b000b0bb0", 93}, {5, 2}: {"b0000bb00", 54}, {3, 3}: {"cb000cbcb", 44}, {5, 3}: {"cb0000cbc", 26},
		{3, 4}: {"dcb000dcb", 22}, {5, 4}: {"dcb0000dc", 13}, {3, 5}: {"edcb000ed", 11}, {5, 5}: {"edcb0000e", 6}, {3, 6}: {"fedcb000f", 5}}[r]
	a := letters("aaaaaaaaa", low)
	u := (high*p.c + letters(p.b, low)) ^ a
	return a&0x80 | u>>2
}

// weight is an integer in 0..64.
func (r modelRange) weight(high, low int) int {
	var u int
	switch {
	case r.base == 2:
		u = replicated(low, r.bits, 6)
	case r.bits == 0 && r.base == 3:
		u = []int{0, 32, 63}[high]
	case r.bits == 0:
		u = []int{0, 16, 32, 47, 63}[high]
	default:
		p := map[modelRange]struct {
			b string
			c int
		}{{3, 1}: {"0000000", 50}, {5, 1}: {"0000000", 28}, {3, 2}: {"b000b0b", 23}, {5, 2}: {"b0000b0", 13}, {3, 3}: {"cb000cb", 11}}[r]
		a := letters("aaaaaaa", low)
		u = (high*p.c + letters(p.b, low)) ^ a
		u = a&0x20 | u>>2
	}
	if u > 32 {
		u++
	}
	return u
}

var modelWeightRanges = map[[2]int]modelRange{{2, 0}: {2, 1}, {3, 0}: {3, 0}, {4, 0}: {2, 2}, {5, 0}: {5, 0}, {6, 0}: {3, 1}, {7, 0}: {2, 3},
	{2, 1}: {5, 1}, {3, 1}: {3, 2}, {4, 1}: {2, 4}, {5, 1}: {5, 2}, {6, 1}: {3, 3}, {7, 1}: {2, 5}}

// modelModes are the rows of the specification's tables of block modes: the bits
// from 10 down to 0, and the weights each way as a letter and what is added.
var modelModes = map[bool][][2]string{
	true: {
		{"DPWWHHr00sq", "W4 H2 1"}, {"DPWWHHr01sq", "W8 H2 1"}, {"DPHHWWr10sq", "W2 H8 1"}, {"DP0HWWr11sq", "W2 H6 1"}, {"DP1WHHr11sq", "W2 H2 1"},
		{"DP00HHrsq00", "12 H2 1"}, {"DP01WWrsq00", "W2 12 1"}, {"DP1100rsq00", "6 10 1"}, {"DP1101rsq00", "10 6 1"}, {"HH10WWrsq00", "W6 H6 1"},
	},
	false: {
		{"DPHHWWrZZsq", "W2 H2 Z2"}, {"HH00ZZrsq00", "6 H2 Z2"}, {"ZZ01WWrsq00", "W2 6 Z2"}, {"HH10WWrsq00", "W2 H2 6"},
		{"DP1100rsq00", "6 2 2"}, {"DP1101rsq00", "2 6 2"}, {"DP1110rsq00", "2 2 6"},
	},
}

// mode reads the block mode.
func (m *modelASTC) mode() (grid [3]int, r modelRange, dual, ok bool) {
	for _, row := range modelModes[m.d == 1] {
		field := map[rune]int{}
		match := true
		for i, c := range row[0] {
			bit := int(m.block[10-i])
			if c == '0' || c == '1' {
				match = match && bit == int(c-'0')
			} else {
				field[c] = field[c]<<1 | bit
			}
		}
		if !match || field['s'] == 0 && field['q'] == 0 {
			continue
		}
		at, k := 0, 0
		for k < 3 {
			n, letter := 0, rune(0)
			for at < len(row[1]) && row[1][at] != ' ' {
				if c := rune(row[1][at]); c >= 'A' {
					letter = c
				} else {
					n = 10*n + int(c-'0')
				}
				at++
			}
			at++
			grid[k] = n + field[letter]
			k++
		}
		return grid, modelWeightRanges[[2]int{field['s']<<2 | field['q']<<1 | field['r'], field['P']}], field['D'] == 1, true
	}
	return grid, r, false, false
}

// modelTexel is what a texel is.
type modelTexel struct {
	bad, halves bool
	c           [4]int
	log         [4]bool
}

// texel decodes one texel.
func (m *modelASTC) texel(x, y, z int) (out modelTexel) {
	bad := modelTexel{bad: true}
	if m.block.number(0, 9) == 0x1fc {
		return m.void()
	}
	grid, r, dual, ok := m.mode()
	planes := 1
	if dual {
		planes = 2
	}
	n := grid[0] * grid[1] * grid[2] * planes
	parts := m.block.number(11, 2) + 1
	if !ok || grid[0] > m.w || grid[1] > m.h || grid[2] > m.d || n > 64 || r.size(n) < 24 || r.size(n) > 96 || dual && parts == 4 {
		return bad
	}
	// The color endpoint modes.
	below := 128 - r.size(n)
	modes := []int{m.block.number(13, 4)}
	first, config := 17, 17
	if parts > 1 {
		first, config = 29, 29
		modes = slices.Repeat([]int{m.block.number(25, 4)}, parts)
		if base := m.block.number(23, 2); base != 0 {
			config = 25 + 3*parts
			extra := 3*parts - 4
			below -= extra
			field := append(slices.Clone(m.block[23:29]), m.block[below:below+extra]...)
			for i := range parts {
				modes[i] = 4*(base-1+field.number(2+i, 1)) + field.number(2+parts+2*i, 2)
			}
		}
	}
	selected := -1
	if dual {
		config += 2
		selected = m.block.number(below-2, 2)
	}
	count := 0
	for _, v := range modes {
		count += 2 * (v/4 + 1)
	}
	if count > 18 {
		return bad
	}
	var best modelRange
	for _, c := range []modelRange{{3, 1}, {2, 3}, {5, 1}, {3, 2}, {2, 4}, {5, 2}, {3, 3}, {2, 5}, {5, 3}, {3, 4}, {2, 6}, {5, 4}, {3, 5}, {2, 7}, {5, 5}, {3, 6}, {2, 8}} {
		if c.size(count) <= 128-config-r.size(n) && (best.base == 0 || c.steps() > best.steps()) {
			best = c
		}
	}
	if best.base == 0 {
		return bad
	}
	high, low := best.digits(m.block[first:], count)
	var v []int
	for i := range high {
		v = append(v, best.color(high[i], low[i]))
	}
	part := 0
	if parts > 1 {
		part = modelPartition(m.block.number(13, 10), x, y, z, parts, m.w*m.h*m.d < 31)
	}
	for _, skip := range modes[:part] {
		v = v[2*(skip/4+1):]
	}
	mode := modes[part]
	if slices.Contains([]int{2, 3, 7, 11, 14, 15}, mode) {
		if !m.hdr {
			return bad
		}
		out.log = [4]bool{true, true, true, mode != 14}
	}
	e := modelEnds(mode, v)
	weights := m.weights(grid, r, planes, x, y, z)
	for ch := range 4 {
		w := weights[0]
		if ch == selected {
			w = weights[1]
		}
		c0, c1 := m.expand(e[0][ch], ch, out.log[ch]), m.expand(e[1][ch], ch, out.log[ch])
		out.c[ch] = (c0*(64-w) + c1*w + 32) / 64
	}
	return out
}

// expand makes the color of an end one of 16 bits.
func (m *modelASTC) expand(v, ch int, log bool) int {
	switch {
	case log:
		return v * 16
	case m.srgb && ch < 3:
		return v*256 + 128
	}
	return v*256 + v
}

// void reads a block of one color.
func (m *modelASTC) void() modelTexel {
	out := modelTexel{halves: m.block[9] == 1}
	n, at, axes := 13, 12, 2
	if m.d > 1 {
		n, at, axes = 9, 10, 3
	} else if m.block[10] != 1 || m.block[11] != 1 {
		return modelTexel{bad: true}
	}
	ones, wrong := true, false
	for i := range axes {
		low, high := m.block.number(at+2*n*i, n), m.block.number(at+2*n*i+n, n)
		ones = ones && low == 1<<n-1 && high == 1<<n-1
		wrong = wrong || low >= high
	}
	if wrong && !ones || out.halves && !m.hdr {
		return modelTexel{bad: true}
	}
	for ch := range 4 {
		out.c[ch] = m.block.number(64+16*ch, 16)
	}
	return out
}

// weights returns the weight of a texel in each plane.
func (m *modelASTC) weights(grid [3]int, r modelRange, planes, x, y, z int) (out [2]int) {
	reversed := slices.Clone(m.block)
	slices.Reverse(reversed)
	high, low := r.digits(reversed, grid[0]*grid[1]*grid[2]*planes)
	var g [3]int
	for i, at := range []int{x, y, z} {
		if size := []int{m.w, m.h, m.d}[i]; size > 1 {
			g[i] = ((1024+size/2)/(size-1)*at*(grid[i]-1) + 32) >> 6
		}
	}
	for plane := range planes {
		stored := func(i, j, k int) int {
			if i >= grid[0] || j >= grid[1] || k >= grid[2] {
				return 0 // beyond the edge, where the part is 0
			}
			n := ((k*grid[1]+j)*grid[0]+i)*planes + plane
			return r.weight(high[n], low[n])
		}
		i, j, k := g[0]>>4, g[1]>>4, g[2]>>4
		f := [3]int{g[0] & 15, g[1] & 15, g[2] & 15}
		if m.d == 1 {
			w11 := (f[0]*f[1] + 8) >> 4
			out[plane] = (stored(i, j, 0)*(16-f[0]-f[1]+w11) + stored(i+1, j, 0)*(f[0]-w11) + stored(i, j+1, 0)*(f[1]-w11) + stored(i+1, j+1, 0)*w11 + 8) >> 4
			continue
		}
		// Axes by falling fraction; of equal ones r is before t, and t before s.
		axes := []int{2, 1, 0}
		slices.SortStableFunc(axes, func(a, b int) int { return f[b] - f[a] })
		at := [3]int{i, j, k}
		sum := stored(i, j, k) * (16 - f[axes[0]])
		for n, axis := range axes {
			at[axis]++
			next := 0
			if n < 2 {
				next = f[axes[n+1]]
			}
			sum += stored(at[0], at[1], at[2]) * (f[axis] - next)
		}
		out[plane] = (sum + 8) >> 4
	}
	return out
}

// modelPartition is the specification's selection of a partition.
func modelPartition(seed, x, y, z, count int, small bool) int {
	if small {
		x, y, z = x*2, y*2, z*2
	}
	seed += (count - 1) * 1024
	n := uint32(seed)
	n ^= n >> 15
	n -= n << 17
	n += n << 7
	n += n << 4
	n ^= n >> 5
	n += n << 16
	n ^= n >> 7
	n ^= n >> 3
	n ^= n << 6
	n ^= n >> 17
	var s [13]int
	for i, low := range []int{0, 4, 8, 12, 16, 20, 24, 28, 18, 22, 26} {
		s[i+1] = int(n >> low & 15)
	}
	s[12] = int((n>>30 | n<<2) & 15)
	pick := func(cond bool, a, b int) int {
		if cond {
			return a
		}
		return b
	}
	sh1, sh2 := pick(count == 3, 6, 5), pick(seed&2 != 0, 4, 5)
	if seed&1 == 1 {
		sh1, sh2 = sh2, sh1
	}
	sh3 := pick(seed&16 != 0, sh1, sh2)
	for i := 1; i <= 12; i++ {
		s[i] = s[i] * s[i] >> pick(i > 8, sh3, pick(i%2 == 1, sh1, sh2))
	}
	v := [4]int{s[1]*x + s[2]*y + s[11]*z + int(n>>14), s[3]*x + s[4]*y + s[12]*z + int(n>>10), s[5]*x + s[6]*y + s[9]*z + int(n>>6), s[7]*x + s[8]*y + s[10]*z + int(n>>2)}
	best := 0
	for i := range v {
		v[i] &= 63
		if i >= count && i >= 2 {
			v[i] = 0
		}
		if v[i] > v[best] {
			best = i
		}
	}
	return best
}
