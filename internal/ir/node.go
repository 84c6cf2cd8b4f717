package ir

import "encoding/binary"

// Node is what an execution graph must know of a shader (SPV_AMDX_shader_enqueue).
type Node struct {
	Name  string // of the entry point
	Index uint32 // ShaderIndexAMDX

	Coalescing bool       // a workgroup receives up to MaxPayloads payloads
	Static     [3]uint32  // workgroups of each payload; 0 if the payload has them
	MaxGroups  *[3]uint32 // MaxNumWorkgroupsAMDX
	Recursion  uint32     // MaxNodeRecursionAMDX
	Internal   bool       // commands must not dispatch the node (IsApiEntryAMDX)
	Shares     *NodeName  // of SharesInputWithAMDX

	Input       bool   // the shader has an input payload
	Bytes       uint32 // its size
	MaxPayloads uint32 // of a workgroup with Coalescing

	// The number of workgroups in the payload: its offset, its components and their bytes. 0 components if it has none.
	GroupsAt, Groups, GroupBytes uint32

	Outputs   []NodeOutput
	AreaBytes uint32 // of the outputs of a workgroup
}

// NodeName identifies a node.
type NodeName struct {
	Name  string
	Index uint32
}

// NodeOutput is a type of payloads that the shader sends. The area of a workgroup has for each type, from the offset Count on:
//
//	count   the payloads that the workgroup has allocated, a word
//	rows    three words for each payload that begins an array: the length of the array, the index of the node, and not 0 if it
//	        is sent. One more row stands for empty arrays
//	data    the payloads
type NodeOutput struct {
	Type   uint32 // the id of the type
	Name   string
	Base   uint32 // PayloadNodeBaseIndexAMDX
	Size   uint32 // PayloadNodeArraySizeAMDX; 0 is no bound
	Sparse bool
	Max    uint32 // NodeMaxPayloadsAMDX
	Bytes  uint32 // of a payload
	Stride uint32 // 0 if the shader sends none; the following are 0, too
	Count  uint32
	Rows   uint32
	Data   uint32
}

// NodeRowBytes is the size of a row.
const NodeRowBytes = 12

// PayloadStride returns the bytes from a payload to the next one: the count of finished workgroups follows the payload.
func PayloadStride(bytes uint32) uint32 { return FinishedAt(bytes) + 8 }

// FinishedAt returns the offset of the count of finished workgroups.
func FinishedAt(bytes uint32) uint32 { return (bytes + 7) &^ 7 }

// Send is an array of payloads that a workgroup has sent.
type Send struct {
	Output int    // of Node.Outputs
	Index  uint32 // of the node, with the base
	First  uint32 // offset of the first payload in the area
	Count  uint32
}

// Sent calls f for the arrays of payloads that a workgroup has sent, in the order of their allocations for each type.
func (n *Node) Sent(area []byte, f func(Send)) {
	n.eachArray(area, func(s Send, sent bool) {
		if sent {
			f(s)
		}
	})
}

// Allocated returns the number of payloads that a workgroup has allocated.
func (n *Node) Allocated(area []byte) (all uint64) {
	n.eachArray(area, func(s Send, _ bool) { all += uint64(s.Count) })
	return all
}

// eachArray calls f for the arrays of payloads that a workgroup has allocated, and whether it has sent them.
func (n *Node) eachArray(area []byte, f func(s Send, sent bool)) {
	word := func(at uint32) uint32 { return binary.LittleEndian.Uint32(area[at:]) }
	for k := range n.Outputs {
		o := &n.Outputs[k]
		if o.Stride == 0 {
			continue
		}
		count := min(word(o.Count), o.Max)
		for i := uint32(0); i < count; {
			row := o.Rows + NodeRowBytes*i
			length := word(row)
			if length == 0 || length > o.Max-i {
				break
			}
			f(Send{k, word(row + 4), o.Data + i*o.Stride, length}, word(row+8) != 0)
			i += length
		}
	}
}
