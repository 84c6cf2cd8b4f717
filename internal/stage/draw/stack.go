package draw

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/shade"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Stacks: primitives that follow each other and have the same items in a tile, such as layers that cover it, are shaded together (package
// shade, stack.go). A primitive has no two items of one pixel, so that the items of the stacks of some primitives may be in any order:
//
//	items    A1 A2 A3  B1 B2 B3        letters are primitives, numbers blocks
//	stacks   A1 B1 │ A2 B2 │ A3 B3

// stacking selects the draws with stacks; tests change it.
var stacking = stackLayers

const (
	stackLayers = iota // draws of a pipeline with such primitives
	stackAll           // all that can be stacked
	stackNone
)

// Layers of a pipeline, as far as they are known.
const (
	unknownLayers = iota
	manyLayers    // stacks are worth it
	fewLayers     // they are not, whatever follows
)

// Bounds of the choice: the share of items in whole stacks, in percent, from which and below which it changes.
const (
	stackedAbove = 60
	stackedBelow = 40
)

// maxStackSample is about the number of items of a bin list that are counted for the choice. A list with stacks counts all: it looks at each
// item anyway.
const maxStackSample = 256

// stackedItemWords is the size of an item that can be in a stack: a mask for one sample.
const stackedItemWords = 2

// stacks reports whether the draw has stacks.
func (d *recordedDraw) stacks() bool {
	p := d.pipeline
	return stacking != stackNone && p.stackable && d.key.Stackable() && (stacking == stackAll || p.layers.Load() == manyLayers)
}

// stackCount counts items.
type stackCount struct{ items, stacked int }

// maxStackLanes is the greatest number of lanes of a vector for which stacks are worth it, with texels of less than wideTexel bytes. A strip of one
// vector has no other work while a layer waits for the one below, and loads and stores of such texels are a small share of its instructions.
const (
	maxStackLanes = 8
	wideTexel     = 8
)

// chooseLayers sets the choice of the draw's pipeline by the items of a bin list.
func (d *recordedDraw) chooseLayers(c *stackCount) {
	layers, share := &d.pipeline.layers, 100*c.stacked
	switch before := layers.Load(); {
	case stacking != stackLayers || c.items == 0:
	case before == unknownLayers && !d.key.Stacked && share >= stackedAbove*c.items:
		now := int32(manyLayers)
		if v, ok := d.heldFragment.Program.(exec.Vectors); ok && v.Lanes() > maxStackLanes && !d.hasWideTexels() {
			now = fewLayers
		}
		layers.Store(now)
	// The items of a stack that is not whole are shaded alone, as without stacks, but each has the memory of a whole one.
	case before == manyLayers && d.key.Stacked && share < stackedBelow*c.items:
		layers.Store(fewLayers)
	}
}

// hasWideTexels reports whether a color attachment of the draw has wide texels.
func (d *recordedDraw) hasWideTexels() bool {
	return slices.ContainsFunc(d.target.Colors, func(v *texture.View) bool { return v != nil && v.Info().Bytes >= wideTexel })
}

// count counts the items of a tile, and those that would be in whole stacks.
func (c *stackCount) count(items []uint64) {
	c.items += len(items) / stackedItemWords
	for len(items) > 0 {
		length, layers := coincident(items)
		if layers > 1 {
			c.stacked += length / stackedItemWords * layers
		}
		items = items[length*layers:]
	}
}

// stack appends the stacks of the items of a tile to a list, and counts the items.
func (c *stackCount) stack(to, items []uint64) []uint64 {
	c.items += len(items) / stackedItemWords
	for len(items) > 0 {
		length, layers := coincident(items)
		if layers > 1 {
			c.stacked += length / stackedItemWords * layers
		}
		for at := 0; at < length; at += stackedItemWords {
			stack := [shade.StackWords]uint64{stackedItemWords: shade.NoLayer}
			copy(stack[:], items[at:][:stackedItemWords])
			for n := 1; n < layers; n++ {
				copy(stack[n*stackedItemWords:], items[n*length+at:][:stackedItemWords])
			}
			to = append(to, stack[:]...)
		}
		items = items[length*layers:]
	}
	return to
}

// coincident returns the words of the first items of a tile, and the number of primitives whose items a stack can have: StackLayers if as
// many have the same blocks and masks as the first primitive, else one. The first items are all of the first primitive if no two of them
// have a block in common, else the first one.
func coincident(items []uint64) (length, layers int) {
	blocks := blocksOf(items[0])
	for length = stackedItemWords; length < len(items) && uint32(items[length]) == uint32(items[0]); length += stackedItemWords {
		more := blocksOf(items[length])
		if blocks&more != 0 {
			return stackedItemWords, 1
		}
		blocks |= more
	}
	if len(items) < length*shade.StackLayers {
		return length, 1
	}
	for n := length; n < length*shade.StackLayers; n += stackedItemWords {
		x, y := items[n:], items[n%length:]
		if x[0]>>32 != y[0]>>32 || x[1] != y[1] {
			return length, 1
		}
	}
	return length, shade.StackLayers
}

// blocksOf returns the blocks of an item, of which word is the first one, in its tile: bit 8·row + column. Blocks of a run are below the first.
func blocksOf(word uint64) (blocks uint64) {
	const across = raster.Tile / raster.Block
	item := raster.Item{word}
	run := item.TakeRun()
	x, y := item.At()
	first := uint64(1) << (y/raster.Block%across*across + x/raster.Block%across)
	for ; run >= 0; run-- {
		blocks |= first
		first <<= across
	}
	return blocks
}
