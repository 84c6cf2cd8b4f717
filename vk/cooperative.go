package vk

import (
	"cmp"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/stage/transfer"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// The types of the products that Chiaro lists: the engines multiply more, see docs/support.md.
const (
	f16    = spirv.ComponentTypeFloat16NV
	f32    = spirv.ComponentTypeFloat32NV
	f64    = spirv.ComponentTypeFloat64NV
	e4m3   = spirv.ComponentTypeFloatE4M3NV
	e5m2   = spirv.ComponentTypeFloatE5M2NV
	s8     = spirv.ComponentTypeSignedInt8NV
	u8     = spirv.ComponentTypeUnsignedInt8NV
	s16    = spirv.ComponentTypeSignedInt16NV
	u16    = spirv.ComponentTypeUnsignedInt16NV
	s32    = spirv.ComponentTypeSignedInt32NV
	u32    = spirv.ComponentTypeUnsignedInt32NV
	s64    = spirv.ComponentTypeSignedInt64NV
	u64    = spirv.ComponentTypeUnsignedInt64NV
	packed = spirv.ComponentTypeSignedInt8PackedNV

	bf16 spirv.ComponentType = 1000141000 // VK_COMPONENT_TYPE_BFLOAT16_KHR, which SPIR-V has no enumerant for
)

// productTypes are the types of A, B and the accumulator of products of matrices.
var productTypes = [][3]spirv.ComponentType{
	{f16, f16, f16}, {f16, f16, f32}, {f32, f32, f32}, {f64, f64, f64}, {bf16, bf16, bf16}, {bf16, bf16, f32},
	{e4m3, e4m3, f16}, {e4m3, e4m3, f32}, {e5m2, e5m2, f16}, {e5m2, e5m2, f32}, {e4m3, e5m2, f32}, {e5m2, e4m3, f32},
	{s8, s8, s32}, {u8, u8, u32}, {u8, u8, s32}, {s8, u8, s32}, {u8, s8, s32},
	{s16, s16, s32}, {u16, u16, u32}, {s32, s32, s32}, {u32, u32, u32}, {s64, s64, s64}, {u64, u64, u64},
}

// matrixSizes are the sizes of products of a subgroup that the list without granularities has.
var matrixSizes = [...]uint64{8, 16, 32}

// workgroupSizes are the workgroups of products of a workgroup.
var workgroupSizes = [...]uint64{32, 64, 128, 256, 512, 1024}

// MaxMatrixDimension is the largest number of rows or columns of a cooperative matrix
// (cooperativeMatrixFlexibleDimensionsMaxDimension): the engines have at most 65,536 components in a matrix.
const MaxMatrixDimension = 256

// CooperativeMatrixProperties returns the products of cooperative matrices that the device lists
// (vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR, …NV, …FlexibleDimensionsPropertiesNV, …2EXT). M, N and K of
// flexible dimensions, and of MatricesEXT, are granularities. The caller may change the result.
func (p *PhysicalDevice) CooperativeMatrixProperties(list valid.MatrixList) []valid.MatrixShape {
	if p == nil {
		return nil
	}
	if p.Limits != nil {
		return slices.Clone(p.Limits.Matrices[list])
	}
	var out []valid.MatrixShape
	for _, t := range productTypes {
		shape := valid.MatrixShape{A: t[0], B: t[1], C: t[2], Result: t[2], Scope: spirv.ScopeSubgroup}
		switch list {
		case valid.MatricesKHR:
			for _, n := range matrixSizes {
				shape.M, shape.N, shape.K = n, n, n
				out = appendSaturating(out, shape)
			}
		case valid.MatricesNV:
			for _, n := range matrixSizes {
				shape.M, shape.N, shape.K = n, n, n
				out = append(out, shape)
			}
		case valid.MatricesFlexible, valid.MatricesEXT:
			shape.M, shape.N, shape.K = 1, 1, 1
			out = appendSaturating(out, shape)
			shape.Scope = spirv.ScopeWorkgroup
			for _, n := range workgroupSizes {
				shape.Invocations = n
				out = appendSaturating(out, shape)
			}
		}
	}
	return out
}

// appendSaturating appends a product, and for integers its saturating form.
func appendSaturating(list []valid.MatrixShape, s valid.MatrixShape) []valid.MatrixShape {
	list = append(list, s)
	if s.Saturating = true; s.C == s32 || s.C == u32 {
		list = append(list, s)
	}
	return list
}

// vectorTypes are the products of a matrix and a cooperative vector. Each can be transposed.
var vectorTypes = []valid.VectorProduct{
	{Input: f16, InputAs: f16, MatrixAs: f16, BiasAs: f16, Result: f16}, {Input: f16, InputAs: f16, MatrixAs: f16, BiasAs: f32, Result: f32},
	{Input: f16, InputAs: e4m3, MatrixAs: e4m3, BiasAs: f16, Result: f16}, {Input: f16, InputAs: e5m2, MatrixAs: e5m2, BiasAs: f16, Result: f16},
	{Input: f32, InputAs: f32, MatrixAs: f32, BiasAs: f32, Result: f32}, {Input: f32, InputAs: f16, MatrixAs: f16, BiasAs: f32, Result: f32},
	{Input: s8, InputAs: s8, MatrixAs: s8, BiasAs: s32, Result: s32}, {Input: u8, InputAs: u8, MatrixAs: u8, BiasAs: u32, Result: u32},
	{Input: u32, InputAs: packed, MatrixAs: s8, BiasAs: s32, Result: s32}, {Input: f32, InputAs: s8, MatrixAs: s8, BiasAs: s32, Result: s32},
}

// CooperativeVectorProperties returns the products of a matrix and a cooperative vector that the device lists
// (vkGetPhysicalDeviceCooperativeVectorPropertiesNV). The caller may change the result.
func (p *PhysicalDevice) CooperativeVectorProperties() (out []valid.VectorProduct) {
	switch {
	case p == nil:
		return nil
	case p.Limits != nil:
		return slices.Clone(p.Limits.Vectors)
	}
	for _, v := range vectorTypes {
		v.Transpose = true // and the product without
		out = append(out, v)
	}
	return out
}

// CooperativeVectorMatrix describes a conversion of a matrix for cooperative vectors (VkConvertCooperativeVectorMatrixInfoNV). The
// strides are in bytes, of rows or columns; the optimal layouts have none.
type CooperativeVectorMatrix struct {
	Rows, Columns              uint32
	SourceType, TargetType     spirv.ComponentType
	SourceLayout, TargetLayout spirv.CooperativeVectorMatrixLayout
	SourceStride, TargetStride uint64
	Source, Target             uint64 // device addresses, for commands
	SourceLength, TargetLength uint64 // bytes at the addresses
}

func (m *CooperativeVectorMatrix) source() transfer.MatrixForm {
	return transfer.MatrixForm{Type: m.SourceType, Layout: m.SourceLayout, Stride: m.SourceStride}
}

func (m *CooperativeVectorMatrix) target() transfer.MatrixForm {
	return transfer.MatrixForm{Type: m.TargetType, Layout: m.TargetLayout, Stride: m.TargetStride}
}

// sizes checks a conversion and returns the bytes of both matrices.
func (m *CooperativeVectorMatrix) sizes(p *PhysicalDevice) (source, target uint64, err error) {
	for _, side := range []struct {
		form            transfer.MatrixForm
		name            string
		parameter, line string
		types           string
		size            *uint64
	}{
		{m.source(), "source", "VUID-VkConvertCooperativeVectorMatrixInfoNV-srcLayout-parameter", "VUID-VkConvertCooperativeVectorMatrixInfoNV-srcLayout-10077", "VUID-VkConvertCooperativeVectorMatrixInfoNV-srcComponentType-10079", &source},
		{m.target(), "target", "VUID-VkConvertCooperativeVectorMatrixInfoNV-dstLayout-parameter", "VUID-VkConvertCooperativeVectorMatrixInfoNV-dstLayout-10078", "VUID-VkConvertCooperativeVectorMatrixInfoNV-dstComponentType-10080", &target},
	} {
		f, line := side.form, side.form.Line(m.Rows, m.Columns)
		switch bits := transfer.ComponentBits(f.Type); {
		case bits == 0, f.Type != f32 && !slices.ContainsFunc(p.CooperativeVectorProperties(), func(v valid.VectorProduct) bool { return v.MatrixAs == f.Type }):
			return 0, 0, usage(side.types, "the %s has components of %s; must be FLOAT32 or the type of a matrix in the properties of the device", side.name, f.Type)
		case f.Layout > spirv.CooperativeVectorMatrixLayoutTrainingOptimalNV:
			return 0, 0, usage(side.parameter, "the layout of the %s is %d; must be one of Vulkan's", side.name, f.Layout)
		case f.HasStride() && (f.Stride < line || f.Stride%uint64(bits/8) != 0):
			return 0, 0, usage(side.line, "the %s has rows or columns of %d bytes at a stride of %d; must be at least as much, and a multiple of the %d bytes of a component", side.name, line, f.Stride, bits/8)
		}
		n, ok := f.Size(m.Rows, m.Columns)
		if !ok {
			return 0, 0, usage("", "the %s has more than 2⁶³ bytes; must have fewer", side.name)
		}
		*side.size = n
	}
	if !transfer.Convertible(m.TargetType, m.SourceType) {
		return 0, 0, usage("VUID-VkConvertCooperativeVectorMatrixInfoNV-srcComponentType-10081", "components of %s are converted to %s; must be equal, or one FLOAT32 or FLOAT16 and the other a float of fewer bits", m.SourceType, m.TargetType)
	}
	if (m.TargetType == e4m3 || m.TargetType == e5m2) && m.target().HasStride() {
		return 0, 0, usage("VUID-VkConvertCooperativeVectorMatrixInfoNV-dstComponentType-10082", "a target of %s has the layout %s; must have an optimal one", m.TargetType, m.TargetLayout)
	}
	return source, target, nil
}

// ConvertCooperativeVectorMatrix converts a matrix in memory of the host (vkConvertCooperativeVectorMatrixNV) and returns the
// bytes of the target. If target is nil nothing is converted. The bytes of an optimal layout are a multiple of the alignment of device
// addresses, so that a program can place matrices one after the other; those beyond the components need not be there.
func (d *Device) ConvertCooperativeVectorMatrix(m CooperativeVectorMatrix, target, source []byte) (size uint64, err error) {
	if err := d.Err(); err != nil {
		return 0, err
	}
	from, to, err := m.sizes(d.physical)
	switch {
	case err != nil:
		return 0, err
	case target == nil:
		return room(m.target(), to), nil
	case source == nil:
		return 0, usage("VUID-vkConvertCooperativeVectorMatrixNV-pInfo-10073", "the target has memory and the source has none; must have some")
	case uint64(len(source)) < from:
		return 0, usage("VUID-vkConvertCooperativeVectorMatrixNV-pInfo-10074", "the source has %d bytes; must have at least %d", len(source), from)
	case uint64(len(target)) < to:
		return 0, usage("VUID-vkConvertCooperativeVectorMatrixNV-pInfo-10075", "the target has %d bytes; must have at least %d", len(target), to)
	case from > 0 && to > 0 && overlap(uint64(address(source)), from, uint64(address(target)), to):
		return 0, usage("VUID-vkConvertCooperativeVectorMatrixNV-pInfo-10076", "source and target overlap in memory; must not")
	}
	return room(m.target(), to), transfer.Matrix(target, m.target(), source, m.source(), m.Rows, m.Columns)
}

// room returns the bytes that a matrix of n bytes takes.
func room(f transfer.MatrixForm, n uint64) uint64 {
	if f.HasStride() {
		return n
	}
	return (n + matrixAlignment - 1) &^ (matrixAlignment - 1)
}

// overlap reports whether two ranges have a common byte.
func overlap(a, n, b, m uint64) bool { return a < b+m && b < a+n }

// matrixAlignment is the alignment of the device addresses of matrices in bytes.
const matrixAlignment = 64

// ConvertCooperativeVectorMatrices converts matrices at device addresses (vkCmdConvertCooperativeVectorMatrixNV).
func (c *CommandBuffer) ConvertCooperativeVectorMatrices(list []CooperativeVectorMatrix) {
	const command = "vkCmdConvertCooperativeVectorMatrixNV"
	if !c.starts(command) || !c.notSuspended(command) {
		return
	}
	if c.scope.open() {
		c.fail(usage("VUID-"+command+"-renderpass", "matrices are converted in a rendering; must be outside"))
		return
	}
	if len(list) == 0 {
		c.fail(usage("VUID-vkCmdConvertCooperativeVectorMatrixNV-infoCount-arraylength", "no matrix is converted; must be at least 1"))
		return
	}
	w := take[matrixWork](c)
	ranges := w.ranges
	for i := range list {
		m := &list[i]
		from, to, err := m.addressed(c.dev.physical)
		if err != nil {
			c.fail(err)
			return
		}
		ranges = append(ranges, matrixRange{m.Source, m.Source + from, false}, matrixRange{m.Target, m.Target + to, true})
		w.list = append(w.list, sizedMatrix{*m, from, to})
	}
	w.ranges = ranges
	if targetOverlaps(ranges) {
		c.fail(usage("VUID-vkCmdConvertCooperativeVectorMatrixNV-None-10088", "sources and targets of the conversions overlap; must not"))
		return
	}
	c.deferred("convert cooperative vector matrix", w)
}

// addressed checks a conversion at device addresses and returns the bytes of both matrices.
func (m *CooperativeVectorMatrix) addressed(p *PhysicalDevice) (from, to uint64, err error) {
	from, to, err = m.sizes(p)
	switch {
	case err != nil:
	case m.Source == 0 || m.Source > m.Source+from:
		err = usage("VUID-vkCmdConvertCooperativeVectorMatrixNV-pInfo-10083", "the address of the source is %#x; must be valid", m.Source)
	case m.Target == 0 || m.Target > m.Target+to:
		err = usage("VUID-vkCmdConvertCooperativeVectorMatrixNV-pInfo-10895", "the address of the target is %#x; must be valid", m.Target)
	case m.Source%matrixAlignment != 0:
		err = usage("VUID-vkCmdConvertCooperativeVectorMatrixNV-pInfo-10084", "the address of the source is %#x; must be a multiple of %d", m.Source, matrixAlignment)
	case m.Target%matrixAlignment != 0:
		err = usage("VUID-vkCmdConvertCooperativeVectorMatrixNV-pInfo-10085", "the address of the target is %#x; must be a multiple of %d", m.Target, matrixAlignment)
	case m.SourceLength < from:
		err = usage("VUID-vkCmdConvertCooperativeVectorMatrixNV-pInfo-10086", "the source has %d bytes; must have at least %d", m.SourceLength, from)
	case m.TargetLength < to:
		err = usage("VUID-vkCmdConvertCooperativeVectorMatrixNV-pInfo-10087", "the target has %d bytes; must have at least %d", m.TargetLength, to)
	}
	return from, to, err
}

// matrixRange is the range of device addresses of a matrix.
type matrixRange struct {
	begin, end uint64
	target     bool
}

// targetOverlaps reports whether a target has a byte in common with another matrix. Sources may overlap. It sorts list.
func targetOverlaps(list []matrixRange) bool {
	slices.SortFunc(list, func(x, y matrixRange) int { return cmp.Compare(x.begin, y.begin) })
	var ends, targetEnds uint64 // the largest of the ranges before
	for _, r := range list {
		switch {
		case r.begin == r.end: // a matrix without components
			continue
		case r.begin < targetEnds, r.target && r.begin < ends:
			return true
		}
		ends = max(ends, r.end)
		if r.target {
			targetEnds = max(targetEnds, r.end)
		}
	}
	return false
}

// matrixWork is a recorded conversion of matrices.
type matrixWork struct {
	list   []sizedMatrix
	ranges []matrixRange // of the checks
}

// sizedMatrix is a conversion that was checked, with the bytes of the source and of the target.
type sizedMatrix struct {
	CooperativeVectorMatrix
	from, to uint64
}

func (w *matrixWork) forget() { *w = matrixWork{emptied(w.list), w.ranges[:0]} }

// run converts the matrices.
func (w *matrixWork) run(x *executor) error {
	for i := range w.list {
		m := &w.list[i]
		source, release, ok := x.dev.heap.at(m.Source, m.from)
		if !ok {
			return usage("VUID-vkCmdConvertCooperativeVectorMatrixNV-pInfo-10083", "no memory is at the address %#x of the source; must be", m.Source)
		}
		target, releaseTarget, ok := x.dev.heap.at(m.Target, m.to)
		var err error
		if ok {
			err = transfer.Matrix(target, m.target(), source, m.source(), m.Rows, m.Columns)
			releaseTarget()
		} else {
			err = usage("VUID-vkCmdConvertCooperativeVectorMatrixNV-pInfo-10895", "no memory is at the address %#x of the target; must be", m.Target)
		}
		release()
		if err != nil {
			return err
		}
	}
	return nil
}
