package ir

import (
	"slices"
	"strconv"
)

// Stage is the kind of shader a program was made from.
type Stage uint8

// The stages.
const (
	Compute Stage = iota
	Vertex
	TessControl
	TessEval
	Geometry
	Fragment
	Task
	Mesh
	RayGen
	Intersection
	AnyHit
	ClosestHit
	Miss
	Callable
	numStages
)

var stageNames = [numStages]string{
	"compute", "vertex", "tesscontrol", "tesseval", "geometry", "fragment", "task", "mesh",
	"raygen", "intersection", "anyhit", "closesthit", "miss", "callable",
}

// String returns the printed form, such as "compute".
func (s Stage) String() string { return stageNames[s] }

// OfRays reports whether a stage is one of a ray tracing pipeline.
func (s Stage) OfRays() bool { return s >= RayGen && s <= Callable }

// Program is the code and the interface of one entry point, for one invocation.
// Funcs[0] is the entry point; it has neither arguments nor results.
type Program struct {
	Name         string
	Stage        Stage
	Funcs        []*Func
	SubgroupSize uint32    // lanes; a power of two from 1 to 128
	LocalSize    [3]uint32 // invocations of a workgroup
	QuadRow      uint32    // lanes from one row of a quad to the next: a power of two from 2 to half a subgroup; 0 if four consecutive lanes are a quad
	In           []Input
	Out          []Output
	Captures     []Capture // with Modes.Xfb: the transform feedback buffers of the outputs
	Res          []Resource
	Vars         []Var
	Tables       [][]byte
	Messages     []Message // the messages of log
	PushBytes    uint32    // size of the push constants that the program declares
	SharedBytes  uint32    // size of the workgroup's memory
	Effects      Effects

	Modes          Modes  // of graphics stages, and TileShading
	OutputVertices uint32 // of a patch (tessellation control); at most of an invocation (geometry) or of a workgroup (mesh)
	Instances      uint32 // of each primitive (geometry)

	OutputPrimitives uint32 // at most of a workgroup (mesh)
	PayloadBytes     uint32 // size of the payload of a task; a multiple of 4
	TileLayers       uint32 // that an invocation of a tile dispatch shades, the z of TileShadingRateQCOM; 0 without the mode
	AttributeSlots   uint32 // size of the hit attributes of a ray tracing stage; at most MaxAttributeSlots

	Observed bool     // values keep their numbers, for a debugger: the passes do nothing
	From     *Program // of a composed program: that of its stage
	IDs      []IDVar  // of an observed and composed program
}

// IDVar is a private variable of one slot that tells which invocation of its stage a lane is, and what became of it.
type IDVar struct {
	Semantic Semantic // FragCoord: a coordinate of the pixel, by Index; Position: a component of FragCoord; Location: an output; NoSemantic: a probe, by Index
	Index    uint32
	Var      int
	Type     Type // of an output
}

// The probes of a fragment: the tests and other places at which samples of it can end. The word of a probe is 0 if no sample reached
// it, ProbeFailed if none passed, and ProbePassed if one did.
const (
	ProbeCovered uint32 = iota // by the primitive
	ProbeBounds                // depth bounds test
	ProbeStencil
	ProbeDepth
	ProbeEnd  // of the shader, without a discard
	ProbeMask // the shader's sample mask, and alpha to coverage

	ProbeFailed = 1
	ProbePassed = 2
)

// Clone returns a copy of p. The copy shares only data that no pass changes.
func (p *Program) Clone() *Program {
	q := *p
	q.Funcs = make([]*Func, len(p.Funcs))
	for i, f := range p.Funcs {
		q.Funcs[i] = f.Clone()
	}
	q.In, q.Out, q.Res, q.Vars = slices.Clone(p.In), slices.Clone(p.Out), slices.Clone(p.Res), slices.Clone(p.Vars)
	q.Captures = slices.Clone(p.Captures)
	q.IDs = slices.Clone(p.IDs)
	q.Tables, q.Messages = slices.Clone(p.Tables), slices.Clone(p.Messages)
	return &q
}

// PrivateSlots returns the size of a lane's private memory in slots of 32 bits.
func (p *Program) PrivateSlots() uint32 {
	n := uint32(0)
	for _, v := range p.Vars {
		n += v.Slots
	}
	return n
}

// VarBase returns the address of a variable's first slot: the variables are
// consecutive, in order.
func (p *Program) VarBase(i int) uint32 {
	n := uint32(0)
	for _, v := range p.Vars[:i] {
		n += v.Slots
	}
	return n
}

// Subgroups returns the number of subgroups of a workgroup.
func (p *Program) Subgroups() uint32 {
	return (p.Invocations() + p.SubgroupSize - 1) / p.SubgroupSize
}

// Invocations returns the number of invocations of a workgroup.
func (p *Program) Invocations() uint32 { return p.LocalSize[0] * p.LocalSize[1] * p.LocalSize[2] }

// QuadLane returns the number that quadswap #imm combines by exclusive or with the
// number of a lane to obtain the number of the lane that it reads.
func (p *Program) QuadLane(imm uint64) uint64 {
	if p.QuadRow == 0 {
		return imm
	}
	return imm&1 | imm>>1*uint64(p.QuadRow)
}

// ResourceKind is the kind of a descriptor.
type ResourceKind uint8

// The kinds of resource.
const (
	StorageBuffer ResourceKind = iota
	UniformBuffer
	PushBank      // Binding is the number of a bank of push constants; nothing writes it
	StorageTensor // the memory of a tensor
	TensorShape   // the shape of the tensor at the same binding, as words of 64 bits: rank, size of each dimension, bytes between elements along each
	HeapBytes     // the bytes of the descriptor heap; of the sampler heap if Binding is SamplerHeap
	HeapBuffer    // the buffers with descriptors in the heap, one for each HeapDescriptor bytes
	HeapUniform   // the same, read-only
	Texels        // the memory of an image
	ImageShape    // the description of the view at the same binding: words, see ShapeWords
	SamplerState  // a sampler: words, see SamplerWords

	// DescriptorFaults has a word for each descriptor at the same binding: its fault, or 0. Only sanitizers read it.
	DescriptorFaults
	StorageShadow // a byte for each byte of the StorageBuffer at the same binding: 0 if it is defined; only for a sanitizer
	UniformShadow // the same for a UniformBuffer
	numResourceKinds
)

// The faults of descriptors; 0 is none.
const (
	InvalidDescriptor = 1 + iota // it is neither null nor of a live object
	AbsentDescriptor             // it is outside of memory
)

// HeapDescriptor is the size in bytes of the descriptor of a buffer in a heap:
// two words of 64 bits, the address and, in HeapRange, the length of the range.
const HeapDescriptor = 16

// HeapRange is the bits of the length of the range. A run ignores the others.
const HeapRange = 1<<56 - 1

// PayloadSet is the descriptor set of the payload that a mesh program reads, a
// StorageBuffer. No shader can name it.
const PayloadSet = 1<<32 - 2

// The bindings in PayloadSet.
const (
	PayloadBinding       = iota
	PayloadShadowBinding // with the sanitizer uninit: a byte for each byte of the payload, 0 if it is defined
)

// SamplerHeap is the binding of the HeapBytes that are the heap of samplers.
const SamplerHeap = 1

// The sorts of resources that mappings distinguish at one binding (VkSpirvResourceTypeFlagsEXT).
const (
	SortPlain     = iota // a uniform buffer, or an image with a sampler of its own binding
	SortReadOnly         // a storage buffer or a storage image that is not written
	SortWritten          // a storage buffer or a storage image that is written
	SortCombined         // an image with the sampler of the same binding
	SortSampler          // a sampler alone
	SortStructure        // an acceleration structure
)

// A program with mapped resources has other numbers of bindings for each sort: the bit sorted, the sort from sortShift on, and
// below it the number of the shader.
const (
	sorted    = 1 << 31
	sortShift = 28
)

// MaxSorted is the greatest number of a binding that a mapped resource has.
const MaxSorted = 1<<sortShift - 1

// SortedBinding returns the number in a program of the binding of a mapped resource. binding is at most MaxSorted.
func SortedBinding(binding, sort uint32) uint32 {
	if sort == SortPlain {
		return binding
	}
	return sorted | sort<<sortShift | binding
}

// unsorted returns the number that the shader has for a binding of SortedBinding, and the sort of the resource.
func unsorted(binding uint32) (number, sort uint32) {
	if binding&sorted == 0 {
		return binding, SortPlain
	}
	return binding & MaxSorted, binding &^ sorted >> sortShift
}

// Number returns the number that the shader has for the binding of a resource, and the sort of a mapped resource.
func (r *Resource) Number() (number, sort uint32) {
	if !r.Sorted {
		return r.Binding, SortPlain
	}
	return unsorted(r.Binding)
}

// Place names the set and the binding of a resource, as the shader numbers them.
func (r *Resource) Place() string {
	number, _ := r.Number()
	return "set " + strconv.FormatUint(uint64(r.Set), 10) + ", binding " + strconv.FormatUint(uint64(number), 10)
}

// TileBank is the binding of the PushBank with the active tile, TileWords words: width, height and layers of the tile, width and
// height of the apron. Without an active tile it has no bytes. No shader can name it.
const TileBank = 1<<32 - 1

// TileWords is the number of words of the TileBank.
const TileWords = 5

// TileGranularity is the width and the height of the pixels of a tile that a workgroup of a tile dispatch shades. Those of a tile
// are multiples of it.
const TileGranularity = 16

var resourceKindNames = [numResourceKinds]string{"storage", "uniform", "bank", "tensor", "shape", "heap", "heapbuffer", "heapuniform", "texels", "view", "sampler", "faults", "storageshadow", "uniformshadow"}

// String returns the printed form, such as "storage".
func (k ResourceKind) String() string { return resourceKindNames[k] }

// Resource is a descriptor binding that a program uses.
type Resource struct {
	Set, Binding uint32
	Kind         ResourceKind
	Count        uint32 // descriptors; 0 for a runtime-sized array
	Restrict     bool   // no other resource names the same bytes
	NonWritable  bool   // neither the program nor anything else writes it during the run
	Disjoint     bool   // no two invocations of a workgroup access the same byte
	Heap         bool   // of images and samplers: the descriptors are in the heap of their kind, one for each HeapDescriptor bytes; Count is 0
	Structure    bool   // a uniform buffer that has the number of an acceleration structure
	Tile         bool   // of images: a tile attachment
	Sorted       bool   // Binding is a number of SortedBinding
}

// Var is a Function or Private variable: a range of the lane's private memory.
type Var struct {
	Name  string
	Slots uint32
	Func  int // the function it belongs to; −1 for Private
}

// MessageKind is the action of the run on a message.
type MessageKind uint8

// The kinds of messages.
const (
	Print           MessageKind = iota // the run shows it
	Break                              // a debugger stops at it
	Abort                              // the run fails at its end
	Undefined                          // the run reports what a sanitizer found
	Unwritten                          // the run reports an output without a value, if the next stage or an attachment takes it: Args begin with Location and component
	Checked                            // never logged: the program has the sanitizer, and a draw adds its own reports
	Traced                             // the detector of data races reads it
	numMessageKinds = iota
)

var messageKindNames = [numMessageKinds]string{"print", "break", "abort", "undefined", "unwritten", "checked", "traced"}

// String returns the printed form, such as "print".
func (k MessageKind) String() string { return messageKindNames[k] }

// IsReport reports whether messages of the kind are reports of a sanitizer.
func (k MessageKind) IsReport() bool { return k == Undefined || k == Unwritten }

// Message is a message that an invocation can log. logarg supplies the values of
// its arguments.
type Message struct {
	Kind  MessageKind
	Text  string   // of Print, Undefined and Unwritten: a format string as in NonSemantic.DebugPrintf
	Args  []Type   // of the values, in order
	At    []uint32 // of Abort: the byte offsets of the values in the type of the message; nil if the type has no layout
	Site           // of Undefined, Unwritten and Traced; of Abort, the line and the column of a trap
	Event          // of Traced
}

// IsBareEvent reports whether the message is an event without values: a fence or a barrier of a stage with workgroups.
func (m *Message) IsBareEvent() bool { return m.Kind == Traced && len(m.Args) == 0 }

// Effects are properties of the whole program that engines need.
type Effects struct {
	Barrier  bool // executes barriers
	GroupOps bool // executes group operations
	Quads    bool // needs whole quads
	Ordered  bool // the results depend on the order of lanes or groups: true for any atomic except integer add, min, max, and, or, xor without a used result; for such atomics of several kinds; and for such atomics beside volatile or coherent loads
	InGroup  bool // the results depend on the order of the lanes of a group: atomics on memory that no other group accesses
	Discards bool // kills or demotes
	Writes   bool // writes memory other than a workgroup's
	Rays     bool // traces rays
}
