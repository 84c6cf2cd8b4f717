package format

// modelEnds makes the colors at the ends by the specification's procedures, of
// 8 bits or of 12 where they are logarithmic.
func modelEnds(mode int, v []int) (e [2][4]int) {
	v = append([]int(nil), v[:2*(mode/4+1)]...)
	transfer := func(i int) { // bit_transfer_signed of v[i+1] and v[i]
		v[i] = v[i]/2 | v[i+1]&0x80
		v[i+1] = v[i+1] / 2 & 0x3f
		if v[i+1]&0x20 != 0 {
			v[i+1] -= 0x40
		}
	}
	contract := func(c [4]int) [4]int { return [4]int{(c[0] + c[2]) >> 1, (c[1] + c[2]) >> 1, c[2], c[3]} }
	pair := func(a0, a1 int) ([4]int, [4]int) { // direct, contracted where the order is turned
		if v[1]+v[3]+v[5] >= v[0]+v[2]+v[4] {
			return [4]int{v[0], v[2], v[4], a0}, [4]int{v[1], v[3], v[5], a1}
		}
		return contract([4]int{v[1], v[3], v[5], a1}), contract([4]int{v[0], v[2], v[4], a0})
	}
	moved := func(a0, a1 int) ([4]int, [4]int) {
		low, high := [4]int{v[0], v[2], v[4], a0}, [4]int{v[0] + v[1], v[2] + v[3], v[4] + v[5], a0 + a1}
		if v[1]+v[3]+v[5] >= 0 {
			return low, high
		}
		return contract(high), contract(low)
	}
	gray := func(l, a int) [4]int { return [4]int{l, l, l, a} }
	switch mode {
	case 0:
		e[0], e[1] = gray(v[0], 255), gray(v[1], 255)
	case 1:
		l := v[0]/4 | v[1]&0xc0
		e[0], e[1] = gray(l, 255), gray(l+v[1]&0x3f, 255)
	case 4:
		e[0], e[1] = gray(v[0], v[2]), gray(v[1], v[3])
	case 5:
		transfer(0)
		transfer(2)
		e[0], e[1] = gray(v[0], v[2]), gray(v[0]+v[1], v[2]+v[3])
	case 6, 10:
		a0, a1 := 255, 255
		if mode == 10 {
			a0, a1 = v[4], v[5]
		}
		e[0], e[1] = [4]int{v[0] * v[3] / 256, v[1] * v[3] / 256, v[2] * v[3] / 256, a0}, [4]int{v[0], v[1], v[2], a1}
	case 8:
		e[0], e[1] = pair(255, 255)
	case 12:
		e[0], e[1] = pair(v[6], v[7])
	case 9:
		transfer(0)
		transfer(2)
		transfer(4)
		e[0], e[1] = moved(255, 0)
	case 13:
		transfer(0)
		transfer(2)
		transfer(4)
		transfer(6)
		e[0], e[1] = moved(v[6], v[7])
	default:
		return modelHDREnds(mode, v)
	}
	for k := range e {
		for i := range e[k] {
			e[k][i] = max(0, min(255, e[k][i]))
		}
	}
	return e
}

func clamp12(c [4]int) [4]int {
	for i := range c {
		c[i] = max(0, min(0xfff, c[i]))
	}
	return c
}

// modelHDREnds are the modes of high dynamic range.
func modelHDREnds(mode int, v []int) (e [2][4]int) {
	switch mode {
	case 2:
		y0, y1 := v[0]*16, v[1]*16
		if v[1] < v[0] {
			y0, y1 = v[1]*16+8, v[0]*16-8
		}
		return [2][4]int{{y0, y0, y0, 0x780}, {y1, y1, y1, 0x780}}
	case 3:
		y0, d := v[1]&0xf0*16|v[0]&0x7f*2, v[1]&0x0f*2
		if v[0]&0x80 != 0 {
			y0, d = v[1]&0xe0*16|v[0]&0x7f*4, v[1]&0x1f*4
		}
		y1 := min(y0+d, 0xfff)
		return [2][4]int{{y0, y0, y0, 0x780}, {y1, y1, y1, 0x780}}
	case 7:
		return modelMode7(v)
	}
	e = modelMode11(v)
	switch mode {
	case 14:
		e[0][3], e[1][3] = v[6], v[7]
	case 15:
		m := v[6]>>7 | v[7]>>7<<1
		a, b := v[6]&0x7f, v[7]&0x7f
		if m == 3 {
			a, b = a*32, b*32
		} else {
			a |= b << (m + 1) & 0x780
			b = b&(0x3f>>m) ^ 0x20>>m
			b -= 0x20 >> m
			a, b = a<<(4-m), b<<(4-m)
			b = max(0, min(0xfff, a+b))
		}
		e[0][3], e[1][3] = a, b
	}
	return e
}

// modelMode7 follows the masks of the specification's procedure.
func modelMode7(v []int) (e [2][4]int) {
	modeval := v[0]>>6 | v[1]>>7<<2 | v[2]>>7<<3
	major, mode := modeval>>2, modeval&3
	if modeval&0xc == 0xc {
		major, mode = modeval&3, 4
		if modeval == 15 {
			major, mode = 0, 5
		}
	}
	red, green, blue, scale := v[0]&0x3f, v[1]&0x1f, v[2]&0x1f, v[3]&0x1f
	x := [7]int{v[1] >> 6 & 1, v[1] >> 5 & 1, v[2] >> 6 & 1, v[2] >> 5 & 1, v[3] >> 7 & 1, v[3] >> 6 & 1, v[3] >> 5 & 1}
	for _, r := range []struct {
		modes    int
		to       *int
		from, at int
	}{
		{0x30, &green, 0, 6}, {0x3a, &green, 1, 5}, {0x30, &blue, 2, 6}, {0x3a, &blue, 3, 5}, {0x3d, &scale, 6, 5}, {0x2d, &scale, 5, 6}, {0x04, &scale, 4, 7},
		{0x3b, &red, 4, 6}, {0x04, &red, 3, 6}, {0x10, &red, 5, 7}, {0x0f, &red, 2, 7}, {0x05, &red, 1, 8}, {0x0a, &red, 0, 8}, {0x05, &red, 0, 9},
		{0x02, &red, 6, 9}, {0x01, &red, 3, 10}, {0x02, &red, 5, 10},
	} {
		if 1<<mode&r.modes != 0 {
			*r.to |= x[r.from] << r.at
		}
	}
	shift := []int{1, 1, 2, 3, 4, 5}[mode]
	red, green, blue, scale = red<<shift, green<<shift, blue<<shift, scale<<shift
	if mode != 5 {
		green, blue = red-green, red-blue
	}
	switch major {
	case 1:
		red, green = green, red
	case 2:
		red, blue = blue, red
	}
	return [2][4]int{clamp12([4]int{red - scale, green - scale, blue - scale, 0x780}), clamp12([4]int{red, green, blue, 0x780})}
}

// modelMode11 likewise.
func modelMode11(v []int) (e [2][4]int) {
	major := v[4]>>7 | v[5]>>7<<1
	if major == 3 {
		return [2][4]int{{v[0] * 16, v[2] * 16, v[4] & 0x7f * 32, 0x780}, {v[1] * 16, v[3] * 16, v[5] & 0x7f * 32, 0x780}}
	}
	mode := v[1]>>7 | v[2]>>7<<1 | v[3]>>7<<2
	va, vb0, vb1, vc := v[0]|v[1]&0x40<<2, v[2]&0x3f, v[3]&0x3f, v[1]&0x3f
	bits := []int{7, 6, 7, 6, 5, 6, 5, 6}[mode]
	signextend := func(n int) int {
		n &= 1<<bits - 1
		if n>>(bits-1) == 1 {
			n -= 1 << bits
		}
		return n
	}
	vd0, vd1 := signextend(v[4]&0x7f), signextend(v[5]&0x7f)
	x := [6]int{v[2] >> 6 & 1, v[3] >> 6 & 1, v[4] >> 6 & 1, v[5] >> 6 & 1, v[4] >> 5 & 1, v[5] >> 5 & 1}
	for _, r := range []struct {
		modes    int
		to       *int
		from, at int
	}{
		{0xa4, &va, 0, 9}, {0x08, &va, 2, 9}, {0x50, &va, 4, 9}, {0x50, &va, 5, 10}, {0xa0, &va, 1, 10}, {0xc0, &va, 2, 11},
		{0x04, &vc, 1, 6}, {0xe8, &vc, 3, 6}, {0x20, &vc, 2, 7}, {0x5b, &vb0, 0, 6}, {0x5b, &vb1, 1, 6}, {0x12, &vb0, 2, 7}, {0x12, &vb1, 3, 7},
	} {
		if 1<<mode&r.modes != 0 {
			*r.to |= x[r.from] << r.at
		}
	}
	shift := mode>>1 ^ 3
	va, vb0, vb1, vc, vd0, vd1 = va<<shift, vb0<<shift, vb1<<shift, vc<<shift, vd0<<shift, vd1<<shift
	e[1] = clamp12([4]int{va, va - vb0, va - vb1, 0x780})
	e[0] = clamp12([4]int{va - vc, va - vb0 - vc - vd0, va - vb1 - vc - vd1, 0x780})
	if major > 0 {
		for k := range e {
			e[k][0], e[k][major] = e[k][major], e[k][0]
		}
	}
	return e
}
