package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Status is the support status of an element of a shader.
type Status string

// The statuses.
const (
	Works   Status = "works"
	Refused Status = "refused" // with an error that names it
	Foreign Status = "not in Vulkan"
	Other   Status = "not in shaders" // only in data graphs
)

// StatusOf returns the status of an instruction. An instruction outside of functions works
// if package facts, or package lower by way of it, interprets it.
func StatusOf(op spirv.Op) Status {
	switch {
	case !allowed(op), op == spirv.OpUntypedGroupAsyncCopyKHR: // its result is an event, which needs the capability Kernel
		return Foreign
	case op >= spirv.OpImageSparseSampleProjImplicitLod && op <= spirv.OpImageSparseSampleProjDrefExplicitLod: // SPIR-V reserves them: "use of this instruction is invalid"
		return Foreign
	case otherStages[op]:
		return Other
	case Of(op).Lowered != "" || declares(op):
		return Works
	}
	return Refused
}

// allowed reports whether Vulkan allows an instruction: one of its capabilities, or, if it
// needs none, one of its extensions, if it needs one.
func allowed(op spirv.Op) bool {
	r := op.Row()
	if op.Class() == spirv.ClassExclude {
		return false
	}
	in := func(c spirv.Capability) bool { _, ok := capabilities[c]; return ok }
	if caps := r.Capabilities(); len(caps) > 0 {
		return slices.ContainsFunc(caps, in)
	}
	list := r.Extensions()
	return len(list) == 0 || r.Version() != 0 || slices.ContainsFunc(list, func(e string) bool { _, ok := extensions[e]; return ok })
}

// declares reports whether an instruction is outside of functions and is known.
func declares(op spirv.Op) bool {
	switch op.Class() {
	case spirv.ClassDebug, spirv.ClassAnnotation, spirv.ClassExtension, spirv.ClassModeSetting, spirv.ClassConstantCreation:
		switch op {
		case spirv.OpConstantSampler, spirv.OpConstantPipeStorage:
			return false
		}
		return true
	}
	switch op {
	case spirv.OpTypeVoid, spirv.OpTypeBool, spirv.OpTypeInt, spirv.OpTypeFloat, spirv.OpTypeVector, spirv.OpTypeVectorIdEXT,
		spirv.OpTypeMatrix, spirv.OpTypeArray, spirv.OpTypeRuntimeArray, spirv.OpTypeStruct, spirv.OpTypePointer,
		spirv.OpTypeUntypedPointerKHR, spirv.OpTypeCooperativeMatrixKHR, spirv.OpTypeCooperativeMatrixNV, spirv.OpTypeTensorLayoutNV, spirv.OpTypeTensorViewNV, spirv.OpTypeTensorARM, spirv.OpTypeBufferEXT,
		spirv.OpTypeAccelerationStructureKHR, spirv.OpTypeRayQueryKHR, spirv.OpTypeHitObjectNV, spirv.OpTypeHitObjectEXT,
		spirv.OpTypeNodePayloadArrayAMDX, spirv.OpConstantStringAMDX, spirv.OpSpecConstantStringAMDX,
		spirv.OpTypeImage, spirv.OpTypeSampler, spirv.OpTypeSampledImage, spirv.OpTypeForwardPointer, spirv.OpTypeFunction:
		return true
	}
	return false
}

// Support returns docs/support.md. tested returns the test of the element with a name, or
// "" if there is none.
func Support(tested func(name string) string) string {
	var w strings.Builder
	w.WriteString(supportHead)
	section := func(title string, rows []supportRow) {
		counts := map[Status]int{}
		for _, r := range rows {
			counts[r.status]++
		}
		fmt.Fprintf(&w, "\n## %s\n\n%d work, %d are refused, %d are not in shaders, %d are not in Vulkan.\n\n| name | status | tested by |\n|---|---|---|\n",
			title, counts[Works], counts[Refused], counts[Other], counts[Foreign])
		for _, r := range rows {
			by := "–"
			if r.status == Works {
				if t := testOf(r.name, tested); t != "" {
					by = "`" + t + "`"
				}
			}
			fmt.Fprintf(&w, "| %s | %s | %s |\n", r.name, r.status, by)
		}
	}
	section("Instructions", instructionRows())
	for _, s := range []spirv.ExtSet{spirv.ExtSetGLSL, spirv.ExtSetAMDShaderBallot, spirv.ExtSetAMDShaderTrinaryMinmax, spirv.ExtSetAMDGcnShader,
		spirv.ExtSetAMDShaderExplicitVertexParameter,
		spirv.ExtSetNonSemanticDebugPrintf, spirv.ExtSetNonSemanticDebugBreak} {
		section("Instructions of "+s.String(), extendedRows(s))
	}
	section("Capabilities", capabilityRows())
	section("Extensions", extensionRows())
	return w.String()
}

// testOf returns the test of an element: the test with its name, or the test of an
// instruction that needs the capability or the extension with that name.
func testOf(name string, tested func(string) string) string {
	if t := tested(name); t != "" {
		return t
	}
	for _, r := range spirv.Ops() {
		op := spirv.Op(r.Value())
		needs := slices.Contains(r.Extensions(), name) ||
			slices.ContainsFunc(r.Capabilities(), func(c spirv.Capability) bool { return c.String() == name })
		if needs && StatusOf(op) == Works && Of(op).Lowered != "" {
			return tested(op.String())
		}
	}
	return ""
}

// supportRow is a line of a table.
type supportRow struct {
	name   string
	status Status
}

const supportHead = `# Support for shaders

Written by go test ./internal/ledger -update from the tables in use; a test compares the two. The page covers the shaders of
the stages that run: compute, vertex, tessellation control and evaluation, geometry, task, mesh, cluster culling, fragment, those of ray
tracing, and subpass shading. The status is one of:

- *works*: both engines run it, with the same bytes.
- *refused*: an error names it.
- *not in shaders*: SPIR-V and Vulkan have it only in data graphs (VK_ARM_data_graph), which no shader stage runs. An error names it.
- *not in Vulkan*: a module for Vulkan must not contain it. An error names it.

*Tested by* is a truth table or a case of internal/lower/testdata with results from the specification; each instruction that
works in a function has one. The tests of the fixed functions around a stage (primitives, rasterization, tests and blending,
transform feedback) are in internal/stage/draw. Types, constants, decorations and names have no tests of their own, because
every case uses them. Instructions of other debug sets (NonSemantic.*) are ignored. [undefined.md](undefined.md) lists the
results that the specification leaves undefined, and Chiaro's.

Robustness (robustBufferAccess, robustBufferAccess2, none) is selected for a pipeline, by kind of resource and by binding; the
default is stricter than all of them: a component outside of a descriptor's range reads 0 and is not written. Null descriptors
have length 0 at every level. Subgroups have a required size, a varying size, or are full, as the pipeline requires. Inline
uniform blocks are bindings of bytes; dynamic offsets belong to the binding of a buffer. Cooperative matrices have the scope
Subgroup or Workgroup; matrices of a workgroup use at most 16 KiB of its memory after the variables
(cooperativeMatrixWorkgroupScopeReservedSharedMemory), or one row or column if that is larger.

With tile shading (SPV_QCOM_tile_shading) compute and fragment shaders run for the tiles of a rendering, and access its attachments.
`

func instructionRows() (rows []supportRow) {
	for _, r := range spirv.Ops() {
		op := spirv.Op(r.Value())
		rows = append(rows, supportRow{op.String(), StatusOf(op)})
	}
	return rows
}

func extendedRows(s spirv.ExtSet) (rows []supportRow) {
	list := s.Insts()
	for i := range list {
		rows = append(rows, supportRow{list[i].Name(), extendedStatus(s, list[i].Value())})
	}
	return rows
}

// extendedStatus returns the status of an extended instruction. IMix has a number
// and no meaning.
func extendedStatus(s spirv.ExtSet, n uint32) Status {
	switch {
	case lower.HasInstruction(s, n):
		return Works
	case s != spirv.ExtSetGLSL:
		return Refused
	}
	if spirv.GLSLOp(n) == spirv.GLSLIMix {
		return Foreign
	}
	return Refused
}

// Capabilities returns the capabilities that Vulkan allows; true are those that
// shaders have here.
func Capabilities() map[spirv.Capability]bool { return maps.Clone(capabilities) }

// Extensions is Capabilities for the extensions of SPIR-V.
func Extensions() map[string]bool { return maps.Clone(extensions) }

func capabilityRows() (rows []supportRow) {
	for c, works := range capabilities {
		rows = append(rows, supportRow{c.String(), status(works, otherCapabilities[c])})
	}
	return sorted(rows)
}

func extensionRows() (rows []supportRow) {
	for e, works := range extensions {
		rows = append(rows, supportRow{e, status(works, otherExtensions[e])})
	}
	return sorted(rows)
}

func status(works, other bool) Status {
	switch {
	case works:
		return Works
	case other:
		return Other
	}
	return Refused
}

func sorted(rows []supportRow) []supportRow {
	slices.SortFunc(rows, func(a, b supportRow) int { return strings.Compare(a.name, b.name) })
	return rows
}
