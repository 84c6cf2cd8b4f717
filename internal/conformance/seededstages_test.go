package conformance

import (
	"math/rand"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// stageKinds are kinds of faults that few stages can have: the scripts have fewer than 40 places for them.
var stageKinds = []seededKind{
	{name: "distances of a ray", of: ir.SanitizeUndefined, mutate: seedRay("1000", "-1"), few: true},
	{name: "flags of a ray", of: ir.SanitizeUndefined, mutate: seedRayFlags, few: true},
	{name: "kind of a hit", of: ir.SanitizeUndefined, mutate: seedHitKind, few: true},
	{name: "vertex of a primitive", of: ir.SanitizeBounds, mutate: seedPrimitiveVertex, few: true},
	{name: "level without a store", of: ir.SanitizeInterface, mutate: seedLevels, named: namesLevels, few: true},
	{name: "payload without a store", of: ir.SanitizeUninit, mutate: seedPayload, named: anyMessage, few: true},
}

func init() { seededKinds = append(seededKinds, stageKinds...) }

// anyMessage is for reports in another shader, at the use of the value.
func anyMessage(*seededShader, int, string) bool { return true }

// hiddenConstant returns lines that make %seededx of a constant, which the rules of modules do not see.
func hiddenConstant(t, value string) (lines, globals []string) {
	return []string{"%seededx = OpCopyObject " + t + " %seeded"}, []string{"%seeded = OpConstant " + t + " " + value}
}

// rayOperands are the numbers of the words of instructions that begin a ray: of the flags and the distances.
var rayOperands = map[spirv.Op][3]int{
	spirv.OpTraceRayKHR: {2, 8, 10}, spirv.OpTraceRayMotionNV: {2, 8, 10}, spirv.OpRayQueryInitializeKHR: {3, 6, 8}, spirv.OpHitObjectTraceRayEXT: {3, 9, 11}, spirv.OpHitObjectTraceRayNV: {3, 9, 11},
}

// seedRay makes the least distance of a ray one of two values.
func seedRay(values ...string) func(s *seededShader, i int, r *rand.Rand) *seededEdit {
	return func(s *seededShader, i int, r *rand.Rand) *seededEdit {
		at, ok := rayOperands[s.facts.Code.Inst(i).Op()]
		if !ok {
			return nil
		}
		return s.operand(i, at[1], values[r.Intn(len(values))])
	}
}

// operand replaces an operand by a constant of its type: a word of an instruction without a result.
func (s *seededShader) operand(i, word int, value string) *seededEdit {
	in := s.facts.Code.Inst(i)
	t := idOf(s.facts.TypeOf(spirv.ID(in[word])).ID)
	fields := slices.Clone(s.fields[i])
	shift := 0
	if in.Result() != 0 { // fields begin with the result
		shift = 1
	}
	fields[word+shift] = "%seededx"
	lines, globals := hiddenConstant(t, value)
	return &seededEdit{at: i, lines: append(lines, strings.Join(fields, " ")), globals: globals}
}

// seedRayFlags makes the flags of a ray contradictory.
func seedRayFlags(s *seededShader, i int, r *rand.Rand) *seededEdit {
	op := s.facts.Code.Inst(i).Op()
	at, ok := rayOperands[op]
	if !ok || op == spirv.OpTraceRayMotionNV { // Vulkan has no such rule for it
		return nil
	}
	return s.operand(i, at[0], []string{"3", "48", "768", "192"}[r.Intn(4)])
}

// seedHitKind reports a hit of the kind of a triangle.
func seedHitKind(s *seededShader, i int, _ *rand.Rand) *seededEdit {
	if s.facts.Code.Inst(i).Op() != spirv.OpReportIntersectionKHR {
		return nil
	}
	return s.operand(i, 4, "254")
}

// seedPrimitiveVertex makes a vertex of a primitive of a mesh one that it does not have.
func seedPrimitiveVertex(s *seededShader, i int, _ *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if in.Op() != spirv.OpStore {
		return nil
	}
	b, ok := s.facts.BuiltIn(pointerID(s.rootOf(spirv.ID(in[1]))))
	if !ok || b != spirv.BuiltInPrimitivePointIndicesEXT && b != spirv.BuiltInPrimitiveLineIndicesEXT && b != spirv.BuiltInPrimitiveTriangleIndicesEXT {
		return nil
	}
	t := s.facts.TypeOf(spirv.ID(in[2]))
	return &seededEdit{at: i, lines: []string{"OpStore " + idOf(spirv.ID(in[1])) + " %seeded"}, globals: constantOf(t, "4000", "%seeded")}
}

// isLevel reports whether a pointer is to a tessellation level.
func (s *seededShader) isLevel(p spirv.ID) bool {
	b, ok := s.facts.BuiltIn(pointerID(s.rootOf(p)))
	return ok && (b == spirv.BuiltInTessLevelOuter || b == spirv.BuiltInTessLevelInner)
}

// seedLevels removes all stores to the tessellation levels of one kind.
func seedLevels(s *seededShader, i int, _ *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if in.Op() != spirv.OpStore || s.model != spirv.ExecutionModelTessellationControl || !s.isLevel(spirv.ID(in[1])) {
		return nil
	}
	e := &seededEdit{at: i}
	for k := range s.lines {
		if x := s.facts.Code.Inst(k); x.Op() == spirv.OpStore && s.rootOf(spirv.ID(x[1])) == s.rootOf(spirv.ID(in[1])) {
			e.remove = append(e.remove, k)
		}
	}
	return e
}

// namesLevels reports whether a message names a tessellation level.
func namesLevels(_ *seededShader, _ int, message string) bool {
	return strings.Contains(message, "TessLevel")
}

// seedPayload removes all stores to a payload, or to callable data, that another stage reads.
func seedPayload(s *seededShader, i int, _ *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if in.Op() != spirv.OpStore {
		return nil
	}
	root := s.rootOf(spirv.ID(in[1]))
	v := s.facts.Variable(pointerID(root))
	if v == nil {
		return nil
	}
	switch v.Storage {
	case spirv.StorageClassTaskPayloadWorkgroupEXT, spirv.StorageClassRayPayloadKHR, spirv.StorageClassCallableDataKHR, spirv.StorageClassHitAttributeKHR:
	default:
		return nil
	}
	e := &seededEdit{at: i}
	for k := range s.lines {
		if x := s.facts.Code.Inst(k); x.Op() == spirv.OpStore && s.rootOf(spirv.ID(x[1])) == root {
			e.remove = append(e.remove, k)
		}
	}
	return e
}
