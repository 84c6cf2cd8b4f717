// Package graph runs execution graphs (VK_AMDX_shader_enqueue). A node is a compute program that receives payloads and sends
// payloads to other nodes. [Compose] makes a program that runs many payloads in one dispatch; [Graph.Run] runs the nodes until no
// payload is left.
//
// A dispatch has all of its memory in one buffer, the parameters of the program:
//
//	parameters   words, see the constants
//	targets      for each type of payloads that the node sends: the number of nodes with its name and the place of their indices
//	payloads     of the dispatch, ir.PayloadStride apart
//	areas        of the payloads that the workgroups send, ir.Node.AreaBytes apart
//
// The order is defined, so that results do not depend on the number of workers. A chunk of workgroups runs; then the payloads that they
// have sent are delivered, by node and then in the order of workgroups, and those nodes run before the next chunk. So the memory is
// bounded by the size of a chunk and the depth of the graph, and not by the number of payloads.
//
// The package does not know Vulkan's objects: the caller runs the dispatches.
//
// # Files
//
//	program.go   the program of a node
//	link.go      nodes by name; rules on nodes that go together
//	run.go       the order of dispatches
//	areas.go     workgroups without payloads: cluster culling
package graph

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// Words of the parameters.
const (
	paramGroups    = iota     // x, y, z: the workgroups of a payload
	paramFirst     = iota + 2 // the number of the first workgroup of the dispatch
	paramEach                 // the workgroups of a payload, all together; 1 with coalescing
	paramPayloads             // the offset of the payloads
	paramStride               // bytes from payload to payload
	paramTotal                // payloads
	paramMost                 // payloads of a workgroup: 1 without coalescing
	paramAreas                // the offset of the areas
	paramAreaBytes            // the size of an area
	paramShare                // the workgroups that have a payload, of all nodes that share it
	paramIndex
	paramRecursion
	paramTargets // the offset of the targets
	paramWords
)

// payloadBinding is the own binding of the memory as a storage buffer.
const payloadBinding = compose.ParamsBinding + 1

// shader builds the program of a node.
type shader struct{ *compose.Builder }

// Compose makes the program of a node.
func Compose(from *ir.Program) (*ir.Program, error) {
	s := &shader{compose.New("execution graph", from)}
	for i := range s.Program.Res {
		if r := &s.Program.Res[i]; r.Set == ir.PayloadSet {
			r.Set, r.Binding = compute.OwnSet, payloadBinding
		}
	}
	s.Input = s.read
	return s.Build(func(body func()) { body() })
}

// param reads a parameter.
func (s *shader) param(n uint32) ir.V { return s.Param(ir.I32, n) }

// linear returns the number of the workgroup among those of all payloads.
func (s *shader) linear() ir.V { return s.Add(s.param(paramFirst), s.BuiltIn(ir.WorkgroupIdX)) }

// payload returns the number of the first payload of the workgroup.
func (s *shader) payload() ir.V {
	return s.Mul(s.B.Op(ir.UDiv, ir.I32, s.linear(), s.param(paramEach)), s.param(paramMost))
}

// read returns an input.
func (s *shader) read(in ir.Input) ir.V {
	b := s.B
	switch x := in.Semantic; {
	case x >= ir.GlobalInvocationIdX && x <= ir.GlobalInvocationIdZ:
		i := x - ir.GlobalInvocationIdX
		first := s.Mul(s.workgroupID(uint32(i)), b.I32(s.Program.LocalSize[i]))
		return s.narrowed(in, s.Add(first, s.BuiltIn(ir.LocalInvocationIdX+i)))
	case x >= ir.WorkgroupIdX && x <= ir.WorkgroupIdZ:
		return s.narrowed(in, s.workgroupID(uint32(x-ir.WorkgroupIdX)))
	case x >= ir.NumWorkgroupsX && x <= ir.NumWorkgroupsZ:
		return s.narrowed(in, s.param(paramGroups+uint32(x-ir.NumWorkgroupsX)))
	case x == ir.NodeInput:
		return s.Add(s.param(paramPayloads), s.Mul(s.payload(), s.param(paramStride)))
	case x == ir.NodeCount:
		left := b.Op(ir.Sub, ir.I32, s.param(paramTotal), s.payload())
		return b.Op(ir.UMin, ir.I32, left, s.param(paramMost))
	case x == ir.NodeArea:
		return s.Add(s.param(paramAreas), s.Mul(s.BuiltIn(ir.WorkgroupIdX), s.param(paramAreaBytes)))
	case x == ir.NodeShare:
		return s.param(paramShare)
	case x == ir.NodeIndex:
		return s.param(paramIndex)
	case x == ir.NodeRecursion:
		return s.param(paramRecursion)
	case x == ir.NodeTargets:
		return s.param(paramTargets)
	}
	return 0
}

// narrowed returns a value in the type of the input.
func (s *shader) narrowed(in ir.Input, v ir.V) ir.V {
	if in.Type.Bits() < 32 {
		return s.B.Op(ir.Trunc, in.Type, v)
	}
	return v
}

// workgroupID returns a dimension of WorkgroupId. Workgroups are numbered with x fastest.
func (s *shader) workgroupID(dimension uint32) ir.V {
	n := s.B.Op(ir.UMod, ir.I32, s.linear(), s.param(paramEach))
	for i := range dimension {
		n = s.B.Op(ir.UDiv, ir.I32, n, s.param(paramGroups+i))
	}
	if dimension == 2 {
		return n
	}
	return s.B.Op(ir.UMod, ir.I32, n, s.param(paramGroups+dimension))
}
