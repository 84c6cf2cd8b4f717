// Package draw executes draws and clears on a target, by any engine. A [Pipeline] has programs and state, a
// [Pass] records draws and executes them together, tile by tile: a sort-middle architecture (Molnar, Cox,
// Ellsworth, Fuchs 1994, "A Sorting Classification of Parallel Rendering"). The package refuses to know the
// engine, command buffers and descriptor sets: bound resources are plain maps.
//
// # A pass
//
//	draw, draw, clear, draw        recorded steps; arguments are copied
//	  │ binning                    workers take tasks: some chunks of a draw for a view
//	  │   package frontend         vertices … set-up, coverage
//	  ▼
//	bin lists                      one for each draw and task, sorted by ticket
//	┌─────────────┬─────┬─────┬─────┐
//	│ list        │tile0│tile1│tile2│    bin: the items of a list in one tile
//	├─────────────┼─────┼─────┼─────┤    item: one primitive in one block of 8×8 pixels
//	│ 0 clear     │  ×  │  ×  │  ×  │
//	│ 1 draw A    │  ×  │  ×  │     │
//	│ 2 draw B    │     │  ×  │  ×  │
//	└─────────────┴──│──┴──│──┴──│──┘
//	                 ▼     ▼     ▼       shading: workers take tiles, top to bottom
//	              attachments
//
// Draws of small triangles have packs of quads in place of items (pack.go), draws of layers stacks of items (stack.go). For each bin of a tile of 64×64 pixels:
//
//	hierarchical Z   (hiz.go)          empties items that the coarse depth buffer hides of the tile
//	fragment program (package shade)   early Z and stencil, shading, late tests, blending, store
//
// Binning stops at bounds of memory; then the tiles are shaded and binning resumes.
//
// # Order
//
// Tickets number the tasks in primitive order, whichever worker executes them. A tile's bins run in ticket
// order on one worker, and tiles share no pixels. So the result does not depend on the number of workers, and
// reads of attachments and critical sections of fragments (interlock) are ordered without further work.
//
// Draws with side effects other than attachments are not recorded together with others.
//
// # Files
//
// Callees come first: a file refers only to files before it.
//
//	pipeline.go     programs and state
//	ratelookup.go   fragment sizes
//	draw.go         a recorded draw
//	pass.go         the data of a pass: steps, bin lists, workers
//	hiz.go          hierarchical Z
//	overwrite.go    clears that cannot be seen
//	discard.go      discard rectangles
//	pack.go         packs of the quads of small triangles
//	stack.go        stacks of layers
//	binlist.go      bins: from rasterizer to tiles
//	clear.go        clears
//	ticket.go       the order of tasks and bin lists
//	series.go       draws that a worker takes at once
//	joined.go       draws that share bin lists
//	binning.go      workers and tasks of the front end
//	run.go          bin, shade
//	remap.go        locations of color attachments
//	repeat.go       draws that differ in push constants alone
//	record.go       record draws and clears
//	indirect.go     record indirect draws
//	resolverow.go   resolve modes, rows of a multisample resolve
//	resolve.go      multisample resolve
package draw
