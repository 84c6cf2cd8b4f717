package link

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// subgroupSize returns the size of the subgroups of a stage, and whether it is
// known.
func (l *linker) subgroupSize(s *Shader) (uint64, bool) {
	if s.SubgroupSize > 0 {
		return uint64(s.SubgroupSize), true
	}
	if s.Flags&enum.StageFlagsAllowVaryingSubgroupSize != 0 || s.Object&enum.ObjectFlagsAllowVaryingSubgroupSize != 0 {
		return 0, false
	}
	n, known := l.d.limit("subgroupSize")
	return n, known && n > 0
}

// cooperative checks the workgroups of stages with cooperative matrices of a
// subgroup or of a workgroup.
func (l *linker) cooperative(s *Shader) {
	if s.Entry.Workgroup == nil || !slices.Contains(s.Entry.Capabilities, spirv.CapabilityCooperativeMatrixKHR) {
		return
	}
	size, known := l.subgroupSize(s)
	if _, limited := l.d.limit(workgroupLimit); !known && !limited {
		return
	}
	m := s.facts()
	if m == nil {
		return
	}
	seen := map[spirv.Scope]bool{}
	for i, in := range m.Code.All() {
		switch in.Op() {
		case spirv.OpTypeCooperativeMatrixKHR:
			c := m.Const(inst.TypeCooperativeMatrixKHR(in).Scope())
			if c == nil || !c.Known || seen[spirv.Scope(c.Bits)] {
				continue
			}
			scope := spirv.Scope(c.Bits)
			seen[scope] = true
			width := uint64(s.Entry.Workgroup.Size[0])
			switch {
			case scope == spirv.ScopeSubgroup && known && width%size != 0:
				l.fail(vuid.VkPipelineShaderStageCreateInfo_module_08987, []Side{s.at(i)}, "the width of the workgroup is %d, with cooperative matrices of a subgroup; must be a multiple of the subgroup size, %d", width, size)
			case scope == spirv.ScopeWorkgroup:
				l.workgroupMatrix(s, []Side{s.at(i)}, size, known)
			}
		case spirv.OpFunction:
			return
		}
	}
}

const workgroupLimit = "cooperativeMatrixWorkgroupScopeMaxWorkgroupSize"

// workgroupMatrix checks a workgroup that has cooperative matrices of workgroup scope; size
// is the subgroup size, if known.
func (l *linker) workgroupMatrix(s *Shader, side []Side, size uint64, known bool) {
	const code = vuid.VkPipelineShaderStageCreateInfo_module_10169
	n, width := invocations(s.Entry.Workgroup), uint64(s.Entry.Workgroup.Size[0])
	l.over(code, workgroupLimit, n, side, "with cooperative matrices of a workgroup its number of invocations")
	if !known {
		return
	}
	if width%size != 0 {
		l.fail(code, side, "the width of the workgroup is %d, with cooperative matrices of a workgroup; must be a multiple of the subgroup size, %d", width, size)
	} else if k := n / size; k*size != n || k&(k-1) != 0 {
		l.fail(code, side, "a workgroup has %d invocations, with cooperative matrices of a workgroup; must be a power of two times the subgroup size, %d", n, size)
	}
}
