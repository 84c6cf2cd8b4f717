// Package shade builds the compute program of a fragment program: a prologue that computes coverage, early
// tests and interpolated inputs, the program's own code, and an epilogue of late tests, blending and writes to
// the attachments. State, formats and shader become one program, so the passes optimise across all of them
// and every engine runs it. It refuses to know engines, the stages before the rasterizer, and the pass.
//
// # Items and strips
//
// The rasterizer describes coverage by items. An item is one primitive in one block of 8×8 pixels:
//
//	word 0   primitive number (32 bits), x (16), y (16) of the block; the high bits of x and y count
//	         identical blocks below (WalksStrips), their low bits are the fragment size (coarse fragments)
//	word 1   coverage of sample 0, a bit for each pixel, pixel row by pixel row
//	  ⋮      one word for each further sample
//	last     completely covered pixels (conservative rasterization)
//
// A workgroup shades one item. If a subgroup is smaller than a block, the workgroup is one strip of pixel rows, the
// SIMD batch, and the entry point loops over the strips that have covered pixels:
//
//	block 8×8, subgroups of 16         for each strip with coverage:
//	┌────────────────┐ ─┐                lane → pixel, coverage bit
//	│ . . . X X . . .│  │ strip 0        early Z and stencil
//	│ . . X X X X . .│ ─┘                interpolation at the pixel's center
//	│ . X X X X X X .│                   the program's own code
//	│ X X X X X X X X│   strip 1         late Z and stencil, blending, store
//	│ . . . . . . . .│   skipped
//	│       ⋮        │   …
//	└────────────────┘
//
// Loads that depend on the item alone are hoisted before the loop (hoist.go). The loop of a stack of items shades several primitives in each
// strip (stack.go).
//
// # Samples
//
//	samples   sample shading   coarse    invocation represents        sample set
//	1         –                no        the pixel                    none: it runs if covered
//	n > 1     no               no        all covered samples          n bits
//	n > 1     yes              no        one sample of the pixel      none
//	any       no               yes       all samples of all pixels    n · pixels bits
//
// Each test and write of a set is a loop over its samples (forEachSample), which package pass unrolls for few samples. Up to four
// samples are truth values, too (shader.covers): the masks of an item have a bit for each pixel, and a comparison brings them
// into the form of an engine's masks:
//
//	item words 1 to 4 ─ bit of the lane ─▶ covers ─ early tests ─▶ covers ─ output coverage ─▶ covers ─▶ stores of each sample
//	                                         └────────▶ set, for programs that read or limit it
//
// # Order of tests
//
// Early tests run if the program demands them or nothing observable depends on the order (Key.EarlyTests).
// Programs that declare conservative outputs have a cheap early test in addition (earlylate.go). The pass has
// hierarchical Z before all of this, which empties items.
//
// # Files
//
// Callees come first: a file refers only to files before it.
//
//	inspect.go         properties of programs
//	key.go             keys: what the code depends on
//	shader.go          the builder, its variables and predicates
//	hoist.go           the strip loop's state, hoisting
//	primitive.go       words of the primitive and of its vertex records
//	interpolation.go   barycentric weights
//	coverage.go        coverage masks, sample sets
//	coarse.go          fragments of several pixels
//	fullycovered.go    FullyCoveredEXT
//	sample.go          sample positions, centroid, output coverage
//	attachment.go      addresses and texels of attachments
//	compare.go         comparison operators
//	depth.go           depth test
//	stencil.go         stencil test
//	counters.go        occlusion and invocation counters
//	test.go            tests of a sample in order
//	earlylate.go       conservative early tests
//	blendmath.go       colors and comparisons of advanced blend operations
//	hslblend.go        blending of hue, saturation and luminosity
//	advancedblend.go   advanced blend operations
//	blend.go           blending and logical operations
//	smoothlines.go     coverage of smooth lines
//	dither.go          legacy dithering
//	undefinedoutput.go reports of colors without a value, or of another type than the attachment
//	color.go           epilogue: color attachments
//	tileimage.go       reads of attachments
//	input.go           inputs of the program
//	strip.go           strip height, strip loop
//	pack.go            packs of quads
//	stack.go           stacks of items
//	entry.go           the entry point
package shade
