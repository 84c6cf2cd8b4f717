package format

import "encoding/binary"

// A word of PVRTC holds one texel of each of two small images, A and B, and says of
// the texels of its block how much of each they are. Both images are widened to the
// size of the large one, so that a texel is made of the words of up to four blocks, and
// its weight of up to three (Khronos Data Format §"PVRTC Compressed Texture Image
// Formats").

// woven is the blocks of an image of PVRTC. Those of all generations follow each other
// row by row, as blocks of any format do where Vulkan copies them: docs/undefined.md.
type woven struct {
	*Blocks
	words         []byte
	columns, rows int
}

// pixel is a color in codes of 8 bits, or fewer, in the order R, G, B, A.
type pixel [4]int

// word returns the word at a column and row, which wrap around.
func (w *woven) word(column, row int) uint64 {
	column, row = (column+w.columns)%w.columns, (row+w.rows)%w.rows
	return binary.LittleEndian.Uint64(w.words[8*(row*w.columns+column):])
}

// Of the bits of a word: the layout of weights, and where colors are not mixed with
// those around them, which only the second generation has.
func modulated(word uint64) bool       { return word>>32&1 != 0 }
func (w *woven) hard(word uint64) bool { return w.class == pvrtc2 && word>>47&1 != 0 }

// widened8 widens so many bits to 8.
func widened8(c, bits int) int { return c<<(8-bits) | c>>(2*bits-8) }

// colors returns the colors A and B of a word, with 5 bits, 4 of alpha.
func (w *woven) colors(word uint64) (a, b pixel) {
	lower, upper := int(word>>32&0xffff), int(word>>48)
	least := 0
	if w.class == pvrtc2 { // one flag for both; alpha of B reaches the greatest
		lower = lower&0x7fff | upper&0x8000
		least = 1
	}
	if lower&0x8000 != 0 { // opaque
		a = pixel{lower >> 10 & 31, lower >> 5 & 31, lower&30 | lower>>4&1, 15}
	} else {
		a = pixel{lower>>7&30 | lower>>11&1, lower>>3&30 | lower>>7&1, lower<<1&28 | lower>>2&3, lower >> 11 & 14}
	}
	if upper&0x8000 != 0 {
		return a, pixel{upper >> 10 & 31, upper >> 5 & 31, upper & 31, 15}
	}
	return a, pixel{upper>>7&30 | upper>>11&1, upper>>3&30 | upper>>7&1, upper<<1&30 | upper>>3&1, upper>>11&14 | least}
}

// own returns the colors of a word with 8 bits.
func (w *woven) own(word uint64) (a, b pixel) {
	a, b = w.colors(word)
	for i := range 3 {
		a[i], b[i] = widened8(a[i], 5), widened8(b[i], 5)
	}
	a[3], b[3] = widened8(a[3], 4), widened8(b[3], 4)
	return a, b
}

// corners are the words of the four colors around a texel, from the upper left on, and
// how far it is from the first: up to the block's width and height.
type corners struct {
	words [4]uint64
	x, y  int
}

// around returns the words around the texel at x, y.
func (w *woven) around(x, y int) (c corners) {
	x, y = x+w.Width/2, y+w.Height/2 // from the block before the first on
	column, row := x/w.Width-1, y/w.Height-1
	for i := range c.words {
		c.words[i] = w.word(column+i&1, row+i>>1)
	}
	c.x, c.y = x%w.Width, y%w.Height
	return c
}

// mixed returns the colors of images A and B between the corners, with 8 bits.
func (w *woven) mixed(c corners) (a, b pixel) {
	for i, word := range c.words {
		weight := [2]int{w.Width - c.x, c.x}[i&1] * [2]int{w.Height - c.y, c.y}[i>>1]
		p, q := w.colors(word)
		for k := range p {
			a[k] += p[k] * weight
			b[k] += q[k] * weight
		}
	}
	more := 0 // bits of the fraction beyond those of blocks of 4 by 4
	if w.Width == 8 {
		more = 1
	}
	for _, p := range []*pixel{&a, &b} {
		for k := range 3 {
			p[k] = p[k]>>(1+more) + p[k]>>(6+more)
		}
		p[3] = p[3]>>more + p[3]>>(4+more)
	}
	return a, b
}

// weights of two bits in the standard mode, in eighths of B.
var pvrtcWeights = [4]int{0, 3, 5, 8}

// stored returns the two bits of the texel at x, y of the block of a word that has
// them: where each texel has its own bit, or at the corner, both are that bit.
func (w *woven) stored(word uint64, x, y int) int {
	if w.Width == 4 {
		return int(word >> (2 * (4*y + x)) & 3)
	}
	if !modulated(word) {
		return int(word>>(8*y+x)&1) * 3
	}
	at := 2 * (4*y + x/2)
	if x == 0 && y == 0 || x == 4 && y == 2 && word&1 != 0 {
		return int(word>>(at+1)&1) * 3
	}
	return int(word >> at & 3)
}

// bits returns the two bits of the texel at x, y of the image, and the word of its
// block.
func (w *woven) bits(x, y int) (int, uint64) {
	x, y = (x+w.columns*w.Width)%(w.columns*w.Width), (y+w.rows*w.Height)%(w.rows*w.Height)
	word := w.word(x/w.Width, y/w.Height)
	return w.stored(word, x%w.Width, y%w.Height), word
}

// between returns the weight of a texel of a wide block: its own, or the mean of
// those of its neighbours that the word of its block names.
func (w *woven) between(x, y int) int {
	code, word := w.bits(x, y)
	if !modulated(word) || (x^y)&1 == 0 {
		return pvrtcWeights[code]
	}
	sum := func(places ...[2]int) (n int) {
		for _, p := range places {
			code, _ := w.bits(x+p[0], y+p[1])
			n += pvrtcWeights[code]
		}
		return (n + len(places)/2) / len(places)
	}
	left, right, up, down := [2]int{-1, 0}, [2]int{1, 0}, [2]int{0, -1}, [2]int{0, 1}
	switch {
	case word&1 == 0:
		return sum(left, right, up, down)
	case word>>20&1 != 0:
		return sum(up, down)
	}
	return sum(left, right)
}

// blend returns the mean of two colors, of which b has so many eighths.
func blend(a, b pixel, eighths int) (p pixel) {
	for k := range p {
		p[k] = (a[k]*(8-eighths) + b[k]*eighths) / 8
	}
	return p
}

// texel returns the color of the texel at x, y of the image.
func (w *woven) texel(x, y int) pixel {
	code, word := w.bits(x, y)
	c := w.around(x, y)
	hard := w.hard(c.words[0])
	if w.Width == 4 && hard && modulated(word) {
		return w.picked(c, code)
	}
	a, b := w.own(word)
	if !hard {
		a, b = w.mixed(c)
	}
	switch {
	case w.Width == 8:
		return blend(a, b, w.between(x, y))
	case !modulated(word):
		return blend(a, b, pvrtcWeights[code])
	case code == 2 && w.class == pvrtc2: // punched through: transparent black
		return pixel{}
	}
	p := blend(a, b, [4]int{0, 4, 4, 8}[code])
	if code == 2 {
		p[3] = 0
	}
	return p
}

// The colors of a local palette: A and B of the corners P, Q (right of it), R (below)
// and S.
const (
	paletteAP = iota
	paletteBP
	paletteAQ
	paletteBQ
	paletteAR
	paletteBR
	paletteAS
	paletteBS
)

// palette is which color the two bits of a texel mean, by its row and column between
// the corners; those of the first texel are weights instead.
var palette = [4][4][4]uint8{
	{{}, {paletteAP, paletteBP, paletteAQ, paletteBQ}, {paletteAP, paletteBP, paletteAQ, paletteBQ}, {paletteAP, paletteBP, paletteAQ, paletteBQ}},
	{{paletteAP, paletteBP, paletteAR, paletteBR}, {paletteAP, paletteBP, paletteAQ, paletteBR}, {paletteAP, paletteBP, paletteAQ, paletteBQ}, {paletteAS, paletteBP, paletteAQ, paletteBQ}},
	{{paletteAP, paletteBP, paletteAR, paletteBR}, {paletteAP, paletteBP, paletteAR, paletteBR}, {paletteAP, paletteBS, paletteAR, paletteBQ}, {paletteAS, paletteBS, paletteAQ, paletteBQ}},
	{{paletteAP, paletteBP, paletteAR, paletteBR}, {paletteAP, paletteBS, paletteAR, paletteBR}, {paletteAS, paletteBS, paletteAR, paletteBR}, {paletteAS, paletteBS, paletteAR, paletteBQ}},
}

// picked returns the color that the bits of a texel mean in the local palette.
func (w *woven) picked(c corners, code int) pixel {
	if c.x == 0 && c.y == 0 {
		a, b := w.own(c.words[0])
		return blend(a, b, pvrtcWeights[code])
	}
	n := palette[c.y][c.x][code]
	a, b := w.own(c.words[n/2])
	if n&1 == 0 {
		return a
	}
	return b
}

// NeedsNeighbors reports whether texels need the blocks around their own, as those of PVRTC do.
func (b *Blocks) NeedsNeighbors() bool { return b.class == pvrtc1 || b.class == pvrtc2 }

// DecodeAt is Decode of the block at a column and row of an image, whose blocks follow
// each other row by row, so many in each.
func (b *Blocks) DecodeAt(texels [][4]float32, blocks []byte, columns, column, row int) {
	if !b.NeedsNeighbors() {
		b.Decode(texels, blocks[(row*columns+column)*b.Bytes:][:b.Bytes])
		return
	}
	w := woven{b, blocks, columns, len(blocks) / (8 * columns)}
	for i := range b.Texels() {
		p := w.texel(column*b.Width+i%b.Width, row*b.Height+i/b.Width)
		b.bytes(&texels[i], uint8(p[R]), uint8(p[G]), uint8(p[B]), uint8(p[A]))
	}
}
