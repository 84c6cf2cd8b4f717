package format

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// pvrtcImage decodes an image of so many words in each row to codes of 8 bits.
func pvrtcImage(t *testing.T, name string, columns int, words ...uint64) (b *Blocks, image [][][4]int) {
	t.Helper()
	b = blocksOf(t, name)
	var data []byte
	for _, w := range words {
		data = binary.LittleEndian.AppendUint64(data, w)
	}
	rows := len(words) / columns
	image = make([][][4]int, rows*b.Height)
	for y := range image {
		image[y] = make([][4]int, columns*b.Width)
	}
	texels := make([][4]float32, b.Texels())
	for n := range words {
		b.DecodeAt(texels, data, columns, n%columns, n/columns)
		for i, v := range texels {
			var codes [4]int
			for ch, x := range v {
				for codes[ch] < 255 && unorm8(uint8(codes[ch])) != x {
					codes[ch]++
				}
				if unorm8(uint8(codes[ch])) != x {
					t.Fatalf("%s: %v is no number of 8 bits", name, x)
				}
			}
			image[n/columns*b.Height+i/b.Width][n%columns*b.Width+i%b.Width] = codes
		}
	}
	return b, image
}

// The fields of a word of PVRTC: colors, flags and weights.
const (
	pvrtcM  = 1 << 32
	pvrtcH  = 1 << 47
	pvrtcOp = 1 << 63
	whiteA  = 0x7ffe << 32 // with the flag at 47 opaque in the first generation
	whiteB  = 0x7fff << 48
	redA    = 31 << (10 + 32)
	blueB   = 31 << 48
)

// TestPVRTCByHand decodes words whose texels the formulas of the Khronos Data Format
// give by hand.
func TestPVRTCByHand(t *testing.T) {
	white, clear := [4]int{255, 255, 255, 255}, [4]int{}
	grey := func(n, alpha int) [4]int { return [4]int{n, n, n, alpha} }
	red := func(n int) [4]int { return [4]int{n, 0, 0, 255} }
	one := uint64(pvrtcOp | pvrtcH) // both colors opaque in the first generation
	two := uint64(pvrtcOp)
	for _, c := range []struct {
		what, format string
		columns      int
		words        []uint64
		row          int
		want         [][4]int // of the first texels of the row
	}{
		{"weights", "PVRTC1_4BPP_UNORM_BLOCK_IMG", 1, []uint64{one | whiteA | 0b11_10_01_00}, 0, [][4]int{white, grey(159, 255), grey(95, 255), grey(0, 255)}},
		{"weights", "PVRTC2_4BPP_UNORM_BLOCK_IMG", 1, []uint64{two | whiteA | 0b11_10_01_00}, 0, [][4]int{white, grey(159, 255), grey(95, 255), grey(0, 255)}},
		{"weights of row 2", "PVRTC1_4BPP_UNORM_BLOCK_IMG", 1, []uint64{one | whiteB | 0b11_10_01_00<<16}, 2, [][4]int{grey(0, 255), grey(95, 255), grey(159, 255), white}},
		{"punched through", "PVRTC1_4BPP_UNORM_BLOCK_IMG", 1, []uint64{one | pvrtcM | whiteA | 0b11_10_01_00}, 0, [][4]int{white, grey(127, 255), grey(127, 0), grey(0, 255)}},
		{"punched through to black", "PVRTC2_4BPP_UNORM_BLOCK_IMG", 1, []uint64{two | pvrtcM | whiteA | 0b11_10_01_00}, 0, [][4]int{white, grey(127, 255), clear, grey(0, 255)}},
		{"across two blocks", "PVRTC1_4BPP_UNORM_BLOCK_IMG", 2, []uint64{one | redA, one}, 1,
			[][4]int{red(127), red(191), red(255), red(191), red(127), red(63), red(0), red(63)}},
		{"across two wide blocks", "PVRTC1_2BPP_UNORM_BLOCK_IMG", 2, []uint64{one | redA, one}, 3,
			[][4]int{red(127), red(159), red(191), red(223), red(255), red(223), red(191), red(159), red(127), red(95), red(63), red(31), red(0), red(31), red(63), red(95)}},
		{"hard transition", "PVRTC2_4BPP_UNORM_BLOCK_IMG", 2, []uint64{two | redA | pvrtcH, two}, 3,
			[][4]int{red(127), red(191), red(255), red(255), red(0), red(0), red(0), red(63)}},
		{"hard transition of wide blocks", "PVRTC2_2BPP_UNORM_BLOCK_IMG", 2, []uint64{two | redA | pvrtcH, two}, 2,
			[][4]int{red(127), red(159), red(191), red(223), red(255), red(255), red(255), red(255), red(0), red(0), red(0), red(0), red(0)}},
		{"a bit each", "PVRTC1_2BPP_UNORM_BLOCK_IMG", 1, []uint64{one | whiteB | 0b10010110<<8}, 1,
			[][4]int{grey(0, 255), white, white, grey(0, 255), white, grey(0, 255), grey(0, 255), white}},
		// two bits of every second texel: of row 0 the texels 0, 2, 4, 6, of row 1 the
		// texels 1, 3, 5, 7; row 3 stands around above row 0. Texel 1: (8+3+5+0+2)/4.
		{"means of four", "PVRTC1_2BPP_UNORM_BLOCK_IMG", 1, []uint64{one | pvrtcM | whiteB | 0b00_11_01_10 | 0b11_10_01_10<<8}, 0,
			[][4]int{white, grey(127, 255), grey(95, 255), grey(127, 255), white}},
		{"means along x", "PVRTC1_2BPP_UNORM_BLOCK_IMG", 1, []uint64{one | pvrtcM | whiteB | 0b00_11_01_11 | 0b11_10_01_10<<8}, 0,
			[][4]int{white, grey(191, 255), grey(95, 255), grey(191, 255), white, grey(127, 255), grey(0, 255), grey(127, 255)}},
		{"means along y", "PVRTC1_2BPP_UNORM_BLOCK_IMG", 1, []uint64{one | pvrtcM | whiteB | 0b00_11_01_11 | 0b11_10_01_10<<8 | 1<<20}, 0,
			[][4]int{white, grey(95, 255), grey(95, 255), grey(63, 255), white, grey(95, 255), grey(0, 255), grey(127, 255)}},
		{"alpha of the first generation", "PVRTC1_4BPP_UNORM_BLOCK_IMG", 1, []uint64{7<<(12+32) | 7<<(12+48) | 0b11_00}, 0, [][4]int{grey(0, 238), grey(0, 238)}},
		{"alpha of the second", "PVRTC2_4BPP_UNORM_BLOCK_IMG", 1, []uint64{7<<(12+32) | 7<<(12+48) | 0b11_00}, 0, [][4]int{grey(0, 238), grey(0, 255)}},
	} {
		_, image := pvrtcImage(t, c.format, c.columns, c.words...)
		if got := image[c.row][:len(c.want)]; fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s, %s: %v; must be %v", c.format, c.what, got, c.want)
		}
	}
}

// pvrtcPalette is the table of colors of the local palette as the Khronos Data Format
// prints it: for each code the colors at x 0 to 3 of the rows 0 to 3. P, Q, R and S are
// the words from the upper left one on.
var pvrtcPalette = [4]string{
	"AP AP AP AP  AP AP AP AS  AP AP AP AS  AP AP AS AS",
	"-- BP BP BP  BP BP BP BP  BP BP BS BS  BP BS BS BS",
	"-- AQ AQ AQ  AR AQ AQ AQ  AR AR AR AQ  AR AR AR AR",
	"BP BQ BQ BQ  BR BR BQ BQ  BR BR BQ BQ  BR BR BR BQ",
}

// pvrtcModel is an image of PVRTC as the Khronos Data Format describes it: two small
// images, widened channel by channel, and a plane of weights.
type pvrtcModel struct {
	words         []uint64
	columns, rows int
	w             int // of a block
	second        bool
	low           [2][]([4]int) // 5 bits, 4 of alpha
	full          [2][]([4]int) // the same replicated to 8 bits
	width, height int
}

func newPVRTCModel(words []uint64, columns, w int, second bool) *pvrtcModel {
	m := &pvrtcModel{words: words, columns: columns, rows: len(words) / columns, w: w, second: second}
	m.width, m.height = columns*w, m.rows*4
	rep := func(bits string, n int) (v int) { // bits as text, repeated to n
		for i := range n {
			v = v<<1 | int(bits[i%len(bits)]-'0')
		}
		return v
	}
	for _, word := range words {
		text := fmt.Sprintf("%064b", word) // text[0] is bit 63
		for i, part := range []string{text[16:31], text[0:16]} {
			op := part[0] == '1'
			if i == 0 && second {
				op = text[0] == '1'
			}
			var c [4]int
			if op {
				c = [4]int{rep(part[1:6], 5), rep(part[6:11], 5), rep(part[11:], 5), 15}
			} else {
				alpha := part[1:4] + "0"
				if second && i == 1 {
					alpha = part[1:4] + "1"
				}
				c = [4]int{rep(part[4:8], 5), rep(part[8:12], 5), rep(part[12:], 5), rep(alpha, 4)}
			}
			m.low[i] = append(m.low[i], c)
			var e [4]int
			for k, v := range c {
				n := 5
				if k == 3 {
					n = 4
				}
				e[k] = rep(fmt.Sprintf("%0*b", n, v), 8)
			}
			m.full[i] = append(m.full[i], e)
		}
	}
	return m
}

// at returns the number of the word at X, Y, which wrap.
func (m *pvrtcModel) at(x, y int) int { return (y+m.rows)%m.rows*m.columns + (x+m.columns)%m.columns }

// code returns w(md(x, y)) of a texel that has modulation data.
func (m *pvrtcModel) code(x, y int) int {
	x, y = (x+m.width)%m.width, (y+m.height)%m.height
	word := m.words[m.at(x/m.w, y/4)]
	x, y = x%m.w, y%4
	field := func(bit, n int) int { return int(word >> bit & (1<<n - 1)) }
	switch {
	case m.w == 4:
		return field(2*x+8*y, 2)
	case word>>32&1 == 0:
		return 3 * field(x+8*y, 1)
	case x == 0 && y == 0:
		return 3 * field(1, 1)
	case x == 4 && y == 2 && word&1 == 1:
		return 3 * field(21, 1)
	}
	return field([...]int{0, 2, 4, 6}[x/2]+8*y, 2)
}

func (m *pvrtcModel) weight(x, y int) int {
	w := func(x, y int) int { return []int{0, 3, 5, 8}[m.code(x, y)] }
	word := m.words[m.at(x/m.w, y/4)]
	if m.w == 4 || word>>32&1 == 0 || (x+y)%2 == 0 {
		return w(x, y)
	}
	switch {
	case word&1 == 0:
		return (w(x-1, y) + w(x, y-1) + w(x+1, y) + w(x, y+1) + 2) / 4
	case word>>20&1 == 1:
		return (w(x, y-1) + w(x, y+1) + 1) / 2
	}
	return (w(x-1, y) + w(x+1, y) + 1) / 2
}

// texel is the color at x, y.
func (m *pvrtcModel) texel(x, y int) (p [4]int) {
	own := m.at(x/m.w, y/4)
	// by adding a block the floor is that of what is not negative
	lowX, lowY := (x-m.w/2+m.w)/m.w-1, (y-2+4)/4-1
	rx, ry := x-m.w/2-m.w*lowX, y-2-4*lowY
	hard := m.second && m.words[m.at(lowX, lowY)]>>47&1 == 1
	flag := m.words[own]>>32&1 == 1
	mix := func(a, b [4]int, w int) (p [4]int) {
		for k := range p {
			p[k] = (a[k]*(8-w) + b[k]*w) / 8
		}
		return p
	}
	if hard && flag && m.w == 4 {
		name := strings.Fields(pvrtcPalette[m.code(x, y)])[4*ry+rx]
		if rx == 0 && ry == 0 {
			n := m.at(lowX, lowY)
			return mix(m.full[0][n], m.full[1][n], m.weight(x, y))
		}
		of := strings.IndexByte("PQRS", name[1])
		return m.full[strings.IndexByte("AB", name[0])][m.at(lowX+of%2, lowY+of/2)]
	}
	var ab [2][4]int
	for i := range ab {
		if ab[i] = m.full[i][own]; hard {
			continue
		}
		for k := range 4 {
			c := func(dx, dy int) int { return m.low[i][m.at(lowX+dx, lowY+dy)][k] }
			sum := c(0, 0)*(m.w-rx)*(4-ry) + c(1, 0)*rx*(4-ry) + c(0, 1)*(m.w-rx)*ry + c(1, 1)*rx*ry
			switch {
			case m.w == 4 && k < 3:
				sum = sum/2 + sum/64
			case m.w == 4:
				sum += sum / 16
			case k < 3:
				sum = sum/4 + sum/128
			default:
				sum = sum/2 + sum/32
			}
			ab[i][k] = sum
		}
	}
	if m.w == 8 || !flag {
		return mix(ab[0], ab[1], m.weight(x, y))
	}
	p = mix(ab[0], ab[1], []int{0, 4, 4, 8}[m.code(x, y)])
	if m.code(x, y) == 2 {
		if p[3] = 0; m.second {
			p = [4]int{}
		}
	}
	return p
}

// TestPVRTC decodes random words, in images of one block and of several each way, and
// expects what the model has (docs/undefined.md: weights of two bits in wide blocks).
func TestPVRTC(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	for _, name := range []string{"PVRTC1_2BPP", "PVRTC1_4BPP", "PVRTC2_2BPP", "PVRTC2_4BPP"} {
		for n := range 200 {
			columns, rows := 1<<r.IntN(3), 1<<r.IntN(3)
			second := strings.HasPrefix(name, "PVRTC2")
			if second {
				columns, rows = 1+r.IntN(4), 1+r.IntN(4)
			}
			words := make([]uint64, columns*rows)
			for i := range words {
				words[i] = r.Uint64()
			}
			b, image := pvrtcImage(t, name+"_UNORM_BLOCK_IMG", columns, words...)
			m := newPVRTCModel(words, columns, b.Width, second)
			for y := range image {
				for x, got := range image[y] {
					if want := m.texel(x, y); got != want {
						t.Fatalf("%s, image %d of %d×%d words %x: texel %d, %d is %v; must be %v", name, n, columns, rows, words, x, y, got, want)
					}
				}
			}
		}
	}
}

// TestPVRTCSRGB expects the numbers of sRGB of codes, but for alpha.
func TestPVRTCSRGB(t *testing.T) {
	b := blocksOf(t, "PVRTC1_4BPP_SRGB_BLOCK_IMG")
	var texels [16][4]float32
	b.Decode(texels[:], binary.LittleEndian.AppendUint64(nil, pvrtcOp|pvrtcH|pvrtcM|whiteA|0b10_01))
	for i, alpha := range []float32{1, 0} {
		half := srgbLinear[127]
		if want := [4]float32{half, half, half, alpha}; texels[i] != want {
			t.Errorf("texel %d is %v; must be %v", i, texels[i], want)
		}
	}
}
