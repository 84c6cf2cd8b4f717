package format

// Layout is how texels of a format follow each other without gaps: in blocks of
// Width by Height by Depth texels, 1 by 1 by 1 where nothing is compressed, and 2
// by 1 where two texels share chroma.
type Layout struct {
	Bytes                int // of a block
	Width, Height, Depth int // texels of a block
}

// Layout returns the layout of a format in one plane; of one in planes each plane
// has its own, that of its format.
func (i *Info) Layout() Layout {
	l := Layout{i.Bytes, 1, 1, 1}
	if b, ok := i.Blocks(); ok {
		l.Width, l.Height, l.Depth = b.Width, b.Height, b.Depth
	}
	if x, _ := i.Subsampled(); x == 2 && i.Planes == 0 {
		l.Width = 2
	}
	return l
}

// Blocks returns how many blocks hold so many texels each way.
func (l Layout) Blocks(width, height, depth int) (x, y, z int) {
	return (width + l.Width - 1) / l.Width, (height + l.Height - 1) / l.Height, (depth + l.Depth - 1) / l.Depth
}

// Pitches returns the bytes from a row of blocks to the next and from a slice, or
// a layer, to the next, where a row has so many texels and a slice so many rows.
func (l Layout) Pitches(width, height int) (row, slice uint64) {
	x, y, _ := l.Blocks(width, height, 1)
	row = uint64(x) * uint64(l.Bytes)
	return row, row * uint64(y)
}

// Size returns the bytes of so many texels each way, slice behind slice.
func (l Layout) Size(width, height, depth int) uint64 {
	_, slice := l.Pitches(width, height)
	_, _, z := l.Blocks(1, 1, depth)
	return slice * uint64(z)
}

// Levels returns the most mip levels that an image of so many texels can have
// (VUID-VkImageCreateInfo-mipLevels-00958).
func Levels(width, height, depth int) int {
	n := 1
	for most := max(width, height, depth); most > 1; most >>= 1 {
		n++
	}
	return n
}

// LevelExtent returns how many texels of n along an axis a mip level has (Vulkan
// §"Image Mip Level Sizing").
func LevelExtent(n, level int) int {
	if level >= 63 {
		return 1
	}
	return max(n>>level, 1)
}

// Extent returns how many texels the plane has of an image with so many.
func (p Plane) Extent(width, height int) (x, y int) {
	return (width + p.DivX - 1) / p.DivX, (height + p.DivY - 1) / p.DivY
}

// BufferCopy is how texels of an image stand in a buffer (VkBufferImageCopy). The
// lengths are of texels.
type BufferCopy struct {
	Offset               uint64
	RowLength            int // texels from a row to the next, 0 is Width
	ImageHeight          int // rows from a slice to the next, 0 is Height
	Width, Height, Depth int // texels that are copied; layers count as depth
}

// Pitches returns the bytes from a row of blocks to the next and from a slice to
// the next (Vulkan §"Buffer and Image Addressing").
func (c *BufferCopy) Pitches(l Layout) (row, slice uint64) {
	width, height := c.RowLength, c.ImageHeight
	if width == 0 {
		width = c.Width
	}
	if height == 0 {
		height = c.Height
	}
	return l.Pitches(width, height)
}

// End returns the byte of the buffer after the last that is read or written,
// which is Offset where nothing is.
func (c *BufferCopy) End(l Layout) uint64 {
	if c.Width <= 0 || c.Height <= 0 || c.Depth <= 0 {
		return c.Offset
	}
	row, slice := c.Pitches(l)
	x, y, z := l.Blocks(c.Width, c.Height, c.Depth)
	return c.Offset + uint64(z-1)*slice + uint64(y-1)*row + uint64(x)*uint64(l.Bytes)
}

// CopyFormat returns the format in which one aspect of a depth/stencil format
// stands in a buffer, and that of others, which is their own (Vulkan
// §"Depth/Stencil Aspect Copy").
func (i *Info) CopyFormat(a Aspect) string {
	if a == Stencil && i.Aspects&Stencil != 0 {
		return "S8_UINT"
	}
	switch i.Name {
	case "D16_UNORM_S8_UINT":
		return "D16_UNORM"
	case "D24_UNORM_S8_UINT":
		return "X8_D24_UNORM_PACK32"
	case "D32_SFLOAT_S8_UINT":
		return "D32_SFLOAT"
	}
	return i.Name
}
