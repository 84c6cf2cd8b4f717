package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// meshFamily checks the instructions that emit vertices and primitives: in geometry
// shaders (SPIR-V §3.3.19), and in task and mesh shaders (SPV_EXT_mesh_shader).
var meshFamily = family{
	rules: []Rule{
		{Code: "SPV-Primitive-Model", Section: "SPIR-V 3.3.19", Words: "only geometry shaders emit vertices and primitives"},
		{Code: "SPV-Primitive-Stream", Section: "SPIR-V 3.3.19", Words: "a stream is a constant integer"},
		{Code: "SPV-Mesh-Model", Section: "SPIR-V, SPV_EXT_mesh_shader", Words: "OpSetMeshOutputsEXT is in mesh shaders and OpEmitMeshTasksEXT in task shaders"},
		{Code: "SPV-Mesh-Count", Section: "SPIR-V, SPV_EXT_mesh_shader", Words: "a count of vertices, primitives or workgroups is a 32-bit unsigned integer"},
		{Code: "SPV-Mesh-Indices", Section: "SPIR-V, SPV_NV_mesh_shader", Words: "OpWritePackedPrimitiveIndices4x8NV is in mesh shaders; its offset, a multiple of four, and its indices are 32-bit unsigned integers"},
		{Code: "SPV-Mesh-Payload", Section: "SPIR-V, SPV_EXT_mesh_shader", Words: "the payload of OpEmitMeshTasksEXT is a variable of the storage class TaskPayloadWorkgroupEXT"},
		{Code: "SPV-Mesh-Output", Section: "SPIR-V, SPV_EXT_mesh_shader", Words: "an output of a mesh shader is an array, and no instruction reads it"},
		{Code: "SPV-Mesh-PerPrimitive", Section: "SPIR-V, SPV_EXT_mesh_shader", Words: "PerPrimitiveEXT is on outputs of mesh shaders and inputs of fragment shaders"},
		{Code: "SPV-Mesh-PerView", Section: "SPIR-V, SPV_NV_mesh_shader", Words: "PerViewNV is on outputs of MeshNV entry points"},
		{Code: "SPV-Mesh-PerTask", Section: "SPIR-V, SPV_NV_mesh_shader", Words: "PerTaskNV is on outputs of TaskNV entry points and inputs of MeshNV entry points"},
		{Code: "SPV-Mesh-Outputs", Section: "SPIR-V, SPV_EXT_mesh_shader", Words: "constant counts of OpSetMeshOutputsEXT are at most OutputVertices and OutputPrimitivesEXT"},
		{Code: vuid.RuntimeSpirv_MeshEXT_07332, Section: environment, Words: "the vertex count of OpSetMeshOutputsEXT is at most OutputVertices"},
		{Code: vuid.RuntimeSpirv_MeshEXT_07333, Section: environment, Words: "the primitive count of OpSetMeshOutputsEXT is at most OutputPrimitivesEXT"},
		{Code: vuid.StandaloneSpirv_MeshEXT_07102, Section: environment, Words: "the task and mesh shaders of a module are all of NVIDIA's extension or all of the EXT extension"},
		{Code: vuid.StandaloneSpirv_MeshEXT_07107, Section: environment, Words: "no instruction reads an output of a mesh shader"},
		{Code: vuid.StandaloneSpirv_MeshEXT_07330, Section: environment, Words: "OutputVertices of a mesh shader is at least 1"},
		{Code: vuid.StandaloneSpirv_MeshEXT_07331, Section: environment, Words: "OutputPrimitivesEXT of a mesh shader is at least 1"},
		{Code: vuid.RuntimeSpirv_MeshEXT_07115, Section: environment, Words: "OutputVertices of a mesh shader is at most maxMeshOutputVertices", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_MeshEXT_07116, Section: environment, Words: "OutputPrimitivesEXT of a mesh shader is at most maxMeshOutputPrimitives", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_MeshNV_07113, Section: environment, Words: "OutputVertices of a mesh shader is at most maxMeshOutputVertices", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_MeshNV_07114, Section: environment, Words: "OutputPrimitivesNV of a mesh shader is at most maxMeshOutputPrimitives", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_TaskEXT_07299, Section: environment, Words: "a constant x count of OpEmitMeshTasksEXT is at most maxMeshWorkGroupCount[0]", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_TaskEXT_07300, Section: environment, Words: "a constant y count of OpEmitMeshTasksEXT is at most maxMeshWorkGroupCount[1]", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_TaskEXT_07301, Section: environment, Words: "a constant z count of OpEmitMeshTasksEXT is at most maxMeshWorkGroupCount[2]", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_TaskEXT_07302, Section: environment, Words: "the product of the constant counts of OpEmitMeshTasksEXT is at most maxMeshWorkGroupTotalCount", Need: NeedDevice},
	},
	insts: map[spirv.Op]judge{
		spirv.OpEmitVertex:         (*checker).emit,
		spirv.OpEndPrimitive:       (*checker).emit,
		spirv.OpEmitStreamVertex:   (*checker).emitStream,
		spirv.OpEndStreamPrimitive: (*checker).emitStream,
		spirv.OpSetMeshOutputsEXT:  (*checker).setMeshOutputs,
		spirv.OpEmitMeshTasksEXT:   (*checker).emitMeshTasks,
		spirv.OpLoad:               (*checker).meshRead,

		spirv.OpWritePackedPrimitiveIndices4x8NV: (*checker).packedIndices,
	},
	after: []func(*checker){(*checker).meshEntries},
}

func (c *checker) emit(i int, _ spirv.Inst) { c.onlyIn(i, inGeometry, "SPV-Primitive-Model") }

func (c *checker) emitStream(i int, in spirv.Inst) {
	c.emit(i, in)
	op, id := in.Op(), inst.EmitStreamVertex(in).Stream()
	t, k := c.m.TypeOf(id), c.declaredConstant(id)
	switch {
	case t == nil:
	case !t.IsInt():
		c.fail(i, "SPV-Primitive-Stream", "the stream of %s is %s; must be an integer", op, c.typeName(t))
	case k == nil:
		c.fail(i, "SPV-Primitive-Stream", "the stream of %s is %s; must be a constant", op, c.name(id))
	}
}

// meshCount checks the type of a count and returns its value if it is a constant.
func (c *checker) meshCount(i int, op spirv.Op, what string, id spirv.ID) (uint64, bool) {
	if t := c.m.TypeOf(id); t != nil && (!isWord(t) || t.Signed) {
		c.fail(i, "SPV-Mesh-Count", "the count of %s of %s is %s; must be an unsigned integer of 32 bits", what, op, c.typeName(t))
		return 0, false
	}
	k := c.m.Const(id)
	if k == nil || !k.Known || k.Undef || k.Spec {
		return 0, false
	}
	return k.Bits, true
}

func (c *checker) setMeshOutputs(i int, in spirv.Inst) {
	op, v := in.Op(), inst.SetMeshOutputsEXT(in)
	c.onlyIn(i, inMeshEXT, "SPV-Mesh-Model")
	vertices, okV := c.meshCount(i, op, "vertices", v.VertexCount())
	primitives, okP := c.meshCount(i, op, "primitives", v.PrimitiveCount())
	if c.fn == nil || !okV && !okP {
		return
	}
	codeV, codeP := "SPV-Mesh-Outputs", "SPV-Mesh-Outputs"
	if c.vulkan {
		codeV, codeP = vuid.RuntimeSpirv_MeshEXT_07332, vuid.RuntimeSpirv_MeshEXT_07333
	}
	for _, e := range c.callersOf(c.fn) {
		if m, ok := e.Mode(spirv.ExecutionModeOutputVertices); ok && okV && len(m.Operands) > 0 && vertices > uint64(m.Operands[0]) {
			c.fail(i, codeV, "OpSetMeshOutputsEXT of %d vertices; must be at most %d, the value of OutputVertices of %q", vertices, m.Operands[0], e.Name).also(c, m.Index, "the mode")
		}
		if m, ok := e.Mode(spirv.ExecutionModeOutputPrimitivesEXT); ok && okP && len(m.Operands) > 0 && primitives > uint64(m.Operands[0]) {
			c.fail(i, codeP, "OpSetMeshOutputsEXT of %d primitives; must be at most %d, the value of OutputPrimitivesEXT of %q", primitives, m.Operands[0], e.Name).also(c, m.Index, "the mode")
		}
	}
}

// packedIndices checks OpWritePackedPrimitiveIndices4x8NV.
func (c *checker) packedIndices(i int, in spirv.Inst) {
	const code = "SPV-Mesh-Indices"
	v := inst.WritePackedPrimitiveIndices4x8NV(in)
	c.onlyIn(i, inMeshNV, code)
	for n, id := range [...]spirv.ID{v.IndexOffset(), v.PackedIndices()} {
		if t := c.m.TypeOf(id); t != nil && (!isWord(t) || t.Signed) {
			c.fail(i, code, "operand %d of %s is %s; must be an unsigned integer of 32 bits", n, in.Op(), c.typeName(t))
		}
	}
	if n, ok := c.settled(v.IndexOffset()); ok && n%4 != 0 {
		c.fail(i, code, "the offset of the indices is %d; must be a multiple of 4", n)
	}
}

func (c *checker) emitMeshTasks(i int, in spirv.Inst) {
	op, v := in.Op(), inst.EmitMeshTasksEXT(in)
	c.onlyIn(i, inTaskEXT, "SPV-Mesh-Model")
	if id, ok := v.Payload(); ok {
		switch p := c.m.Variable(id); {
		case p == nil && c.code.DefInst(id) != nil:
			c.fail(i, "SPV-Mesh-Payload", "the payload is the result of %s; must be a variable", c.code.DefInst(id).Op())
		case p != nil && p.Storage != spirv.StorageClassTaskPayloadWorkgroupEXT:
			c.fail(i, "SPV-Mesh-Payload", "the payload is a variable of the storage class %s; must be TaskPayloadWorkgroupEXT", p.Storage).also(c, p.Index, "the variable")
		}
	}
	total, known := uint64(1), true
	for _, g := range [...]struct {
		what, code, limit string
		id                spirv.ID
	}{
		{"workgroups along x", vuid.RuntimeSpirv_TaskEXT_07299, meshProperty + "maxMeshWorkGroupCount[0]", v.GroupCountX()},
		{"workgroups along y", vuid.RuntimeSpirv_TaskEXT_07300, meshProperty + "maxMeshWorkGroupCount[1]", v.GroupCountY()},
		{"workgroups along z", vuid.RuntimeSpirv_TaskEXT_07301, meshProperty + "maxMeshWorkGroupCount[2]", v.GroupCountZ()},
	} {
		n, ok := c.meshCount(i, op, g.what, g.id)
		known = known && ok
		if total *= max(n, 1); total > 1<<32 {
			total = 1 << 32 // beyond any limit
		}
		if !c.vulkan || !ok {
			continue
		}
		if l, ok := c.limit(g.code, g.limit); ok && n > l {
			c.fail(i, g.code, "the count of %s is %d; must be at most %s, %d", g.what, n, g.limit, l)
		}
	}
	if c.vulkan && known {
		if l, ok := c.limit(vuid.RuntimeSpirv_TaskEXT_07302, meshProperty+"maxMeshWorkGroupTotalCount"); ok && total > l {
			c.fail(i, vuid.RuntimeSpirv_TaskEXT_07302, "%d workgroups; must be at most maxMeshWorkGroupTotalCount, %d", total, l)
		}
	}
}

// meshRead checks that no output of a mesh shader is read.
func (c *checker) meshRead(i int, in spirv.Inst) {
	if c.callerModels()&inMeshEXT == 0 {
		return
	}
	code := "SPV-Mesh-Output"
	if c.vulkan {
		code = vuid.StandaloneSpirv_MeshEXT_07107
	}
	id := inst.Load(in).Pointer()
	if p := c.m.TypeOf(id); p.IsPointer() && p.Storage == spirv.StorageClassOutput {
		c.fail(i, code, "OpLoad through %s of the storage class Output in a mesh shader; must not read it", c.name(id))
	}
}

// meshEntries checks the modes and the interfaces of entry points.
func (c *checker) meshEntries() {
	var nv, ext *facts.EntryPoint
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		switch e.Model {
		case spirv.ExecutionModelTaskNV, spirv.ExecutionModelMeshNV:
			nv = e
		case spirv.ExecutionModelTaskEXT, spirv.ExecutionModelMeshEXT:
			ext = e
		}
		if c.vulkan {
			c.meshModes(e)
		}
		if c.anyCapable(spirv.CapabilityMeshShadingEXT, spirv.CapabilityMeshShadingNV) {
			c.meshVariables(e)
		}
	}
	if c.vulkan && nv != nil && ext != nil {
		c.fail(ext.Index, vuid.StandaloneSpirv_MeshEXT_07102, "a %s entry point and a %s entry point; must be of one extension", ext.Model, nv.Model).also(c, nv.Index, "the other")
	}
}

// meshModes checks how much a mesh shader puts out at most.
func (c *checker) meshModes(e *facts.EntryPoint) {
	type rule struct {
		mode          spirv.ExecutionMode
		least         string
		greatest, max string
	}
	var rules [2]rule
	switch e.Model {
	case spirv.ExecutionModelMeshEXT:
		rules = [2]rule{
			{spirv.ExecutionModeOutputVertices, vuid.StandaloneSpirv_MeshEXT_07330, vuid.RuntimeSpirv_MeshEXT_07115, meshProperty + "maxMeshOutputVertices"},
			{spirv.ExecutionModeOutputPrimitivesEXT, vuid.StandaloneSpirv_MeshEXT_07331, vuid.RuntimeSpirv_MeshEXT_07116, meshProperty + "maxMeshOutputPrimitives"},
		}
	case spirv.ExecutionModelMeshNV:
		rules = [2]rule{
			{spirv.ExecutionModeOutputVertices, "", vuid.RuntimeSpirv_MeshNV_07113, meshPropertyNV + "maxMeshOutputVertices"},
			{spirv.ExecutionModeOutputPrimitivesNV, "", vuid.RuntimeSpirv_MeshNV_07114, meshPropertyNV + "maxMeshOutputPrimitives"},
		}
	default:
		return
	}
	for _, r := range rules {
		m, ok := e.Mode(r.mode)
		if !ok || len(m.Operands) == 0 {
			continue
		}
		if m.Operands[0] == 0 && r.least != "" {
			c.fail(m.Index, r.least, "%s is 0; must be at least 1", r.mode)
		}
		if l, ok := c.limit(r.greatest, r.max); ok && uint64(m.Operands[0]) > l {
			c.fail(m.Index, r.greatest, "%s is %d; must be at most %s, %d", r.mode, m.Operands[0], r.max, l)
		}
	}
}

// meshDecorations are the decorations of the interfaces of mesh and task shaders.
var meshDecorations = [...]struct {
	decoration      spirv.Decoration
	code            string
	outputs, inputs modelSet // whose variables may have it
	places          string
}{
	{spirv.DecorationPerPrimitiveEXT, "SPV-Mesh-PerPrimitive", inMesh, inFragment, "an output of a mesh shader or an input of a fragment shader"},
	{spirv.DecorationPerViewNV, "SPV-Mesh-PerView", inMeshNV, 0, "an output of a MeshNV entry point"},
	{spirv.DecorationPerTaskNV, "SPV-Mesh-PerTask", inTaskNV, inMeshNV, "an output of a TaskNV or an input of a MeshNV entry point"},
}

// meshVariables checks an interface.
func (c *checker) meshVariables(e *facts.EntryPoint) {
	for _, id := range e.Interface {
		v := c.m.Variable(id)
		if v == nil || v.Type == nil {
			continue
		}
		if e.Model == spirv.ExecutionModelMeshEXT && v.Storage == spirv.StorageClassOutput && !v.Type.IsArray() {
			c.fail(v.Index, "SPV-Mesh-Output", "%s is %s; must be an array, as an output of a mesh shader", c.name(id), c.typeName(v.Type)).also(c, e.Index, "the entry point")
		}
		for _, d := range &meshDecorations {
			var in modelSet
			switch v.Storage {
			case spirv.StorageClassOutput:
				in = d.outputs
			case spirv.StorageClassInput:
				in = d.inputs
			}
			if modelOf(e.Model)&in == 0 && c.decorated(v, d.decoration) {
				c.fail(v.Index, d.code, "%s of the storage class %s in a %s entry point has %s; must be %s", c.name(id), v.Storage, e.Model, d.decoration, d.places).also(c, e.Index, "the entry point")
			}
		}
	}
}
