package format

// Layout is the size of a format's block: Width × Height × Depth texels in Bytes bytes. It is one texel
// for uncompressed formats, and 2×1×1 if two texels share chroma.
type Layout struct {
	Bytes                int // per block
	Width, Height, Depth int // texels per block
}

// Layout returns the layout of a single-plane format. The planes of a multi-planar format have the layouts of
// their own formats (PlaneList).
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

// Blocks returns the number of blocks along each axis of an extent in texels, rounded up.
func (l Layout) Blocks(width, height, depth int) (x, y, z int) {
	return (width + l.Width - 1) / l.Width, (height + l.Height - 1) / l.Height, (depth + l.Depth - 1) / l.Depth
}

// Pitches returns the bytes between rows of blocks, and between slices or layers, of a tight layout with rows of
// width texels and slices of height rows.
func (l Layout) Pitches(width, height int) (row, slice uint64) {
	x, y, _ := l.Blocks(width, height, 1)
	row = uint64(x) * uint64(l.Bytes)
	return row, row * uint64(y)
}

// Size returns the bytes of an extent in texels, tightly packed.
func (l Layout) Size(width, height, depth int) uint64 {
	_, slice := l.Pitches(width, height)
	_, _, z := l.Blocks(1, 1, depth)
	return slice * uint64(z)
}

// Levels returns the greatest number of mip levels of an image (VUID-VkImageCreateInfo-mipLevels-00958).
func Levels(width, height, depth int) int {
	n := 1
	for most := max(width, height, depth); most > 1; most >>= 1 {
		n++
	}
	return n
}

// LevelExtent returns the extent of a mip level along an axis of n texels (Vulkan §"Image Mip Level Sizing").
func LevelExtent(n, level int) int {
	if level >= 63 {
		return 1
	}
	return max(n>>level, 1)
}

// Extent returns the plane's extent in texels, for an image of width × height texels.
func (p Plane) Extent(width, height int) (x, y int) {
	return (width + p.DivX - 1) / p.DivX, (height + p.DivY - 1) / p.DivY
}

// BufferCopy is the layout of an image region in a buffer (VkBufferImageCopy). Lengths are in texels.
type BufferCopy struct {
	Offset               uint64
	RowLength            int // texels per row; 0 is Width
	ImageHeight          int // rows per slice; 0 is Height
	Width, Height, Depth int // the copied extent; layers count as depth
}

// Pitches returns the bytes between rows of blocks, and between slices (Vulkan §"Buffer and Image Addressing").
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

// End returns the buffer offset after the last accessed byte; Offset if the extent is empty.
func (c *BufferCopy) End(l Layout) uint64 {
	if c.Width <= 0 || c.Height <= 0 || c.Depth <= 0 {
		return c.Offset
	}
	row, slice := c.Pitches(l)
	x, y, z := l.Blocks(c.Width, c.Height, c.Depth)
	return c.Offset + uint64(z-1)*slice + uint64(y-1)*row + uint64(x)*uint64(l.Bytes)
}

// CopyFormat returns the name of the format that one aspect of i has in a buffer; formats without depth and
// stencil have their own (Vulkan §"Depth/Stencil Aspect Copy").
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
