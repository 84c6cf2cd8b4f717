package ir

import "slices"

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

// Program is what one invocation of an entry point does. Funcs[0] is the entry
// point; it has neither arguments nor results.
type Program struct {
	Name         string
	Stage        Stage
	Funcs        []*Func
	SubgroupSize uint32    // lanes; a power of two from 4 to 128
	LocalSize    [3]uint32 // invocations of a workgroup
	QuadRow      uint32    // lanes from one row of a quad to the next: a power of two from 2 to half a subgroup; 0 where four lanes that follow each other are a quad
	In           []Input
	Out          []Output
	Captures     []Capture // with Modes.Xfb: what outputs are captured to
	Res          []Resource
	Vars         []Var
	Tables       [][]byte
	Messages     []Message // what log may say
	PushBytes    uint32    // size of the push constants that the program declares
	SharedBytes  uint32    // size of the workgroup's memory
	Effects      Effects

	Modes          Modes  // of graphics stages
	OutputVertices uint32 // of a patch (tessellation control); at most of an invocation (geometry)
	Instances      uint32 // of each primitive (geometry)
}

// Clone returns a copy of p that shares nothing with it that passes change.
func (p *Program) Clone() *Program {
	q := *p
	q.Funcs = make([]*Func, len(p.Funcs))
	for i, f := range p.Funcs {
		q.Funcs[i] = f.Clone()
	}
	q.In, q.Out, q.Res, q.Vars = slices.Clone(p.In), slices.Clone(p.Out), slices.Clone(p.Res), slices.Clone(p.Vars)
	q.Captures = slices.Clone(p.Captures)
	q.Tables, q.Messages = slices.Clone(p.Tables), slices.Clone(p.Messages)
	return &q
}

// PrivateSlots returns how many slots of 32 bits a lane's private memory has.
func (p *Program) PrivateSlots() uint32 {
	n := uint32(0)
	for _, v := range p.Vars {
		n += v.Slots
	}
	return n
}

// VarBase returns the place of a variable's first slot: the variables stand
// one behind the other, in order.
func (p *Program) VarBase(i int) uint32 {
	n := uint32(0)
	for _, v := range p.Vars[:i] {
		n += v.Slots
	}
	return n
}

// Subgroups returns how many subgroups a workgroup has.
func (p *Program) Subgroups() uint32 {
	return (p.Invocations() + p.SubgroupSize - 1) / p.SubgroupSize
}

// Invocations returns how many invocations a workgroup has.
func (p *Program) Invocations() uint32 { return p.LocalSize[0] * p.LocalSize[1] * p.LocalSize[2] }

// QuadLane returns by which bits the number of a lane differs from that of the one
// that quadswap #imm reads.
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
	TensorShape   // what is bound to the same place, as words of 64 bits: rank, size of each dimension, bytes between elements along each
	HeapBytes     // the heap of descriptors as it stands in memory; that of samplers where Binding is SamplerHeap
	HeapBuffer    // the buffers whose descriptors stand in the heap, one for each HeapDescriptor bytes
	HeapUniform   // the same, to be read alone
	Texels        // the memory of an image
	ImageShape    // what the view bound to the same place shows of it: words, see ShapeWords
	SamplerState  // a sampler: words, see SamplerWords
	numResourceKinds
)

// HeapDescriptor is the size in bytes of the descriptor of a buffer in a heap:
// two words of 64 bits, the address and the length of the range.
const HeapDescriptor = 16

// SamplerHeap is the binding of the HeapBytes that are the heap of samplers.
const SamplerHeap = 1

var resourceKindNames = [numResourceKinds]string{"storage", "uniform", "bank", "tensor", "shape", "heap", "heapbuffer", "heapuniform", "texels", "view", "sampler"}

// String returns the printed form, such as "storage".
func (k ResourceKind) String() string { return resourceKindNames[k] }

// Resource is a descriptor binding that a program uses.
type Resource struct {
	Set, Binding uint32
	Kind         ResourceKind
	Count        uint32 // descriptors; 0 for a runtime-sized array
	Restrict     bool   // no other resource names the same bytes
	NonWritable  bool   // the program does not write it, nor does anyone while it runs
	Disjoint     bool   // two invocations of one workgroup touch no common byte of it
	Heap         bool   // of images and samplers: those whose descriptors stand in the heap of their kind, one for each HeapDescriptor bytes; Count is 0
}

// Var is a Function or Private variable: a range of the lane's private memory.
type Var struct {
	Name  string
	Slots uint32
	Func  int // the function it belongs to; −1 for Private
}

// MessageKind says what becomes of a message.
type MessageKind uint8

// The kinds of messages.
const (
	Print           MessageKind = iota // it is shown
	Break                              // a debugger stops at it
	Abort                              // the run counts as failed, once all has run
	numMessageKinds = iota
)

var messageKindNames = [numMessageKinds]string{"print", "break", "abort"}

// String returns the printed form, such as "print".
func (k MessageKind) String() string { return messageKindNames[k] }

// Message is something that an invocation may say, with the values that it then
// gives.
type Message struct {
	Kind MessageKind
	Text string // of Print: how it is shown, in the form of NonSemantic.DebugPrintf
	Args []Type // of the values, in order
}

// Effects are what engines must know of the whole program.
type Effects struct {
	Barrier  bool // executes barriers
	GroupOps bool // executes group operations
	Quads    bool // needs whole quads
	Ordered  bool // its results depend on the order of lanes or groups: any atomic but integer add, min, max, and, or, xor without a used result; such atomics of several kinds, or beside volatile or coherent loads
	Discards bool // kills or demotes
	Writes   bool // writes memory
}
