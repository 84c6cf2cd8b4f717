package draw

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// strip is how a block is gone over. Where a workgroup is as many rows of its block as
// a subgroup has, the entry point goes from one to the next of those strips that have
// pixels that are covered. What is the same for all of them is read before.
type strip struct {
	rows uint32 // of a workgroup; a block has raster.Block

	loop   int    // where the loop over strips begins in the code of the entry point
	before []ir.V // the code that shall stand before it
	within bool   // code in the loop is written
	first  ir.V   // the strip's first row, from that of the item's block
	dy     ir.V   // the middle of the pixel, from the primitive's reference
}

// looped reports whether the entry point goes over strips.
func (s *fragmentShader) looped() bool { return s.strip.rows < raster.Block }

// longCode is how many operations a program has at least for a strip to be two
// subgroups: it waits for its own results then, and an engine may do both at once.
// Loops count as long, and so does what samples images, which is bound later.
const longCode = 400

// goesOn reports whether a program made of a fragment program goes over strips, and on
// to blocks that are below and like the first.
func goesOn(p *ir.Program) bool { return p.Invocations() < raster.Block*raster.Block }

// rows returns how many rows of a block a workgroup is: as many as a subgroup has, and
// pairs for quads. An invocation of a strip goes on as one of the next; so where one
// may end for good, or has helpers that can be told from others, it is the whole block; and where
// fragments have several pixels, for there are fewer, or loops wait for what lasts.
func (s *fragmentShader) rows() uint32 {
	e := s.p.Effects
	if s.coarse() || s.endsElsewhere() || s.helpers && (e.Writes || e.Ordered || s.writesTexels() || s.does(ir.Helper)) {
		return raster.Block
	}
	n := s.p.SubgroupSize
	switch {
	case s.waits() && !s.filters():
		return raster.Block
	case s.does(ir.Loop) || s.operations() > longCode || s.filters():
		n *= 2
	}
	for rows := uint32(2); rows < raster.Block; rows *= 2 {
		if n <= raster.Block*rows {
			return rows
		}
	}
	return raster.Block
}

// waits reports whether the entry point has a loop with operations that machines do one
// behind the other (ir.LongLatency): the more lanes an engine may do at once, the more it does
// while it waits for those.
func (s *fragmentShader) waits() bool {
	f := s.from.Funcs[0]
	depth, loop := 0, 0 // of the open regions, and that of the outermost loop
	for _, v := range f.Code {
		switch op := f.Val(v).Op; {
		case op == ir.Block, op == ir.If, op == ir.Loop:
			if depth++; op == ir.Loop && loop == 0 {
				loop = depth
			}
		case op == ir.End:
			if depth == loop {
				loop = 0
			}
			depth--
		case loop > 0 && op.Is(ir.LongLatency):
			return true
		}
	}
	return false
}

// endsElsewhere reports whether invocations may be demoted, or end in a function that is
// not the entry point: there an end is a way to the end of the strip.
func (s *fragmentShader) endsElsewhere() bool {
	for i, f := range s.from.Funcs {
		if slices.ContainsFunc(f.Code, func(v ir.V) bool {
			op := f.Val(v).Op
			return op == ir.Demote || op == ir.Kill && i > 0
		}) {
			return true
		}
	}
	return false
}

// filters reports whether the program samples images.
func (s *fragmentShader) filters() bool {
	return slices.ContainsFunc(s.from.Funcs, func(f *ir.Func) bool { return f.Texture != nil && f.Texture.Op == ir.TextureSample })
}

// operations returns how many the program has.
func (s *fragmentShader) operations() (n int) {
	for _, f := range s.from.Funcs {
		n += len(f.Code)
	}
	return n
}

// writesTexels reports whether the program writes to images.
func (s *fragmentShader) writesTexels() bool { return writesTexels(s.from) }

func writesTexels(p *ir.Program) bool {
	return slices.ContainsFunc(p.Funcs, func(f *ir.Func) bool {
		t := f.Texture
		return t != nil && (t.Op == ir.TextureWrite || t.Op == ir.TextureTexel)
	})
}

// writesMemory reports whether a program writes buffers, images or memory by address.
func writesMemory(p *ir.Program) bool { return p.Effects.Writes || writesTexels(p) }

// eachStrip writes the loop over the strips of the item's block, and of those below it
// that are like it. bits are those of the strip in the item's mask, where there is one.
func (s *fragmentShader) eachStrip(item ir.V, body func(bits ir.V)) {
	b := s.b
	zero := b.I32(0)
	all := s.anyCovered(item)
	corner, dy := s.corner[1], s.middleAlong(1)
	done := b.Block()
	s.strip.loop, s.strip.within = len(b.Func.Code), true
	loop := b.Loop(zero, all.low, all.high, s.below, dy)
	s.strip.first, s.strip.dy = b.Param(loop, 0), b.Param(loop, 4)
	m, below := mask{b.Param(loop, 1), b.Param(loop, 2)}, b.Param(loop, 3)
	s.corner[1] = s.add(corner, s.strip.first)
	b.Op(ir.Anew, ir.None) // the budget is that of one strip
	b.If(s.not(b.Cmp(ir.Eq, s.and(m.low, b.I32(s.stripMask())), zero)))
	for v := range len(s.from.Vars) + len(s.from.Out) { // an invocation begins with zeros
		b.OpAux(ir.PClr, 0, uint64(v))
	}
	if s.multi() {
		body(0)
	} else {
		body(m.low)
	}
	b.End()
	m = s.nextStrip(m)
	b.If(b.Cmp(ir.Eq, s.or(m.low, m.high), zero))
	b.If(b.Cmp(ir.Eq, below, zero))
	b.Br(done)
	b.End()
	next := s.add(s.or(s.strip.first, b.I32(raster.Block-1)), b.I32(1))
	s.goDown(loop, b.Op(ir.Sub, ir.I32, next, s.strip.first), all, b.Op(ir.Sub, ir.I32, below, b.I32(1)))
	b.End()
	s.goDown(loop, b.I32(s.strip.rows), m, below)
	b.End()
	b.End()
	b.Func.Code = slices.Insert(b.Func.Code, s.strip.loop, s.strip.before...)
	s.strip.within = false
}

// goDown goes on with the strip so many rows further down. What is added to the middles
// of the pixels is whole, and so the sums are exact.
func (s *fragmentShader) goDown(loop, rows ir.V, m mask, below ir.V) {
	s.b.Br(loop, s.add(s.strip.first, rows), m.low, m.high, below, s.fadd(s.strip.dy, s.toFloat(rows)))
}

// mask is two words with a bit for each pixel of a block.
type mask struct{ low, high ir.V }

// stripMask has the bits of the first strip in the low word of a mask.
func (s *fragmentShader) stripMask() uint32 { return uint32(1<<(raster.Block*s.strip.rows) - 1) }

// nextStrip moves the next strip of a mask to where the first one was.
func (s *fragmentShader) nextStrip(m mask) mask {
	b := s.b
	n := raster.Block * s.strip.rows
	if n == 32 {
		return mask{m.high, b.I32(0)}
	}
	next := s.or(b.Op(ir.LShr, ir.I32, m.low, b.I32(n)), b.Op(ir.Shl, ir.I32, m.high, b.I32(32-n)))
	return mask{next, b.Op(ir.LShr, ir.I32, m.high, b.I32(n))}
}

// anyCovered is the pixels of which any sample is covered that an invocation stands
// for.
func (s *fragmentShader) anyCovered(item ir.V) mask {
	low, high := s.maskWords(item, 8)
	if s.multi() {
		for n := range s.key.samples - 1 {
			l, h := s.maskWords(item, 16+8*n)
			low, high = s.or(low, l), s.or(high, h)
		}
	}
	return mask{low, high}
}

// ofStrip is what a mask has of the strip, in its low bits.
func (s *fragmentShader) ofStrip(low, high ir.V) ir.V {
	b := s.b
	upper := b.Cmp(ir.Eq, s.and(s.strip.first, b.I32(4)), b.I32(0))
	return b.Op(ir.LShr, ir.I32, b.Select(upper, low, high), s.mul(s.and(s.strip.first, b.I32(3)), b.I32(raster.Block)))
}

// inStrips reports whether what is written stands in the loop over strips.
func (s *fragmentShader) inStrips() bool { return s.strip.within && s.b.Func == s.p.Funcs[0] }

// ofItem writes code that depends on nothing but the item: in the loop over its strips
// it comes to stand before the loop.
func (s *fragmentShader) ofItem(code func() ir.V) ir.V {
	f := s.b.Func
	if !s.inStrips() {
		return code()
	}
	from := len(f.Code)
	s.strip.within = false
	v := code()
	s.strip.within = true
	s.strip.before = append(s.strip.before, f.Code[from:]...)
	f.Code = f.Code[:from]
	return v
}

// params reads word n of the parameters.
func (s *fragmentShader) params(t ir.Type, n uint32) ir.V {
	return s.ofItem(func() ir.V { return s.weaver.params(t, n) })
}
