package format

import (
	"strconv"
	"strings"
)

// modelHalves and modelThirds are the partition tables of BPTC as the
// specification prints them: for each pattern the subset of each texel.
const (
	modelHalves = `
	0011001100110011 0001000100010001 0111011101110111 0001001100110111 0000000100010011 0011011101111111 0001001101111111 0000000100110111
	0000000000010011 0011011111111111 0000000101111111 0000000000010111 0001011111111111 0000000011111111 0000111111111111 0000000000001111
	0000100011101111 0111000100000000 0000000010001110 0111001100010000 0011000100000000 0000100011001110 0000000010001100 0111001100110001
	0011000100010000 0000100010001100 0110011001100110 0011011001101100 0001011111101000 0000111111110000 0111000110001110 0011100110011100
	0101010101010101 0000111100001111 0101101001011010 0011001111001100 0011110000111100 0101010110101010 0110100101101001 0101101010100101
	0111001111001110 0001001111001000 0011001001001100 0011101111011100 0110100110010110 0011110011000011 0110011010011001 0000011001100000
	0100111001000000 0010011100100000 0000001001110010 0000010011100100 0110110010010011 0011011011001001 0110001110011100 0011100111000110
	0110110011001001 0110001100111001 0111111010000001 0001100011100111 0000111100110011 0011001111110000 0010001011101110 0100010001110111`
	modelThirds = `
	0011001102212222 0001001122112221 0000200122112211 0222002200110111 0000000011221122 0011001100220022 0022002211111111 0011001122112211
	0000000011112222 0000111111112222 0000111122222222 0012001200120012 0112011201120112 0122012201220122 0011011211221222 0011200122002220
	0001001101121122 0111001120012200 0000112211221122 0022002200221111 0111011102220222 0001000122212221 0000001101220122 0000110022102210
	0122012200110000 0012001211222222 0110122112210110 0000011012211221 0022110211020022 0110011020022222 0011012201220011 0000200022112221
	0000000211221222 0222002200120011 0011001200220222 0120012001200120 0000111122220000 0120120120120120 0120201212010120 0011220011220011
	0011112222000011 0101010122222222 0000000021212121 0022112200221122 0022001100220011 0220122102201221 0101222222220101 0000212121212121
	0101010101012222 0222011102220111 0002111200021112 0000211221122112 0222011101110222 0002111211120002 0110011001102222 0000000021122112
	0110011022222222 0022001100110022 0022112211220022 0000000000002112 0002000100020001 0222122202221222 0101222222222222 0111201122012220`
)

var rowsOfHalves, rowsOfThirds = strings.Fields(modelHalves), strings.Fields(modelThirds)

// bitString is a block as its bits, the lowest first.
type bitString []byte

func bitsOf(block []byte) bitString {
	var s bitString
	for _, b := range block {
		for i := range 8 {
			s = append(s, b>>i&1)
		}
	}
	return s
}

// number reads the bits from at on, n of them, the lowest first; beyond the end
// they are 0.
func (s bitString) number(at, n int) int {
	v := 0
	for i := range n {
		if at+i < len(s) {
			v |= int(s[at+i]) << i
		}
	}
	return v
}

// read takes n bits off the front.
func (s *bitString) read(n int) int {
	v := s.number(0, n)
	*s = (*s)[n:]
	return v
}

var modelWeights = map[int][]int{2: {0, 21, 43, 64}, 3: {0, 9, 18, 27, 37, 46, 55, 64}, 4: {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64}}

// anchors are where, by the specification's tables, an index is a bit short: the
// first texel and one in each further subset.
func anchors(subsets, pattern int) []int {
	second := strings.Fields("15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 2 8 2 2 8 8 15 2 8 2 2 8 8 2 2 15 15 6 8 2 8 15 15 2 8 2 2 2 15 15 6 6 2 6 8 15 15 2 2 15 15 15 15 15 2 2 15")
	secondOf3 := strings.Fields("3 3 15 15 8 3 15 15 8 8 6 6 6 5 3 3 3 3 8 15 3 3 6 10 5 8 8 6 8 5 15 15 8 15 3 5 6 10 8 15 15 3 15 5 15 15 15 15 3 15 5 5 5 8 5 10 5 10 8 13 15 12 3 3")
	thirdOf3 := strings.Fields("15 8 8 3 15 15 3 8 15 15 15 15 15 15 15 8 15 8 15 3 15 8 15 8 3 15 6 10 15 15 10 8 15 3 15 10 10 8 9 10 6 15 8 15 3 6 6 8 15 3 15 15 15 15 15 15 15 15 15 15 3 15 15 8")
	at := func(table []string) int { n, _ := strconv.Atoi(table[pattern]); return n }
	switch subsets {
	case 2:
		return []int{0, at(second)}
	case 3:
		return []int{0, at(secondOf3), at(thirdOf3)}
	}
	return []int{0}
}

// subsetOf is the subset of a texel.
func subsetOf(subsets, pattern, texel int) int {
	switch subsets {
	case 2:
		return int(rowsOfHalves[pattern][texel] - '0')
	case 3:
		return int(rowsOfThirds[pattern][texel] - '0')
	}
	return 0
}

// readIndices reads an index for each texel.
func (s *bitString) readIndices(n int, short []int) (indices [16]int) {
	for i := range indices {
		bits := n
		for _, a := range short {
			if a == i {
				bits--
			}
		}
		indices[i] = s.read(bits)
	}
	return indices
}

// modelBC7 decodes a block by the specification's table of modes: subsets, bits
// of partition, rotation, index selection, color and alpha, of ends and of
// pairs, and of the indices.
func modelBC7(block []byte) (texels [16][4]int) {
	table := [8][10]int{{3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0}, {3, 6, 0, 0, 5, 0, 0, 0, 2, 0}, {2, 6, 0, 0, 7, 0, 1, 0, 2, 0},
		{1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2}, {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0}}
	s := bitsOf(block)
	mode := 0
	for ; s.read(1) == 0; mode++ {
		if mode == 7 {
			return texels
		}
	}
	m := table[mode]
	subsets, pattern, rotation, selection := m[0], s.read(m[1]), s.read(m[2]), s.read(m[3])
	var fields [4][6][]int // by channel and end: its bits, the lowest first
	for ch := range 4 {
		for e := range 2 * subsets {
			for range m[4+ch/3] {
				fields[ch][e] = append(fields[ch][e], s.read(1))
			}
		}
	}
	for e := 0; e < 2*subsets; e++ {
		var p []int
		switch {
		case m[6] == 1:
			p = []int{s.read(1)}
		case m[7] == 1 && e%2 == 0:
			p = []int{s.read(1)}
			for ch := range 3 {
				fields[ch][e+1] = append(p[:1:1], fields[ch][e+1]...)
			}
		}
		for ch := range 4 {
			if len(fields[ch][e]) > 0 {
				fields[ch][e] = append(p[:len(p):len(p)], fields[ch][e]...)
			}
		}
	}
	end := func(ch, e int) int {
		f := fields[ch][e]
		if len(f) == 0 {
			return 255
		}
		v := 0
		for i := range 8 { // from the highest bit down, again from the top where they end
			v = v<<1 | f[len(f)-1-i%len(f)]
		}
		return v
	}
	short := anchors(subsets, pattern)
	first := s.readIndices(m[8], short)
	colorIndex, alphaIndex, colorBits, alphaBits := first, first, m[8], m[8]
	if m[9] != 0 {
		second := s.readIndices(m[9], short)
		alphaIndex, alphaBits = second, m[9]
		if selection == 1 {
			colorIndex, colorBits, alphaIndex, alphaBits = second, m[9], first, m[8]
		}
	}
	for i := range texels {
		set := subsetOf(subsets, pattern, i)
		for ch := range 4 {
			w := modelWeights[colorBits][colorIndex[i]]
			if ch == 3 {
				w = modelWeights[alphaBits][alphaIndex[i]]
			}
			texels[i][ch] = ((64-w)*end(ch, 2*set) + w*end(ch, 2*set+1) + 32) / 64
		}
		if rotation > 0 {
			t := &texels[i]
			t[3], t[rotation-1] = t[rotation-1], t[3]
		}
	}
	return texels
}

// modelBC6Modes are the specification's tables: whether the ends are distances,
// bits of partition, of ends and of distances, and where each bit goes.
var modelBC6Modes = map[int]struct {
	moved           bool
	partition, ends int
	delta           [3]int
	layout          string
}{
	0:  {true, 5, 10, [3]int{5, 5, 5}, "m[1:0],g2[4],b2[4],b3[4],r0[9:0],g0[9:0],b0[9:0],r1[4:0],g3[4],g2[3:0],g1[4:0],b3[0],g3[3:0],b1[4:0],b3[1],b2[3:0],r2[4:0],b3[2],r3[4:0],b3[3]"},
	1:  {true, 5, 7, [3]int{6, 6, 6}, "m[1:0],g2[5],g3[4],g3[5],r0[6:0],b3[0],b3[1],b2[4],g0[6:0],b2[5],b3[2],g2[4],b0[6:0],b3[3],b3[5],b3[4],r1[5:0],g2[3:0],g1[5:0],g3[3:0],b1[5:0],b2[3:0],r2[5:0],r3[5:0]"},
	2:  {true, 5, 11, [3]int{5, 4, 4}, "m[4:0],r0[9:0],g0[9:0],b0[9:0],r1[4:0],r0[10],g2[3:0],g1[3:0],g0[10],b3[0],g3[3:0],b1[3:0],b0[10],b3[1],b2[3:0],r2[4:0],b3[2],r3[4:0],b3[3]"},
	6:  {true, 5, 11, [3]int{4, 5, 4}, "m[4:0],r0[9:0],g0[9:0],b0[9:0],r1[3:0],r0[10],g3[4],g2[3:0],g1[4:0],g0[10],g3[3:0],b1[3:0],b0[10],b3[1],b2[3:0],r2[3:0],b3[0],b3[2],r3[3:0],g2[4],b3[3]"},
	10: {true, 5, 11, [3]int{4, 4, 5}, "m[4:0],r0[9:0],g0[9:0],b0[9:0],r1[3:0],r0[10],b2[4],g2[3:0],g1[3:0],g0[10],b3[0],g3[3:0],b1[4:0],b0[10],b2[3:0],r2[3:0],b3[1],b3[2],r3[3:0],b3[4],b3[3]"},
	14: {true, 5, 9, [3]int{5, 5, 5}, "m[4:0],r0[8:0],b2[4],g0[8:0],g2[4],b0[8:0],b3[4],r1[4:0],g3[4],g2[3:0],g1[4:0],b3[0],g3[3:0],b1[4:0],b3[1],b2[3:0],r2[4:0],b3[2],r3[4:0],b3[3]"},
	18: {true, 5, 8, [3]int{6, 5, 5}, "m[4:0],r0[7:0],g3[4],b2[4],g0[7:0],b3[2],g2[4],b0[7:0],b3[3],b3[4],r1[5:0],g2[3:0],g1[4:0],b3[0],g3[3:0],b1[4:0],b3[1],b2[3:0],r2[5:0],r3[5:0]"},
	22: {true, 5, 8, [3]int{5, 6, 5}, "m[4:0],r0[7:0],b3[0],b2[4],g0[7:0],g2[5],g2[4],b0[7:0],g3[5],b3[4],r1[4:0],g3[4],g2[3:0],g1[5:0],g3[3:0],b1[4:0],b3[1],b2[3:0],r2[4:0],b3[2],r3[4:0],b3[3]"},
	26: {true, 5, 8, [3]int{5, 5, 6}, "m[4:0],r0[7:0],b3[1],b2[4],g0[7:0],b2[5],g2[4],b0[7:0],b3[5],b3[4],r1[4:0],g3[4],g2[3:0],g1[4:0],b3[0],g3[3:0],b1[5:0],b2[3:0],r2[4:0],b3[2],r3[4:0],b3[3]"},
	30: {false, 5, 6, [3]int{6, 6, 6}, "m[4:0],r0[5:0],g3[4],b3[0],b3[1],b2[4],g0[5:0],g2[5],b2[5],b3[2],g2[4],b0[5:0],g3[5],b3[3],b3[5],b3[4],r1[5:0],g2[3:0],g1[5:0],g3[3:0],b1[5:0],b2[3:0],r2[5:0],r3[5:0]"},
	3:  {false, 0, 10, [3]int{10, 10, 10}, "m[4:0],r0[9:0],g0[9:0],b0[9:0],r1[9:0],g1[9:0],b1[9:0]"},
	7:  {true, 0, 11, [3]int{9, 9, 9}, "m[4:0],r0[9:0],g0[9:0],b0[9:0],r1[8:0],r0[10],g1[8:0],g0[10],b1[8:0],b0[10]"},
	11: {true, 0, 12, [3]int{8, 8, 8}, "m[4:0],r0[9:0],g0[9:0],b0[9:0],r1[7:0],r0[10:11],g1[7:0],g0[10:11],b1[7:0],b0[10:11]"},
	15: {true, 0, 16, [3]int{4, 4, 4}, "m[4:0],r0[9:0],g0[9:0],b0[9:0],r1[3:0],r0[10:15],g1[3:0],g0[10:15],b1[3:0],b0[10:15]"},
}

// modelBC6 decodes a block to the bits of half floats.
func modelBC6(block []byte, signed bool) (texels [16][3]int) {
	s := bitsOf(block)
	mode := s.number(0, 2)
	if mode >= 2 {
		mode = s.number(0, 5)
	}
	m, ok := modelBC6Modes[mode]
	if !ok {
		return texels
	}
	values := map[string]int{}
	for _, piece := range strings.Split(m.layout, ",") {
		name, places, _ := strings.Cut(strings.TrimSuffix(piece, "]"), "[")
		from, to, isRange := strings.Cut(places, ":")
		a, _ := strconv.Atoi(from)
		b := a
		if isRange {
			b, _ = strconv.Atoi(to)
		}
		for bit := b; ; { // the lowest bit of the block goes to b
			values[name] |= s.read(1) << bit
			if bit == a {
				break
			}
			if a > b {
				bit++
			} else {
				bit--
			}
		}
	}
	sign := func(v, n int) int {
		if v>>(n-1)&1 == 1 {
			return v - 1<<n
		}
		return v
	}
	ends := 2
	if m.partition > 0 {
		ends = 4
	}
	var e [4][3]int
	for k := range ends {
		for ch := range 3 {
			v := values["rgb"[ch:ch+1]+strconv.Itoa(k)]
			if k > 0 && m.moved {
				v = (e[0][ch] + sign(v, m.delta[ch])) & (1<<m.ends - 1)
			}
			e[k][ch] = v
		}
	}
	for k := range ends {
		for ch := range 3 {
			v := &e[k][ch]
			if signed {
				*v = sign(*v, m.ends)
			}
			*v = modelWhole(*v, m.ends, signed)
		}
	}
	subsets, pattern, bits := 1, 0, 4
	if m.partition > 0 {
		subsets, pattern, bits = 2, s.read(5), 3
	}
	indices := s.readIndices(bits, anchors(subsets, pattern))
	for i := range texels {
		set, w := subsetOf(subsets, pattern, i), modelWeights[bits][indices[i]]
		for ch := range 3 {
			v := ((64-w)*e[2*set][ch] + w*e[2*set+1][ch] + 32) >> 6
			switch {
			case !signed:
				v = v * 31 / 64
			case v < 0:
				v = -v*31/32 + 0x8000
			default:
				v = v * 31 / 32
			}
			texels[i][ch] = v
		}
	}
	return texels
}

// modelWhole widens a number of n bits to 16.
func modelWhole(v, n int, signed bool) int {
	if signed {
		switch {
		case n >= 16:
			return v
		case v < 0:
			return -modelWhole(-v, n, true)
		case v == 0:
			return 0
		case v >= 1<<(n-1)-1:
			return 0x7fff
		}
		return (v*0x8000 + 0x4000) >> (n - 1)
	}
	switch {
	case n >= 15 || v == 0:
		return v
	case v == 1<<n-1:
		return 0xffff
	}
	return (v*0x8000 + 0x4000) >> (n - 1)
}
