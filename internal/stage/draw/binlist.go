package draw

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/shade"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// usedBytes returns the bytes in use, capacity the bytes of memory.
func (s *binList) usedBytes() int {
	return 8*len(s.items) + 4*raster.PrimitiveWords*len(s.primitives) + 4*raster.PrimitiveRestWords*len(s.rests) + 4*len(s.records) + 16*len(s.bins) + s.ownBytes
}

func (s *binList) capacity() int {
	return 8*cap(s.items) + 4*raster.PrimitiveWords*cap(s.primitives) + 4*raster.PrimitiveRestWords*cap(s.rests) + 4*cap(s.records) + 16*cap(s.bins)
}

// reset drops all references. Memory is retained.
func (s *binList) reset() {
	if s.ready != nil {
		s.ready.Release()
	}
	clear(s.Job.Resources)
	s.Job.Regions, s.Job.Rays, s.Job.Push, s.Job.Log, s.Job.Hook, s.Job.Schedule = nil, nil, nil, nil, nil, nil
	s.clear, s.binding, s.ready, s.coarse, s.batches, s.ownBytes = nil, nil, nil, nil, raster.Batches{}, 0
	s.primitives, s.rests, s.records = s.primitives[:0], s.rests[:0], s.records[:0]
}

// finishList moves the worker's bins to a bin list and clears the rasterizer. It exchanges primitives
// and records with the rasterizer instead of copying them: the rasterizer continues with the memory of
// an earlier list.
func (d *binWorker) finishList() error {
	d.pass.addStatistics(d)
	if d.Raster.Bytes() == 0 {
		return nil
	}
	defer d.Raster.Clear()
	p, r := d.pass, d.draw
	s := p.newList(d.worker)
	d.gatherBins(s)
	if r.key.MaxPixels > 1 {
		d.storeRates(s)
	}
	s.ticket, s.worker, s.binding, s.hiz = d.listTicket(), int32(d.worker), &r.fragmentBound, r.hiz
	s.layout = itemLayout{r.itemWords(), int(r.key.Samples), r.invocations, r.frame.Runs, r.key.Packed, int(d.Pipeline.Record.KeptBytes() / 4)}
	if r.key.Packed {
		s.layout.words = d.packer.quads
	} else if r.key.Stacked {
		s.layout.words = shade.StackWords
	}
	if r.key.InPlace {
		// The next list can have more triangles of the last draw.
		s.batches, s.ownBytes, d.joined.bytes = d.triangles.Batches(), d.joined.bytes, d.triangles.Bytes()
	} else {
		s.primitives, d.Raster.Primitives = d.Raster.Primitives, withSpace(s.primitives, len(d.Raster.Primitives))
		s.rests, d.Raster.Rests = d.Raster.Rests, withSpace(s.rests, len(d.Raster.Rests))
		s.records, d.Raster.Varyings = d.Raster.Varyings, withSpace(s.records, len(d.Raster.Varyings))
	}
	words := layout.FragmentParamWords(&r.state)
	s.params.Grow(4 * words)
	layout.WriteFragmentParams(s.params.Words(words), &r.state, d.View, s.number)
	if l := r.frame.Locations; l != nil {
		layout.WriteLocations(s.params.Words(words), l, r.frame.Samples)
	}
	// Prepare copies addresses only. The slices must not grow from here on.
	o := &d.Own.Buffers
	o[layout.BindParams] = compose.Shared(s.params.Bytes(4 * words))
	o[layout.BindRecords] = compose.Shared(compose.BytesOf(s.records))
	o[layout.BindPrimitives] = compose.Shared(compose.BytesOf(s.primitives))
	o[layout.BindRests] = compose.Shared(compose.BytesOf(s.rests))
	if r.key.InPlace {
		d.BindInPlace(&d.Own)
	}
	o[layout.BindItems] = compose.Shared(compose.BytesOf(s.items))
	o[layout.BindCounts] = compose.Shared(compose.BytesOf(r.counts[:]))
	s.Runner.Bind(s.binding, &d.Own)
	s.Job.InOrder = true // the rasterization order
	// A workgroup for each item, or for each sample of each item with sample shading.
	s.Job.Groups = [3]uint32{uint32(len(s.items)/s.layout.words) * r.invocations, 1, 1}
	if s.Job.Log == nil && len(s.binding.Program.IR().Messages) > 0 {
		s.Job.Log = &exec.Log{}
	}
	var err error
	if s.ready, err = s.binding.Program.Prepare(&s.Job); err != nil {
		return err
	}
	p.add(s)
	return nil
}

// withSpace returns an empty list with space for at least n elements, in the memory of list if that suffices. Lists of a draw have about equal
// lengths. With the length of the list before as n, a list seldom grows by copies to new pages, one after the other.
func withSpace[T any](list []T, n int) []T {
	if cap(list) < n {
		const eighth = 3
		return make([]T, 0, n+n>>eighth)
	}
	return list[:0]
}

// addStatistics adds the worker's counters to the draw's statistics.
func (p *Pass) addStatistics(d *binWorker) {
	if s := d.Args.Statistics; s != nil {
		p.binning.mu.Lock()
		defer p.binning.mu.Unlock()
		s.Add(&d.Counted)
		d.Counted = state.Statistics{}
	}
}

// gatherBins concatenates the items of all tiles.
func (d *binWorker) gatherBins(s *binList) {
	r, length := d.draw, d.packedWords
	if !r.key.Packed {
		length = d.Raster.ItemWords()
	}
	s.items, s.bins = withSpace(s.items, length), s.bins[:0]
	words := uint32(r.itemWords())
	first, area := uint32(0), r.frame.Area
	if r.key.Packed {
		d.packer.start(shade.PackQuads(r.fragmentBound.Program.IR(), &r.key), r.key.Pixels)
		words = uint32(d.packer.quads)
	} else if r.key.Stacked {
		words = shade.StackWords
	}
	counted := r.key.Stacked || r.pipeline.stackable && stacking == stackLayers && r.pipeline.layers.Load() == unknownLayers && r.key.Stackable()
	var layers stackCount
	sampled := packing == packSmall && (r.pipeline.long && r.pipeline.packable || r.pipeline.pixels) && r.key.Packable()
	if r.key.Packed { // the choice rarely changes, and all items of a list count
		d.sampled++
		sampled = sampled && d.sampled%8 == 0
	}
	var sample packSample
	// The rasterizer numbers the tiles of the draw's area, the pass the tiles of the target.
	width, x0, y0 := (area.X1+raster.Tile-1)/raster.Tile-area.X0/raster.Tile, area.X0/raster.Tile, area.Y0/raster.Tile
	for n := d.Raster.NextTile(0); n >= 0; n = d.Raster.NextTile(n + 1) {
		if list := d.Raster.Tile(n); len(list) > 0 {
			i := int32(n)
			d.maskSamples(list)
			d.applyDiscardRectangles(list)
			if sampled && (r.key.Packed || sample.items < maxPackSample) {
				sample.count(list)
			}
			before, covers := len(s.items), r.overwrites
			switch {
			case r.key.Packed:
				s.items = d.packer.pack(s.items, list)
				covers = covers && len(s.items)-before >= minCovering(r.key.Pixels)
			case r.key.Stacked:
				s.items = layers.stack(s.items, list)
			default:
				if counted && layers.items < maxStackSample {
					layers.count(list)
				}
				s.items = append(s.items, list...)
			}
			end := uint32(len(s.items)) / words * r.invocations
			s.bins = append(s.bins, bin{(y0+i/width)*d.pass.width + x0 + i%width, first, end - first, covers && coversTile(list)})
			first = end
		}
	}
	if r.key.Packed {
		d.packedWords = len(s.items)
	}
	if counted {
		r.chooseLayers(&layers)
	}
	if sampled {
		r.chooseSize(&sample, len(s.items))
	}
}

// minCovering returns the least number of quads, or of pixels, that cover a tile.
func minCovering(pixels bool) int {
	if pixels {
		return raster.Tile * raster.Tile
	}
	return quadsAcross * quadsAcross
}

// maskSamples removes samples by the state's sample mask (Vulkan §"Sample Mask Test"). It runs
// before any fragment, so that a masked sample causes neither shading nor a count of an occlusion
// query.
func (d *binWorker) maskSamples(items []uint64) {
	words, m := d.draw.itemWords(), d.draw.state.Multisample.Mask
	if m == nil {
		return
	}
	for ; len(items) > 0; items = items[words:] {
		for n := range d.draw.key.Samples {
			if m[n/32]>>(n%32)&1 == 0 {
				items[1+n] = 0
			}
		}
	}
}

// runTiles shades the bin lists, the tiles in parallel. In each tile the bins run in ticket order.
// Each tile has a work list, for example of a clear and two draws, the second with HiZ:
//
//	tile 7:   clear   A: workgroups 96…127   B: beforeFragments   B: workgroups 8…15
//
// together reports that no worker is busy with anything else.
func (p *Pass) runTiles(ctx context.Context, list []*binList, together bool) error {
	if len(list) == 0 {
		return nil
	}
	defer p.recycle(list)
	// Stable, because a task that flushes in between has several lists with one ticket.
	slices.SortStableFunc(list, func(a, b *binList) int { return cmp.Compare(a.ticket, b.ticket) })
	p.tasks = p.tasks[:0]
	near := together && p.workers > 1 && inPlaceLists(list)
	for _, s := range list {
		before := false
		if s.coarse, s.flush = p.coarse, p.flushes; s.clear != nil {
			p.tasks = append(p.tasks, exec.Task{Do: s.clearFunc})
		} else {
			if before = s.hiz.active || len(s.primitives) >= minPrefetched; before {
				p.tasks = append(p.tasks, exec.Task{Do: s.beforeFunc})
			}
			p.tasks = append(p.tasks, exec.Task{Program: s.binding.Program, Prepared: s.ready, Job: &s.Job, Prefetch: s.prefetchFunc})
		}
		part := int32(len(p.tasks) - 1)
		for _, x := range s.bins {
			at := &p.tiles[x.tile]
			if x.overwrites {
				*at = p.dropHiddenClears(*at)
			}
			if before {
				*at = append(*at, exec.Piece{Task: part - 1, Count: 1})
			}
			*at = append(*at, exec.Piece{Task: part, First: x.first, Count: x.count})
			if near && s.clear == nil {
				p.homes[x.tile].add(s.worker, x.count)
			}
		}
	}
	var err error
	if near {
		for i := range p.homes {
			p.workerOf[i] = p.homes[i].worker
			p.homes[i] = home{}
		}
		err = p.interleaver.RunNear(ctx, &p.crew, p.workers, p.tasks, p.tiles, p.workerOf)
	} else {
		err = p.interleaver.Run(ctx, p.workers, p.tasks, p.tiles)
	}
	for i := range p.tiles {
		p.tiles[i] = p.tiles[i][:0]
	}
	for i := range p.tasks {
		if j := p.tasks[i].Job; j != nil {
			j.Log.EndPrimitives()
		}
	}
	clear(p.tasks)
	return err
}

// home is the worker that has binned most of a tile, as far as a vote in one pass tells (Boyer, Moore 1981, "A Fast Majority Vote
// Algorithm"). Its caches are likely to have the triangles.
type home struct {
	worker int32
	lead   uint32 // over all other workers together
}

// add counts n invocations that a worker has binned.
func (h *home) add(worker int32, n uint32) {
	switch {
	case h.worker == worker:
		h.lead += n
	case h.lead >= n:
		h.lead -= n
	default:
		*h = home{worker, n - h.lead}
	}
}

// inPlaceLists reports whether all bin lists of draws are of small ones. The lists of a large draw are in many tiles, which
// no worker has the triangles of.
func inPlaceLists(list []*binList) bool {
	return !slices.ContainsFunc(list, func(s *binList) bool { return s.clear == nil && len(s.batches.Rows) == 0 })
}

// minPrefetched is the number of primitives from which a bin list prefetches them before shading;
// maxPrefetched bounds the prefetched items of a tile.
const (
	minPrefetched = 512
	maxPrefetched = 512
)

// beforeFragments prepares a tile for the fragments of the bin list: prefetch, then the HiZ test.
func (s *binList) beforeFragments(tile int) {
	// The work list has the number of the tile only. It has a bin here, or the task would not be in
	// its list.
	i, _ := slices.BinarySearchFunc(s.bins, tile, func(x bin, tile int) int { return cmp.Compare(int(x.tile), tile) })
	first, count := int(s.bins[i].first/s.layout.shaded), int(s.bins[i].count/s.layout.shaded)
	items := s.items[first*s.layout.words:][:count*s.layout.words]
	if len(s.primitives) >= minPrefetched {
		s.prefetchPrimitives(items)
	}
	if s.hiz.active {
		s.hizTest(s.coarseDepth(tile), items)
	}
}

// prefetchPrimitives prefetches the primitives of the first items. They are scattered, and fragments
// would wait for each of them.
func (s *binList) prefetchPrimitives(items []uint64) {
	words, last := s.layout.words, uint32(math.MaxUint32)
	if s.layout.packed {
		words = 1
	}
	for n := 0; n < min(len(items), maxPrefetched*words); n += words {
		if p := raster.Item(items[n:]).Primitive(); p != last {
			raster.Prefetch(s.primitives, s.rests, s.records, s.layout.recordWords, p)
			last = p
		}
	}
}

// prefetchItems prefetches the items of workgroups. Another worker may have written them.
func (s *binList) prefetchItems(first, count uint32) {
	words, shaded := uint32(s.layout.words), s.layout.shaded
	raster.PrefetchItems(s.items, int(first/shaded*words), int(count/shaded*words))
}

// add adds a finished bin list.
func (p *Pass) add(s *binList) {
	x := &p.binning
	x.mu.Lock()
	defer x.mu.Unlock()
	x.lists = append(x.lists, s)
	x.bytes += s.usedBytes()
}

// maxKeptBytes bounds the memory of unused bin lists that a pass retains. Lists change places with the rasterizer's memory, so that each
// of them comes to have the capacity of the largest one, about twice what it uses on average. With a smaller bound each frame of a large
// mesh would drop some of them and allocate others.
var maxKeptBytes = 2 * maxBinnedBytes

// newList returns an unused bin list, of the same worker if there is one: its memory is in the caches of a processor that is near.
func (p *Pass) newList(worker int) *binList {
	p.binning.mu.Lock()
	defer p.binning.mu.Unlock()
	s := p.newListLocked(worker)
	p.binning.listNumber++
	s.number = p.binning.listNumber
	return s
}

// newListLocked is newList for callers that hold the lock.
func (p *Pass) newListLocked(worker int) *binList {
	for i := range p.free {
		free := &p.free[(worker+i)%len(p.free)]
		if n := len(*free); n > 0 {
			s := (*free)[n-1]
			*free = (*free)[:n-1]
			p.kept -= s.capacity()
			return s
		}
	}
	s := &binList{}
	s.clearFunc, s.beforeFunc, s.prefetchFunc = s.clearTile, s.beforeFragments, s.prefetchItems
	return s
}

// recycle makes bin lists available for reuse.
func (p *Pass) recycle(list []*binList) {
	p.binning.mu.Lock()
	defer p.binning.mu.Unlock()
	for i, s := range list {
		s.reset()
		if n := s.capacity(); p.kept+n <= maxKeptBytes {
			p.kept += n
			for len(p.free) <= int(s.worker) {
				p.free = append(p.free, nil)
			}
			p.free[s.worker] = append(p.free[s.worker], s)
		}
		list[i] = nil
	}
}

// dropHiddenClears removes clears from the end of a tile's work list, before a draw that overwrites
// the tile. A task before fragments is never last in the list, because the fragments follow it.
func (p *Pass) dropHiddenClears(list []exec.Piece) []exec.Piece {
	for len(list) > 0 && p.tasks[list[len(list)-1].Task].Do != nil {
		list = list[:len(list)-1]
	}
	return list
}

// storeRates stores the fragment size of each item in the low bits of its block position. Blocks are
// aligned to their size in coarse draws, so a block has one texel of the rate attachment.
func (d *binWorker) storeRates(s *binList) {
	r := &d.draw.rates
	kept := int(d.Pipeline.Record.KeptBytes() / 4)
	words := d.draw.itemWords()
	// The provoking vertex selects the rate of a primitive (Vulkan §"Primitive Fragment Shading
	// Rate").
	last, size := [2]uint32{}, r.combine(0, 0)
	for at := 0; at < len(s.items); at += words {
		item := raster.Item(s.items[at:])
		p := &d.Raster.Primitives[item.Primitive()]
		flags, layer := uint32(0), d.Raster.Rests[item.Primitive()].Layer
		if r.word >= 0 {
			flags = d.Raster.Varyings[int(3*item.Primitive()+p.Provoking())*kept+r.word-layout.PositionBytes/4]
		}
		if d.draw.key.Multiview {
			layer = d.View
		}
		x, y := item.At()
		if now := [2]uint32{flags, r.texelAt(x, y, layer)}; now != last { // mostly equal to the previous item's
			last, size = now, r.combine(flags, now[1])
		}
		item[0] |= uint64(size.LogX)<<32 | uint64(size.LogY)<<48
	}
}
