package draw

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/frontend"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Pass executes draws and clears on one target together, tile by tile. One worker takes a tile through
// all of them while its texels are in the caches. The result equals the result of the same draws one after
// the other, for any number of workers.
//
// Arguments are copied when a draw or clear is recorded, apart from memory: buffers, images, indices
// and descriptor memory must not change until End, and queries and statistics are complete after End.
// A draw executes at once, after everything before it, if its programs write memory, print, or feed
// back, or if the target's memory is bound to them.
//
// A Pass is reusable, and then allocates nothing. The zero Pass is ready for use by one goroutine.
type Pass struct {
	target  state.Target
	memory  [][]byte // of the attachments
	workers int
	width   int32 // in tiles

	steps   []step
	ordered bool // one worker bins, in order

	draws  []*recordedDraw // recorded steps; the first inUse are in use
	clears []*recordedClear
	inUse  struct{ draws, clears, models int } // models: the draws at the beginning that an earlier flush has executed, 0 or 1
	model  *recordedDraw                       // the draw in use that outlives the flush; see keepModel

	indirect state.Args // of the current draw of DrawIndirect; a local variable would cost an allocation

	ctx           context.Context // of binning
	crew          exec.Pool
	binners       []*binWorker     // by worker
	binWorkerFunc func(worker int) // runBinWorker
	binning

	interleaver exec.Interleaver
	tasks       []exec.Task
	tiles       [][]exec.Piece // work lists by tile
	homes       []home         // by tile
	workerOf    []int32        // by tile: of its home
	coarse      []coarseDepth  // by tile, if a step uses HiZ
	coarseValid bool           // coarse has the depths after the last flush
	flushes     uint64         // number of times that all coarse depths became unknown
	flushing    []*binList

	free [][]*binList // unused bin lists, by the worker that used them last
	kept int          // bytes of free
}

// step is a draw or a clear.
type step struct {
	draw  *recordedDraw
	clear *recordedClear
}

// recordedClear is a clear of a pass.
type recordedClear struct {
	area   raster.Rect
	all    raster.Rect // of the target
	layers [2]uint32   // first, and end
	mask   uint32      // of layers; 0: use layers
	list   []clearedView
	deep   bool // depth is cleared, to this value
	depth  float32
}

// clearedView is an attachment with its encoded clear texel. The texel is encoded once, when the
// clear is recorded: format conversion does not run for each tile.
type clearedView struct {
	view  *texture.View
	size  int
	texel [texture.MaxTexel]byte
}

// binList is a bin list: the binned primitives of one draw, or of some that join, as items in one bin for each tile, or a
// clear. It is the unit of work between binning and shading, a "bin" scene of Molnar et al. 1994 for
// one draw. Its memory belongs to one binWorker until add, and to the pass from then on. During
// shading all of it is constant, except the items: HiZ empties masks. No lock is needed for that,
// because only the worker of a tile visits the tile's items.
type binList struct {
	ticket uint64 // position in the order of the pass
	worker int32  // that binned it
	number uint32 // differs from the numbers of other lists that run together
	bins   []bin

	clear        *recordedClear // or a clear
	clearFunc    func(tile int) // clearTile
	prefetchFunc func(first, count uint32)
	width        int32            // of the pass, in tiles
	binding      *compose.Binding // the fragment program
	ready        exec.Prepared

	hiz        hizMode
	beforeFunc func(tile int) // beforeFragments
	coarse     []coarseDepth  // of the pass, by tile; empty without HiZ
	flush      uint64         // Pass.flushes
	layout     itemLayout

	compose.Runner
	params     compose.Memory
	items      []uint64
	primitives []raster.Primitive
	rests      []raster.PrimitiveRest // none if the fragment program reads none
	records    []uint32

	batches  raster.Batches // of all draws in place of the worker; no rows if the list has primitives and records
	ownBytes int            // of the list in this memory
}

// itemLayout is the layout of a bin list's items. Four samples per pixel make items of five words,
// 40 bytes: the head and one mask for each sample.
type itemLayout struct {
	words, samples int    // of an item
	shaded         uint32 // invocations of an item for each pixel
	runs           bool   // items can have identical blocks below
	packed         bool   // items are packs, without masks
	recordWords    int    // words of a kept vertex record
}

// bin is the bin list's share of one tile: a range of invocations. The bins of a list are sorted by
// tile. Only tiles with items have one, so that a small draw costs nothing in the other tiles.
type bin struct {
	tile         int32 // number in the pass
	first, count uint32
	overwrites   bool // the tile's earlier clears cannot be seen
}

// binWorker is the binning context of one worker. ticket is the ticket of the current task. A bin list
// has the ticket of the first of its tasks.
type binWorker struct {
	frontend.Binner
	draw   *recordedDraw
	pass   *Pass
	ticket uint64
	worker int
	packer packer
	series series

	waiting     []waitingTask
	chain       uint64             // of the current draw, of draws in place
	chains      uint64             // so far
	joined      joinedList         // the unfinished list
	triangles   frontend.Triangles // of the current draw in place
	sampled     uint32             // packed bin lists so far, of which some choose the size of the triangles
	packedWords int                // words of the items of the last packed bin list
}

// binning is the state of the front end that the workers share.
type binning struct {
	mu        sync.Mutex
	taskEnded sync.Cond // a task has ended

	assembler  frontend.Assembler
	group      uint32   // first workgroup of the next task of a mesh draw
	step       int      // current step of the pass
	views      uint32   // remaining views of the step
	started    bool     // the current view has begun
	nextTicket uint64   // of the next task
	listNumber uint32   // of the last bin list of a draw
	tickets    []uint64 // by worker; noTicket while idle
	parallel   bool     // several workers bin

	lists        []*binList
	bytes        int
	err          error
	failedTicket uint64 // ticket of err
	stop         *atomic.Bool
}

const noTicket = math.MaxUint64

// Bounds of binned work before shading begins. Large bounds give each tile more work while its texels
// are in the caches.
var maxBinnedBytes = 64 << 20 // tests change it

const maxLists = 256

// Bytes of a bin list at which a worker begins another one. A small triangle has at least 80 bytes: 64 of its primitive and 16 of
// one item. Tasks of several workers differ in their output, and each has a list: with the smaller bound all lists have
// memory of about the same size, which suits any later task.
var maxListBytes, maxTaskListBytes = 8 << 20, 2 << 20 // tests change them
