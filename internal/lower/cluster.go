package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

var clusterRules = rules{spirv.OpDispatchClusterHUAWEI: dispatchCluster}

// A cluster culling shader is a compute program. Its outputs are private variables, which OpDispatchClusterHUAWEI copies to the area of
// the workgroup (see ir.Cluster).

// ofClusters reports whether the entry point is a cluster culling shader.
func (u *unit) ofClusters() bool { return u.entry.Model == spirv.ExecutionModelClusterCullingHUAWEI }

// clusterOutput allocates an output of a cluster culling shader.
func (u *unit) clusterOutput(p *pointer, v *facts.Variable) {
	p.memory = inSlots
	p.number, p.extent = u.privateVariable(v, -1)
}

// clusterValue returns the value of an output, which is a variable or a member of a block; 0 if the shader does not declare it.
func (f *function) clusterValue(b spirv.BuiltIn) ir.V {
	for _, v := range f.moduleGlobals() {
		if v.Storage != spirv.StorageClassOutput || v.Type == nil {
			continue
		}
		p, slot := f.globals[v.ID], uint64(0)
		if at, ok := f.facts.BuiltIn(v.ID); ok && at == b {
			return f.b.OpAux(ir.PLd, ir.I32, p.number, f.b.I32(0))
		}
		for i := range v.Type.Members {
			if at, ok := f.facts.MemberBuiltIn(v.Type.ID, i); ok && at == b {
				return f.b.OpAux(ir.PLd, ir.I32, p.number, f.b.Const(ir.I32, slot))
			}
			slot += f.memberExtent(v.Type.Members[i].Type).slots
		}
	}
	return 0
}

// dispatchCluster lowers OpDispatchClusterHUAWEI. A shader that declares IndexCountHUAWEI draws indices.
func dispatchCluster(f *function, _ spirv.Inst) {
	if !f.ofClusters() {
		f.malformed("a cluster in a stage other than cluster culling")
	}
	b, h, area := f.b, f.nodeMemory(), f.input32(ir.NodeArea)
	count, first := f.clusterValue(spirv.BuiltInIndexCountHUAWEI), f.clusterValue(spirv.BuiltInFirstIndexHUAWEI)
	indexed := b.I32(1)
	if count == 0 {
		count, first, indexed = f.clusterValue(spirv.BuiltInVertexCountHUAWEI), f.clusterValue(spirv.BuiltInFirstVertexHUAWEI), b.I32(0)
	}
	words := []ir.V{
		f.builtIn(spirv.BuiltInLocalInvocationIndex, 0), indexed, count, f.clusterValue(spirv.BuiltInInstanceCountHUAWEI), first,
		f.clusterValue(spirv.BuiltInVertexOffsetHUAWEI), f.clusterValue(spirv.BuiltInFirstInstanceHUAWEI), f.clusterValue(spirv.BuiltInClusterIDHUAWEI), 0,
	}
	if rate := f.clusterValue(spirv.BuiltInClusterShadingRateHUAWEI); rate != 0 {
		words[len(words)-1] = b.Op(ir.Or, ir.I32, rate, b.I32(ir.ClusterRated))
	}
	n := f.emit(ir.Val{Op: ir.AtomAdd, Type: ir.I32, Flags: ir.Grouped, Args: [4]ir.V{h, area, b.I32(1)}})
	b.If(b.Cmp(ir.ULt, n, b.I32(ir.MaxClusters)))
	at := b.OpAux(ir.At, ir.I32, ir.ClusterBytes, area, n)
	for i, w := range words {
		if w != 0 {
			f.nodeStore(h, at, w, ir.ClusterRecords+4*uint32(i))
		}
	}
	b.End()
}
