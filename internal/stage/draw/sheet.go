package draw

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// sheet is a step of a pass that has tiles: what a run of primitives covers, whose
// fragments are to be run, or a clear.
type sheet struct {
	turn   uint64 // which step it is; those of one turn stand in their order
	pieces []piece

	clear *clearing      // or
	do    func(tile int) // clearTile
	ask   func(first, count uint32)
	width int32  // of the pass, in tiles
	bound *bound // the fragment program
	ready exec.Prepared

	sight    sight
	see      func(tile int) // before
	horizons []horizon      // of the pass, by tile; none where nobody looks at them
	flush    uint64         // of the pass
	itemed   itemed

	run
	params     memory
	items      []uint64
	primitives []raster.Primitive
	kept       []uint32
}

// itemed is how a sheet's items are.
type itemed struct {
	words, samples int    // of one
	shaded         uint32 // invocations of one for each pixel
	columns        bool   // there may be blocks below
	kept           int    // words of a record
}

// piece is what a sheet has in one tile.
type piece struct {
	tile         int32 // of the pass
	first, count uint32
	covers       bool // nothing is seen there of clears before
}

// used is how many bytes the sheet has, bytes how many it takes.
func (s *sheet) used() int {
	return 8*len(s.items) + 4*raster.PrimitiveWords*len(s.primitives) + 4*len(s.kept) + 16*len(s.pieces)
}

func (s *sheet) bytes() int {
	return 8*cap(s.items) + 4*raster.PrimitiveWords*cap(s.primitives) + 4*cap(s.kept) + 16*cap(s.pieces)
}

// forget lets go of all but memory.
func (s *sheet) forget() {
	if s.ready != nil {
		s.ready.Release()
	}
	clear(s.job.Resources)
	s.job.Regions, s.job.Push, s.job.Log = nil, nil, nil
	s.clear, s.bound, s.ready, s.horizons = nil, nil, nil, nil
}

// leave makes a sheet of what was rasterised, and forgets that.
func (d *drawing) leave() error {
	d.pass.count(d)
	if d.raster.Bytes() == 0 {
		return nil
	}
	defer d.raster.Begin(&d.frame)
	p := d.pass
	s := p.newSheet()
	d.gather(s)
	if d.key.pixels > 1 {
		d.rate(s)
	}
	s.turn, s.bound, s.sight = d.turn, &d.fragmentBound, d.sight
	s.itemed = itemed{d.itemWords(), int(d.key.samples), d.shaded, d.frame.Runs, int(d.pipeline.rec.kept() / 4)}
	s.primitives, d.raster.Primitives = d.raster.Primitives, s.primitives[:0]
	s.kept, d.raster.Varyings = d.raster.Varyings, s.kept[:0]
	s.params.size(4 * fragmentWords)
	copy(s.params.words(fragmentWords), d.params.words(vertexWords + fragmentWords)[vertexWords:])
	o := &d.own.buffers
	o[bindParams] = shared(s.params.bytes(4 * fragmentWords))
	o[bindRecords] = shared(bytesOf(s.kept))
	o[bindPrimitives] = shared(bytesOf(s.primitives))
	o[bindItems] = shared(bytesOf(s.items))
	o[bindCounts] = shared(bytesOf(d.counts[:]))
	s.run.bind(s.bound, &d.own)
	s.job.Groups = [3]uint32{uint32(len(s.items)/d.itemWords()) * d.shaded, 1, 1}
	if s.job.Log == nil && len(s.bound.program.IR().Messages) > 0 {
		s.job.Log = &exec.Log{}
	}
	var err error
	if s.ready, err = s.bound.program.Prepare(&s.job); err != nil {
		return err
	}
	p.add(s)
	return nil
}

// count adds what the worker counted to the draw's statistics.
func (p *Pass) count(d *drawing) {
	if s := d.args.Statistics; s != nil {
		p.setting.mu.Lock()
		defer p.setting.mu.Unlock()
		s.add(&d.counted)
		d.counted = Statistics{}
	}
}

// gather puts the items of all tiles one behind the other.
func (d *drawing) gather(s *sheet) {
	s.items, s.pieces = s.items[:0], s.pieces[:0]
	words := uint32(d.itemWords())
	first, area := uint32(0), d.frame.Area
	width, x0, y0 := (area.X1+raster.Tile-1)/raster.Tile-area.X0/raster.Tile, area.X0/raster.Tile, area.Y0/raster.Tile
	for i := range int32(d.raster.Tiles()) {
		if list := d.raster.Tile(int(i)); len(list) > 0 {
			s.items = append(s.items, list...)
			d.masked(s.items[len(s.items)-len(list):], int(words))
			d.discarded(s.items[len(s.items)-len(list):], int(words))
			n := uint32(len(list)) / words * d.shaded
			s.pieces = append(s.pieces, piece{(y0+i/width)*d.pass.width + x0 + i%width, first, n, d.opaque && full(list)})
			first += n
		}
	}
}

// masked takes away the samples of items that the state's mask has not (Vulkan
// §"Sample Mask Test").
func (d *drawing) masked(items []uint64, words int) {
	m := d.state.Multisample.Mask
	if m == nil {
		return
	}
	for ; len(items) > 0; items = items[words:] {
		for n := range d.key.samples {
			if m[n/32]>>(n%32)&1 == 0 {
				items[1+n] = 0
			}
		}
	}
}

// runTiles runs the sheets of a list, those of each tile in their order.
func (p *Pass) runTiles(ctx context.Context, list []*sheet) error {
	if len(list) == 0 {
		return nil
	}
	defer p.recycle(list)
	slices.SortStableFunc(list, func(a, b *sheet) int { return cmp.Compare(a.turn, b.turn) })
	p.parts = p.parts[:0]
	for _, s := range list {
		before := false
		if s.horizons, s.flush = p.horizons, p.flushes; s.clear != nil {
			p.parts = append(p.parts, exec.Task{Do: s.do})
		} else {
			if before = s.sight.looks || len(s.primitives) >= manyPrimitives; before {
				p.parts = append(p.parts, exec.Task{Do: s.see})
			}
			p.parts = append(p.parts, exec.Task{Program: s.bound.program, Prepared: s.ready, Job: &s.job, Prefetch: s.ask})
		}
		part := int32(len(p.parts) - 1)
		for _, x := range s.pieces {
			at := &p.spans[x.tile]
			if x.covers {
				*at = p.unseen(*at)
			}
			if before {
				*at = append(*at, exec.Piece{Task: part - 1, Count: 1})
			}
			*at = append(*at, exec.Piece{Task: part, First: x.first, Count: x.count})
		}
	}
	err := p.tiles.Run(ctx, p.workers, p.parts, p.spans)
	for i := range p.spans {
		p.spans[i] = p.spans[i][:0]
	}
	clear(p.parts)
	return err
}

// manyPrimitives is how many primitives a sheet has at least where it is worth it to look
// for them before fragments do, and mostFetched how many items of a tile those are of at
// most.
const (
	manyPrimitives = 512
	mostFetched    = 512
)

// before is what is done for a tile before the fragments of the sheet are run there.
func (s *sheet) before(tile int) {
	i, _ := slices.BinarySearchFunc(s.pieces, tile, func(x piece, tile int) int { return cmp.Compare(int(x.tile), tile) })
	first, count := int(s.pieces[i].first/s.itemed.shaded), int(s.pieces[i].count/s.itemed.shaded)
	items := s.items[first*s.itemed.words:][:count*s.itemed.words]
	if len(s.primitives) >= manyPrimitives {
		s.fetch(items)
	}
	if s.sight.looks {
		s.look(s.horizon(tile), items)
	}
}

// fetch asks the caches for the primitives of items, the first ones if there are many:
// each lies somewhere else, and fragments would wait for one after the other.
func (s *sheet) fetch(items []uint64) {
	words, last := s.itemed.words, uint32(math.MaxUint32)
	for n := 0; n < min(len(items), mostFetched*words); n += words {
		if p := raster.Item(items[n:]).Primitive(); p != last {
			raster.Prefetch(s.primitives, s.kept, s.itemed.kept, p)
			last = p
		}
	}
}

// askItems asks the caches for the items of groups: other workers may have written them,
// and each sheet's stand somewhere else.
func (s *sheet) askItems(first, count uint32) {
	words, shaded := uint32(s.itemed.words), s.itemed.shaded
	raster.PrefetchItems(s.items, int(first/shaded*words), int(count/shaded*words))
}

// add adds a sheet to those that are set up.
func (p *Pass) add(s *sheet) {
	x := &p.setting
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sheets = append(x.sheets, s)
	x.bytes += s.used()
}

// maxKept bounds the bytes of the sheets that a pass keeps for others.
const maxKept = 2 * setBytes

// newSheet returns a sheet that nobody uses.
func (p *Pass) newSheet() *sheet {
	p.setting.mu.Lock()
	defer p.setting.mu.Unlock()
	return p.spare()
}

// spare is newSheet for who has the lock.
func (p *Pass) spare() *sheet {
	if n := len(p.free); n > 0 {
		s := p.free[n-1]
		p.free = p.free[:n-1]
		p.kept -= s.bytes()
		return s
	}
	s := &sheet{}
	s.do, s.see, s.ask = s.clearTile, s.before, s.askItems
	return s
}

// recycle keeps sheets for others.
func (p *Pass) recycle(list []*sheet) {
	p.setting.mu.Lock()
	defer p.setting.mu.Unlock()
	for i, s := range list {
		s.forget()
		if n := s.bytes(); p.kept+n <= maxKept {
			p.kept += n
			p.free = append(p.free, s)
		}
		list[i] = nil
	}
}

// unseen takes clears at the end of a tile's pieces away that a draw covers. What
// is done before a sheet's fragments stands before these, and so not at the end.
func (p *Pass) unseen(list []exec.Piece) []exec.Piece {
	for len(list) > 0 && p.parts[list[len(list)-1].Task].Do != nil {
		list = list[:len(list)-1]
	}
	return list
}
