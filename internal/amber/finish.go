package amber

import "fmt"

// finish sets the size of buffers without one to the size of their framebuffers and runs
// the checks that need the whole script.
func (p *parser) finish() {
	if p.err != nil {
		return
	}
	for _, q := range p.script.Pipelines {
		g := q.Graphics
		if g.DepthStencil != nil {
			g.DepthStencil.cover(g.Width, g.Height, 0)
		}
		if a := g.Rates; a != nil {
			a.Buffer.cover((g.Width+a.Width-1)/a.Width, (g.Height+a.Height-1)/a.Height, 0)
		}
		for _, list := range [][]ColorAttachment{g.Colors, g.Resolves} {
			for _, a := range list {
				a.Buffer.cover(g.Width, g.Height, a.BaseMip)
				if err := a.Buffer.fit(g.Width, g.Height, a.BaseMip, &p.budget); err != nil {
					p.fail(CodeSize, a.Buffer.At, "image %s: %v", a.Buffer.Name, err)
				}
			}
		}
	}
	for _, b := range p.script.Buffers {
		if !b.Lazy || b.Image.Width == 0 {
			continue
		}
		if err := b.allotImage(&p.budget); err != nil {
			p.fail(CodeSize, b.At, "buffer %s: %v", b.Name, err)
		}
	}
}

// cover makes a buffer without a size as large as a framebuffer that one of
// its levels is.
func (b *Buffer) cover(width, height, level int) {
	const deepest = 16
	if b.Lazy && level <= deepest {
		b.Image.Width = max(b.Image.Width, width<<level)
		b.Image.Height = max(b.Image.Height, height<<level)
	}
}

// fit resizes an image that is a color attachment to the size of the framebuffer,
// regardless of its declared size, unless it has contents: Amber does the same.
func (b *Buffer) fit(width, height, level int, budget *int) error {
	im := b.Image
	if b.Lazy || im == nil || im.Dimensions != 2 || level != 0 || im.Width == width && im.Height == height {
		return nil
	}
	for _, x := range b.Data {
		if x != 0 {
			return nil
		}
	}
	im.Width, im.Height = width, height
	return b.allotImage(budget)
}

// allotImage allocates the texels of the base level, all samples and layers.
func (b *Buffer) allotImage(budget *int) error {
	n, im := 1, b.Image
	for _, k := range []int{im.Width, im.Height, im.Samples, im.layers()} {
		if k > MaxBytes/n {
			return fmt.Errorf("%d×%d texels with %d samples and %d layers are more than a script may hold (%d bytes in all)", im.Width, im.Height, im.Samples, im.layers(), MaxBytes)
		}
		n *= k
	}
	return b.allot(n, budget)
}
