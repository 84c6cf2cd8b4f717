package state

import "encoding/binary"

// Sizes of the structures of indirect draws in bytes: VkDrawIndirectCommand, VkDrawIndexedIndirectCommand,
// VkDrawMeshTasksIndirectCommandEXT and VkDrawMeshTasksIndirectCommandNV.
const (
	IndirectBytes        = 16
	IndexedIndirectBytes = 20
	MeshIndirectBytes    = 12
	TaskRangeBytes       = 8
)

// Indirect is an indirect draw: its parameters are in a buffer (Vulkan §"Programmable Primitive Shading").
type Indirect struct {
	Buffer []byte // from the first structure on
	Stride uint32 // bytes from structure to structure, if there are several
	Count  uint32 // draws, or their maximum if CountBuffer is not nil

	// CountBuffer begins with the number of draws, if it is not nil.
	CountBuffer []byte

	// DrawIndex holds the DrawIndex of each draw; nil for the number of the draw.
	DrawIndex []uint32
}

// Draws returns the number of draws like a: with indices, without, or of a mesh pipeline. It returns a *StateError if a buffer
// is too small, or the structures overlap.
func (x *Indirect) Draws(a *Args) (uint32, error) {
	n := x.Count
	if x.CountBuffer != nil {
		if len(x.CountBuffer) < 4 {
			return 0, Errorf("a count buffer of %d bytes from its offset on; must have 4", len(x.CountBuffer))
		}
		n = min(n, binary.LittleEndian.Uint32(x.CountBuffer))
	}
	if n == 0 {
		return 0, nil
	}
	size := indirectBytes(a)
	if n > 1 && (x.Stride < size || x.Stride%4 != 0) {
		return 0, Errorf("structures of indirect draws %d bytes apart; must be a multiple of 4 from %d on", x.Stride, size)
	}
	if end := uint64(n-1)*uint64(x.Stride) + uint64(size); end > uint64(len(x.Buffer)) {
		return 0, Errorf("%d indirect draws need %d bytes; the buffer has %d from its offset on", n, end, len(x.Buffer))
	}
	return n, nil
}

// Set stores the parameters of draw i in a, which must be one of Draws.
func (x *Indirect) Set(a *Args, i uint32) {
	at := x.Buffer[uint64(i)*uint64(x.Stride):]
	word := func(n int) uint32 { return binary.LittleEndian.Uint32(at[4*n:]) }
	if a.DrawIndex = i; x.DrawIndex != nil {
		a.DrawIndex = x.DrawIndex[i]
	}
	switch {
	case a.TaskRange:
		a.Tasks, a.FirstTask = [3]uint32{word(0), 1, 1}, word(1)
		return
	case a.Mesh:
		a.Tasks = [3]uint32{word(0), word(1), word(2)}
		return
	}
	a.Count, a.Instances, a.First = word(0), word(1), word(2)
	if a.Index == nil {
		a.FirstInstance = word(3)
		return
	}
	a.BaseVertex, a.FirstInstance = int32(word(3)), word(4)
}

// indirectBytes returns the size of a structure.
func indirectBytes(a *Args) uint32 {
	switch {
	case a.TaskRange:
		return TaskRangeBytes
	case a.Mesh:
		return MeshIndirectBytes
	case a.Index != nil:
		return IndexedIndirectBytes
	}
	return IndirectBytes
}
