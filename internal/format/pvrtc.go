package format

import "encoding/binary"

// PVRTC stores two low-resolution images A and B, with one texel of each in a block's 64-bit word, and for each
// texel a modulation: the weight of B. Both images are upsampled bilinearly to full resolution and blended. A texel
// so depends on the words of up to four blocks, and its modulation on up to three (Khronos Data Format §"PVRTC
// Compressed Texture Image Formats").

// pvrtcGrid is the blocks of a PVRTC image, row by row in both generations, as Vulkan copies blocks of any
// format: docs/undefined.md. (The formats' own storage order is Morton order.)
type pvrtcGrid struct {
	*Blocks
	words         []byte
	columns, rows int
}

// pixel is a color R, G, B, A with channels of at most 8 bits.
type pixel [4]int

// word returns the word at a column and row, modulo the image's extent.
func (w *pvrtcGrid) word(column, row int) uint64 {
	column, row = (column+w.columns)%w.columns, (row+w.rows)%w.rows
	return binary.LittleEndian.Uint64(w.words[8*(row*w.columns+column):])
}

// modulationFlag and hardTransition read flags of a word: the alternative interpretation of the modulation bits,
// and (PVRTC2 only) that colors are not interpolated with neighbouring blocks.
func modulationFlag(word uint64) bool                { return word>>32&1 != 0 }
func (w *pvrtcGrid) hardTransition(word uint64) bool { return w.class == pvrtc2 && word>>47&1 != 0 }

// replicateBits8 expands c from bits bits to 8 by replicating its high bits.
func replicateBits8(c, bits int) int { return c<<(8-bits) | c>>(2*bits-8) }

// colors returns the colors A and B of a word, with 5 bits per channel, 4 for alpha.
func (w *pvrtcGrid) colors(word uint64) (a, b pixel) {
	lower, upper := int(word>>32&0xffff), int(word>>48)
	least := 0
	if w.class == pvrtc2 { // one opacity flag for both; B's alpha reaches the maximum
		lower = lower&0x7fff | upper&0x8000
		least = 1
	}
	if lower&0x8000 != 0 { // opaque: no alpha bits
		a = pixel{lower >> 10 & 31, lower >> 5 & 31, lower&30 | lower>>4&1, 15}
	} else {
		a = pixel{lower>>7&30 | lower>>11&1, lower>>3&30 | lower>>7&1, lower<<1&28 | lower>>2&3, lower >> 11 & 14}
	}
	if upper&0x8000 != 0 {
		return a, pixel{upper >> 10 & 31, upper >> 5 & 31, upper & 31, 15}
	}
	return a, pixel{upper>>7&30 | upper>>11&1, upper>>3&30 | upper>>7&1, upper<<1&30 | upper>>3&1, upper>>11&14 | least}
}

// expandedColors returns the colors A and B of a word with 8 bits per channel.
func (w *pvrtcGrid) expandedColors(word uint64) (a, b pixel) {
	a, b = w.colors(word)
	for i := range 3 {
		a[i], b[i] = replicateBits8(a[i], 5), replicateBits8(b[i], 5)
	}
	a[3], b[3] = replicateBits8(a[3], 4), replicateBits8(b[3], 4)
	return a, b
}

// corners are the words of the four blocks with their centres around a texel, from the upper left on, and the
// texel's distance from the first centre, less than the block's extent.
type corners struct {
	words [4]uint64
	x, y  int
}

// cornersAround returns the corners around the texel at x, y.
func (w *pvrtcGrid) cornersAround(x, y int) (c corners) {
	x, y = x+w.Width/2, y+w.Height/2 // so that the division begins at the previous block
	column, row := x/w.Width-1, y/w.Height-1
	for i := range c.words {
		c.words[i] = w.word(column+i&1, row+i>>1)
	}
	c.x, c.y = x%w.Width, y%w.Height
	return c
}

// interpolate returns the bilinearly interpolated colors of images A and B, with 8 bits per channel.
func (w *pvrtcGrid) interpolate(c corners) (a, b pixel) {
	for i, word := range c.words {
		weight := [2]int{w.Width - c.x, c.x}[i&1] * [2]int{w.Height - c.y, c.y}[i>>1]
		p, q := w.colors(word)
		for k := range p {
			a[k] += p[k] * weight
			b[k] += q[k] * weight
		}
	}
	more := 0 // fraction bits beyond those of 4×4 blocks
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

// pvrtcWeights maps modulation bits to the weight of B in eighths, in the standard mode.
var pvrtcWeights = [4]int{0, 3, 5, 8}

// modulation returns the two modulation bits that a word stores for the texel at x, y of its block. A texel with
// one bit (2 bits per pixel) has it twice.
func (w *pvrtcGrid) modulation(word uint64, x, y int) int {
	if w.Width == 4 {
		return int(word >> (2 * (4*y + x)) & 3)
	}
	if !modulationFlag(word) {
		return int(word>>(8*y+x)&1) * 3
	}
	at := 2 * (4*y + x/2)
	if x == 0 && y == 0 || x == 4 && y == 2 && word&1 != 0 {
		return int(word>>(at+1)&1) * 3
	}
	return int(word >> at & 3)
}

// modulationAt returns the modulation bits of the texel at x, y of the image, and its block's word.
func (w *pvrtcGrid) modulationAt(x, y int) (int, uint64) {
	x, y = (x+w.columns*w.Width)%(w.columns*w.Width), (y+w.rows*w.Height)%(w.rows*w.Height)
	word := w.word(x/w.Width, y/w.Height)
	return w.modulation(word, x%w.Width, y%w.Height), word
}

// interpolatedWeight returns the weight of a texel of an 8×4 block: its own, or the mean of its neighbours, by the
// block's mode. Blocks in this mode store every second texel, in a checkerboard.
func (w *pvrtcGrid) interpolatedWeight(x, y int) int {
	code, word := w.modulationAt(x, y)
	if !modulationFlag(word) || (x^y)&1 == 0 {
		return pvrtcWeights[code]
	}
	sum := func(places ...[2]int) (n int) {
		for _, p := range places {
			code, _ := w.modulationAt(x+p[0], y+p[1])
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

// blend returns the weighted mean of two colors, b with the given eighths.
func blend(a, b pixel, eighths int) (p pixel) {
	for k := range p {
		p[k] = (a[k]*(8-eighths) + b[k]*eighths) / 8
	}
	return p
}

// texel returns the color of the texel at x, y of the image.
func (w *pvrtcGrid) texel(x, y int) pixel {
	code, word := w.modulationAt(x, y)
	c := w.cornersAround(x, y)
	hard := w.hardTransition(c.words[0])
	if w.Width == 4 && hard && modulationFlag(word) {
		return w.localPaletteColor(c, code)
	}
	a, b := w.expandedColors(word)
	if !hard {
		a, b = w.interpolate(c)
	}
	switch {
	case w.Width == 8:
		return blend(a, b, w.interpolatedWeight(x, y))
	case !modulationFlag(word):
		return blend(a, b, pvrtcWeights[code])
	case code == 2 && w.class == pvrtc2: // punch-through: transparent black
		return pixel{}
	}
	p := blend(a, b, [4]int{0, 4, 4, 8}[code])
	if code == 2 {
		p[3] = 0
	}
	return p
}

// The colors of a local palette: A and B of the corners P, Q (right of P), R (below P) and S (below Q).
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

// palette maps a texel's two bits to a color of the local palette, by its row and column between the corners. The
// bits of the texel at (0, 0) are a weight instead.
var palette = [4][4][4]uint8{
	{{}, {paletteAP, paletteBP, paletteAQ, paletteBQ}, {paletteAP, paletteBP, paletteAQ, paletteBQ}, {paletteAP, paletteBP, paletteAQ, paletteBQ}},
	{{paletteAP, paletteBP, paletteAR, paletteBR}, {paletteAP, paletteBP, paletteAQ, paletteBR}, {paletteAP, paletteBP, paletteAQ, paletteBQ}, {paletteAS, paletteBP, paletteAQ, paletteBQ}},
	{{paletteAP, paletteBP, paletteAR, paletteBR}, {paletteAP, paletteBP, paletteAR, paletteBR}, {paletteAP, paletteBS, paletteAR, paletteBQ}, {paletteAS, paletteBS, paletteAQ, paletteBQ}},
	{{paletteAP, paletteBP, paletteAR, paletteBR}, {paletteAP, paletteBS, paletteAR, paletteBR}, {paletteAS, paletteBS, paletteAR, paletteBR}, {paletteAS, paletteBS, paletteAR, paletteBQ}},
}

// localPaletteColor returns the color that a texel's bits select in the local palette.
func (w *pvrtcGrid) localPaletteColor(c corners, code int) pixel {
	if c.x == 0 && c.y == 0 {
		a, b := w.expandedColors(c.words[0])
		return blend(a, b, pvrtcWeights[code])
	}
	n := palette[c.y][c.x][code]
	a, b := w.expandedColors(c.words[n/2])
	if n&1 == 0 {
		return a
	}
	return b
}

// NeedsNeighbors reports whether texels depend on neighbouring blocks, as in PVRTC: decode with DecodeAt.
func (b *Blocks) NeedsNeighbors() bool { return b.class == pvrtc1 || b.class == pvrtc2 }

// DecodeAt is Decode for the block at a column and row of an image; blocks are its blocks row by row, columns in
// each row.
func (b *Blocks) DecodeAt(texels [][4]float32, blocks []byte, columns, column, row int) {
	if !b.NeedsNeighbors() {
		b.Decode(texels, blocks[(row*columns+column)*b.Bytes:][:b.Bytes])
		return
	}
	w := pvrtcGrid{b, blocks, columns, len(blocks) / (8 * columns)}
	for i := range b.Texels() {
		p := w.texel(column*b.Width+i%b.Width, row*b.Height+i/b.Width)
		b.setBytes(&texels[i], uint8(p[R]), uint8(p[G]), uint8(p[B]), uint8(p[A]))
	}
}
