package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vk"
)

// products returns a list of products of cooperative matrices.
func (p *physicalDevice) products(l valid.MatrixList) []valid.MatrixShape {
	if p == nil {
		return nil
	}
	return p.vk.CooperativeMatrixProperties(l)
}

var cooperativeCalls = map[int]call{
	abi.CmdGetPhysicalDeviceCooperativeMatrixPropertiesKHR: on(func(a *abi.GetPhysicalDeviceCooperativeMatrixPropertiesKHRArgs) abi.Result {
		return list(a.PPropertyCount, a.PProperties, physicalOf(a.PhysicalDevice).products(valid.MatricesKHR), func(to *abi.CooperativeMatrixPropertiesKHR, s valid.MatrixShape) {
			to.MSize, to.NSize, to.KSize = uint32(s.M), uint32(s.N), uint32(s.K)
			to.AType, to.BType, to.CType, to.ResultType = uint32(s.A), uint32(s.B), uint32(s.C), uint32(s.Result)
			to.SaturatingAccumulation, to.Scope = flag(s.Saturating), uint32(s.Scope)
		})
	}),
	abi.CmdGetPhysicalDeviceCooperativeMatrixPropertiesNV: on(func(a *abi.GetPhysicalDeviceCooperativeMatrixPropertiesNVArgs) abi.Result {
		return list(a.PPropertyCount, a.PProperties, physicalOf(a.PhysicalDevice).products(valid.MatricesNV), func(to *abi.CooperativeMatrixPropertiesNV, s valid.MatrixShape) {
			to.MSize, to.NSize, to.KSize = uint32(s.M), uint32(s.N), uint32(s.K)
			to.AType, to.BType, to.CType, to.DType, to.Scope = uint32(s.A), uint32(s.B), uint32(s.C), uint32(s.Result), uint32(s.Scope)
		})
	}),
	abi.CmdGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV: on(func(a *abi.GetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNVArgs) abi.Result {
		return list(a.PPropertyCount, a.PProperties, physicalOf(a.PhysicalDevice).products(valid.MatricesFlexible), func(to *abi.CooperativeMatrixFlexibleDimensionsPropertiesNV, s valid.MatrixShape) {
			to.MGranularity, to.NGranularity, to.KGranularity = uint32(s.M), uint32(s.N), uint32(s.K)
			to.AType, to.BType, to.CType, to.ResultType = uint32(s.A), uint32(s.B), uint32(s.C), uint32(s.Result)
			to.SaturatingAccumulation, to.Scope, to.WorkgroupInvocations = flag(s.Saturating), uint32(s.Scope), uint32(s.Invocations)
		})
	}),
	abi.CmdGetPhysicalDeviceCooperativeMatrixProperties2EXT: on(getMatrixProperties2),
	abi.CmdGetPhysicalDeviceCooperativeVectorPropertiesNV: on(func(a *abi.GetPhysicalDeviceCooperativeVectorPropertiesNVArgs) abi.Result {
		var products []valid.VectorProduct
		if p := physicalOf(a.PhysicalDevice); p != nil {
			products = p.vk.CooperativeVectorProperties()
		}
		return list(a.PPropertyCount, a.PProperties, products, func(to *abi.CooperativeVectorPropertiesNV, v valid.VectorProduct) {
			to.InputType, to.InputInterpretation, to.MatrixInterpretation = uint32(v.Input), uint32(v.InputAs), uint32(v.MatrixAs)
			to.BiasInterpretation, to.ResultType, to.Transpose = uint32(v.BiasAs), uint32(v.Result), flag(v.Transpose)
		})
	}),
	abi.CmdConvertCooperativeVectorMatrixNV: on(convertMatrix),
}

var cooperativeCommands = map[int]recorder{
	abi.CmdCmdConvertCooperativeVectorMatrixNV: rec(func(c *commandBuffer, a *abi.CmdConvertCooperativeVectorMatrixNVArgs) {
		c.vk.ConvertCooperativeVectorMatrices(each(array(a.PInfos, a.InfoCount), vectorMatrix))
	}),
}

// getMatrixProperties2 lists the products of a scope and, of a workgroup, of a number of invocations.
func getMatrixProperties2(a *abi.GetPhysicalDeviceCooperativeMatrixProperties2EXTArgs) abi.Result {
	var out []valid.MatrixShape
	if p, i := physicalOf(a.PhysicalDevice), a.PCooperativeMatrixInfo; p != nil {
		var err error
		out, err = p.vk.CooperativeMatrixProperties2(vk.MatrixQuery{
			Scope: spirv.Scope(i.Scope), SubgroupSize: i.SubgroupSize, Invocations: i.Invocations,
			Saturating: i.Flags&abi.CooperativeMatrixSaturatingAccumulationBitEXT != 0,
		})
		p.instance.tell(err)
	}
	return list(a.PPropertyCount, a.PProperties, out, func(to *abi.CooperativeMatrixProperties2EXT, s valid.MatrixShape) {
		to.MGranularity, to.NGranularity, to.KGranularity = uint32(s.M), uint32(s.N), uint32(s.K)
		to.AType, to.BType, to.CType, to.ResultType = uint32(s.A), uint32(s.B), uint32(s.C), uint32(s.Result)
	})
}

// vectorMatrix reads a conversion of a matrix: its addresses are of a device, or of the host.
func vectorMatrix(i *abi.ConvertCooperativeVectorMatrixInfoNV) vk.CooperativeVectorMatrix {
	m := vk.CooperativeVectorMatrix{
		Rows: i.NumRows, Columns: i.NumColumns, SourceType: spirv.ComponentType(i.SrcComponentType), TargetType: spirv.ComponentType(i.DstComponentType),
		SourceLayout: spirv.CooperativeVectorMatrixLayout(i.SrcLayout), TargetLayout: spirv.CooperativeVectorMatrixLayout(i.DstLayout),
		SourceStride: uint64(i.SrcStride), TargetStride: uint64(i.DstStride), Source: i.SrcData[0], Target: i.DstData[0], SourceLength: uint64(i.SrcSize),
	}
	if i.PDstSize != nil {
		m.TargetLength = uint64(*i.PDstSize)
	}
	return m
}

// convertMatrix converts a matrix in memory of the host, or returns the size of the result. A target that is too small breaks a rule, and
// has a result of its own: nothing is written.
func convertMatrix(a *abi.ConvertCooperativeVectorMatrixNVArgs) abi.Result {
	d, i := deviceOf(a.Device), a.PInfo
	if d == nil {
		return abi.ErrorDeviceLost
	}
	to, room := *(*unsafe.Pointer)(unsafe.Pointer(&i.DstData)), uint64(*i.PDstSize)
	m := vectorMatrix(i)
	size, err := d.vk.ConvertCooperativeVectorMatrix(m, nil, nil)
	if err == nil && to != nil {
		if size > room {
			return abi.Incomplete
		}
		size, err = d.vk.ConvertCooperativeVectorMatrix(m, abi.Bytes(to, room), abi.Bytes(*(*unsafe.Pointer)(unsafe.Pointer(&i.SrcData)), uint64(i.SrcSize)))
	}
	if err == nil {
		*i.PDstSize = uint(size)
	}
	return d.result(err)
}
