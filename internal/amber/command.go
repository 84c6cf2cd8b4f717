package amber

import (
	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/link"
)

// Command is one step of a script.
type Command interface {
	// Position is the position of the command in the script.
	Position() diag.Pos
}

// Step is the part that all commands have.
type Step struct{ At diag.Pos }

// Position returns the position of the command.
func (s Step) Position() diag.Pos { return s.At }

// Dispatch runs a compute pipeline.
type Dispatch struct {
	Step
	Pipeline *Pipeline
	Groups   [3]uint32
	Base     [3]uint32 // added to WorkgroupId
	Indirect *Buffer   // has the groups at byte Offset; nil if they are Groups
	Offset   int
}

// Draw runs a graphics pipeline.
type Draw struct {
	Step
	Pipeline *Pipeline
	Kind     DrawKind
	// Of rectangles and grids, in pixels; in VkScript without ortho in
	// normalized device coordinates.
	X, Y, Width, Height float64
	Normalized          bool
	Patch               bool // a rectangle drawn as a patch of 4 points
	CellsX, CellsY      int  // of a grid
	// For arrays. A count of 0 means all elements from the start.
	Topology                   string
	Indexed                    bool
	Start, Count               uint32
	StartInstance, NumInstance uint32
	BaseVertex                 int32 // added to indices beside Start
	DrawIndex                  uint32
	Indirect                   *IndirectDraw // replaces the numbers above
	ByteCount                  *ByteCount    // replaces Count
	Workgroups                 [3]uint32     // of draws of meshes and clusters
	Ranged                     bool          // a mesh draw of VK_NV_mesh_shader: Workgroups[0] from Start on
}

// DrawKind is the kind of geometry of a Draw.
type DrawKind uint8

// The kinds of draws.
const (
	DrawRect DrawKind = iota
	DrawGrid
	DrawArray
	DrawMesh
	DrawCluster
)

// Trace runs a ray tracing pipeline with the named binding tables.
type Trace struct {
	Step
	Pipeline                *Pipeline
	Raygen, Miss, Hit, Call string
	Size                    [3]uint32
}

// Shade runs a subpass shading pipeline for the pixels of its attachments.
type Shade struct {
	Step
	Pipeline *Pipeline
}

// DispatchGraph runs an execution graph with payloads for some of its nodes.
type DispatchGraph struct {
	Step
	Pipeline *Pipeline
	Starts   []GraphStart
}

// GraphStart is payloads for a node.
type GraphStart struct {
	Node           link.Node
	Count          uint32
	Buffer         *Buffer // of the payloads; nil for none
	Offset, Stride int     // bytes
}

// Clear clears the attachments of a graphics pipeline.
type Clear struct {
	Step
	Pipeline *Pipeline
}

// SetClear sets the value that Clear writes into one kind of attachment.
type SetClear struct {
	Step
	Pipeline *Pipeline
	What     ClearKind
	Value    [4]float64 // color in 0 to 1; else the first alone
}

// ClearKind is a kind of attachment.
type ClearKind uint8

// The kinds of attachments.
const (
	ClearColor ClearKind = iota
	ClearDepth
	ClearStencil
)

// Copy copies all of one buffer to another of the same type and size.
type Copy struct {
	Step
	From, To *Buffer
}

// Repeat runs commands several times.
type Repeat struct {
	Step
	Count    uint32
	Commands []Command
}

// Write stores numbers into a buffer (VkScript's ssbo and uniform).
type Write struct {
	Step
	Buffer *Buffer
	Shape  Shape // of the elements that are written
	Offset int   // bytes, of the first element
	Values []Number
}

// SetEntryPoint names the entry point of one stage from here on (VkScript).
type SetEntryPoint struct {
	Step
	Pipeline *Pipeline
	Stage    Stage
	Name     string
}

// SetState sets a word of fixed-function state from here on (VkScript).
type SetState struct {
	Step
	Pipeline *Pipeline
	Name     string
	Values   []string
}

// Debugger is a DEBUG block, which drives a debugger beside a run.
type Debugger struct {
	Step
	Pipeline *Pipeline
}
