package state

import (
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// Args are the arguments of a draw.
type Args struct {
	// Shader holds descriptors, push constants and the parameters of a run, for all stages. Groups,
	// Base and Hook are ignored.
	Shader compute.Args

	// State replaces the pipeline's state if it is not nil. It must not change during the draw.
	State *State

	// Area restricts the draw to pixels of the target; empty is unrestricted.
	Area Rect

	// VertexBuffers are the vertex buffers, by binding. The robustness of the vertex stage determines whether it reads
	// the bytes after the range of a buffer.
	VertexBuffers []exec.Buffer

	// Index holds indices of IndexBytes (1, 2 or 4) each; nil is a draw without indices. Indices out
	// of its range are 0.
	Index      []byte
	IndexBytes uint32

	// Repeats is a promise on the last draw of the pass. It saves most of the cost of recording the draw.
	Repeats bool   // all but the range, push constants and the sets in Rebound are as in the last draw
	Rebound uint64 // with Repeats: a bit mask of the descriptor sets that differ from the last draw

	First, Count             uint32 // vertices, or indices
	FirstInstance, Instances uint32
	BaseVertex               int32 // added to indices
	DrawIndex                uint32

	// Mesh makes the draw one of workgroups of task or mesh programs: Tasks in x, y and z. Vertices and
	// instances mean nothing. A draw of the other kind than the pipeline draws nothing.
	Mesh  bool
	Tasks [3]uint32

	// TaskRange makes the parameters of an indirect mesh draw two: a number of workgroups in x, and FirstTask, the first
	// workgroup in x (VK_NV_mesh_shader).
	TaskRange bool
	FirstTask uint32

	// Node has the payloads of a mesh draw of a node of an execution graph: each has Tasks workgroups. It is nil in other draws.
	Node *NodePayloads

	// Passed counts samples that pass all tests, if it is not nil. In a pass it is complete at the
	// pass' end, as are Statistics and Feedback.
	Passed *uint64

	// Statistics is incremented if it is not nil.
	Statistics *Statistics

	// Feedback enables transform feedback if it is not nil.
	Feedback *Feedback
}

// NodePayloads is payloads of a mesh node with the same number of workgroups.
type NodePayloads struct {
	Data     []byte // all of the following; the shaders may write it
	Payloads uint32 // the offset of the payloads
	Stride   uint32 // from payload to payload, see ir.PayloadStride
	First    uint32 // the first workgroup of the draw among the workgroups of all payloads
	Total    uint32 // the workgroups of the draw

	Index, Recursion uint32 // the values of ShaderIndexAMDX and RemainingRecursionLevelsAMDX
	Share            uint32 // the workgroups that have a payload, of all nodes that share it

	Targets   uint32 // the offset of the lists of nodes that exist
	Areas     uint32 // the offset of the areas of sent payloads: for each view its workgroups' areas
	AreaBytes uint32 // the size of an area
}

// Range is the vertices and the instances of a draw, as in [Args].
type Range struct {
	First, Count             uint32
	FirstInstance, Instances uint32
	BaseVertex               int32
}

// Range returns the vertices and instances of the draw.
func (a *Args) Range() Range {
	return Range{a.First, a.Count, a.FirstInstance, a.Instances, a.BaseVertex}
}

// Vertices returns the number of vertices of all instances.
func (r *Range) Vertices() uint64 { return uint64(r.Count) * uint64(r.Instances) }

// Check returns an error if arguments and state are invalid.
func (a *Args) Check(s *State) error {
	switch {
	case a.Index != nil && a.IndexBytes != 1 && a.IndexBytes != 2 && a.IndexBytes != 4:
		return Errorf("indices of %d bytes; must be 1, 2 or 4", a.IndexBytes)
	case s.Assembly.Topology > enum.TopologyPatchList:
		return Errorf("topology %d; must be one of Vulkan's", s.Assembly.Topology)
	case len(s.Viewports) > MaxViewports || len(s.Viewports) != len(s.Scissors):
		return Errorf("%d viewports and %d scissors; must be as many, at most %d", len(s.Viewports), len(s.Scissors), MaxViewports)
	case s.Rasterization.Stipple.Factor > MaxStipple:
		return Errorf("a stipple with factor %d; must be at most %d", s.Rasterization.Stipple.Factor, MaxStipple)
	case len(a.Shader.Push) > compute.MaxPushBytes:
		return &exec.LimitError{Quantity: "bytes of push constants", Value: uint64(len(a.Shader.Push)), Max: compute.MaxPushBytes}
	}
	for _, v := range s.Vertex.Bindings {
		if v.Binding >= MaxBindings || v.Stride > MaxStride {
			return Errorf("vertex binding %d with a stride of %d; must be below %d, and at most %d", v.Binding, v.Stride, MaxBindings, MaxStride)
		}
	}
	for _, v := range s.Vertex.Attributes {
		if v.Binding >= MaxBindings || v.Location >= MaxAttributes || v.Offset > MaxOffset {
			return Errorf("vertex attribute %d at offset %d of binding %d; must be below %d, at most %d, and below %d", v.Location, v.Offset, v.Binding, MaxAttributes, MaxOffset, MaxBindings)
		}
	}
	if n := len(s.Discard.Rectangles); n > MaxDiscardRectangles {
		return &exec.LimitError{Quantity: "discard rectangles", Value: uint64(n), Max: MaxDiscardRectangles}
	}
	if err := s.checkLocations(); err != nil {
		return err
	}
	if l := s.Multisample.Custom(); l != nil {
		if err := l.check(max(s.Multisample.Samples, 1)); err != nil {
			return err
		}
	}
	return s.Rate.check()
}

// Empty reports whether the draw has no vertices or no workgroups.
func (a *Args) Empty() bool {
	if a.Mesh {
		return a.Tasks[0] == 0 || a.Tasks[1] == 0 || a.Tasks[2] == 0 || a.Node != nil && a.Node.Total == 0
	}
	return a.Count == 0 || a.Instances == 0
}

// IndexAt returns index n of those from number first on, and whether the buffer contains it.
func (a *Args) IndexAt(first, n uint32) (uint32, bool) {
	at := (uint64(first) + uint64(n)) * uint64(a.IndexBytes)
	if at+uint64(a.IndexBytes) > uint64(len(a.Index)) {
		return 0, false
	}
	b := a.Index[at:]
	switch a.IndexBytes {
	case 1:
		return uint32(b[0]), true
	case 2:
		return uint32(binary.LittleEndian.Uint16(b)), true
	}
	return binary.LittleEndian.Uint32(b), true
}
