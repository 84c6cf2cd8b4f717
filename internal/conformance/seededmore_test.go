package conformance

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// furtherKinds are kinds of faults of memory, interfaces and subgroups.
var furtherKinds = []seededKind{
	{"end of an array", ir.SanitizeBounds, seedEnd, nil, false},
	{"level of a texel", ir.SanitizeBounds, seedLevel, nil, false},
	{"numbers of a mesh", ir.SanitizeBounds, seedMeshCounts, nil, false},
	{"undefined component", ir.SanitizeUninit, seedPart, nil, false},
	{"undefined output", ir.SanitizeUninit, seedUndefOutput, nil, false},
	{"shared memory without a store", ir.SanitizeUninit, seedShared, nil, false},
	{"remainder", ir.SanitizeUndefined, seedRemainder, nil, false},
	{"quotient of the least number", ir.SanitizeUndefined, seedLeast, nil, false},
	{"least of a NaN", ir.SanitizeUndefined, seedNaN, nil, false},
	{"root of a negative", ir.SanitizeFloat, seedRoot, nil, false},
	{"underflow", ir.SanitizeFloat, seedFloat("OpFMul %T %k %k", "1e-30"), nil, false},
	{"unmatched input", ir.SanitizeInterface, seedInput, namesInput, false},
	{"output without a store", ir.SanitizeInterface, seedNoOutput, namesOutput, false},
	{"position without a store", ir.SanitizeInterface, seedPosition, namesPosition, false},
	{"atomic in parts", ir.SanitizeRace, seedAtomic, nil, false},
	{"scope of an atomic", ir.SanitizeRace, seedScope, nil, false},
	{"semantics of a barrier", ir.SanitizeRace, seedSemantics, nil, false},
	{"lane of a shuffle", ir.SanitizeUniform, seedLane, nil, false},
	{"lane of a quad", ir.SanitizeUniform, seedQuad, nil, false},
	{"sample in a branch", ir.SanitizeUniform, seedSample, nil, false},
}

func init() { seededKinds = append(seededKinds, furtherKinds...) }

// places returns the operands of an access chain that are indexes of arrays, matrices and vectors, and the lengths of these; 0 for a
// runtime array.
func (s *seededShader) places(in spirv.Inst) (at []int, lengths []uint64) {
	base := s.facts.TypeOf(spirv.ID(in[3]))
	if base == nil {
		return nil, nil
	}
	t := base.Elem
	for k := 4; k < len(in) && t != nil; k++ {
		switch {
		case t.IsStruct():
			t = t.Members[s.facts.Const(spirv.ID(in[k])).Bits].Type
			continue
		case t.Count > 0 && !(t.Elem.IsStruct() && isBlock(s.facts, t.Elem)):
			at, lengths = append(at, k), append(lengths, t.Count)
		}
		t = t.Elem
	}
	return at, lengths
}

// seedEnd makes an index the length, or −1.
func seedEnd(s *seededShader, i int, r *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if op := in.Op(); op != spirv.OpAccessChain && op != spirv.OpInBoundsAccessChain {
		return nil
	}
	base := s.facts.TypeOf(spirv.ID(in[3]))
	if base == nil || base.Storage == spirv.StorageClassUniformConstant || !s.accessed(in.Result()) {
		return nil
	}
	places, lengths := s.places(in)
	if len(places) == 0 {
		return nil
	}
	n := r.Intn(len(places))
	value := fmt.Sprint(lengths[n])
	if r.Intn(3) == 0 {
		value = "4294967295"
	}
	index := s.facts.TypeOf(spirv.ID(in[places[n]]))
	if index.Width != 32 {
		return nil
	}
	if index.Signed {
		value = strings.Replace(value, "4294967295", "-1", 1)
	}
	fields := slices.Clone(s.fields[i])
	old := fields[places[n]+1]
	fields[places[n]+1] = "%seededi"
	// The old index hides the constant from the rules of modules.
	return &seededEdit{
		at: i,
		lines: []string{
			"%seedediz = OpBitwiseAnd " + idOf(index.ID) + " " + old + " %seededz",
			"%seededi = OpBitwiseOr " + idOf(index.ID) + " %seedediz %seeded", strings.Join(fields, " "),
		},
		globals: append(constantOf(index, value, "%seeded"), constantOf(index, "0", "%seededz")...), results: map[string]bool{idOf(in.Result()): true},
	}
}

// seedLevel fetches from a level that the image does not have.
func seedLevel(s *seededShader, i int, _ *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if in.Op() != spirv.OpImageFetch {
		return nil
	}
	image := s.facts.TypeOf(spirv.ID(in[3]))
	if image == nil || image.Image == nil || image.Image.MS || image.Image.Dim == spirv.DimBuffer || image.Image.Dim == spirv.DimSubpassData {
		return nil
	}
	sint, globals := s.scalarType("OpTypeInt 32 1")
	line := strings.Join(s.fields[i][:6], " ") + " Lod %seeded"
	return &seededEdit{at: i, lines: []string{line}, globals: append(globals, "%seeded = OpConstant "+sint+" 20")}
}

// seedMeshCounts makes the numbers of vertices and primitives of a mesh too large.
func seedMeshCounts(s *seededShader, i int, r *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if in.Op() != spirv.OpSetMeshOutputsEXT {
		return nil
	}
	t := s.facts.TypeOf(spirv.ID(in[1]))
	fields := slices.Clone(s.fields[i])
	fields[1+r.Intn(2)] = "%seeded"
	return &seededEdit{at: i, lines: []string{strings.Join(fields, " ")}, globals: constantOf(t, "5000", "%seeded")}
}

// seedPart makes one component of a vector undefined.
func seedPart(s *seededShader, i int, r *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if in.Op() != spirv.OpCompositeConstruct || !s.matters(in.Result()) {
		return nil
	}
	if t := s.facts.Type(in.Type()); t == nil || !t.IsVector() {
		return nil
	}
	n := 3 + r.Intn(len(in)-3)
	if n > 3 && s.writesNarrow(in.Result()) {
		return nil
	}
	t := s.facts.TypeOf(spirv.ID(in[n]))
	fields := slices.Clone(s.fields[i])
	fields[n+1] = "%seeded"
	return &seededEdit{at: i, lines: []string{strings.Join(fields, " ")}, globals: []string{"%seeded = OpUndef " + idOf(t.ID)}, results: s.users(in.Result())}
}

// writesNarrow reports whether a value is a texel of an image that may have fewer than four components: the others do not matter.
func (s *seededShader) writesNarrow(texel spirv.ID) bool {
	users := s.users(texel)
	for i := range s.lines {
		if in := s.facts.Code.Inst(i); in.Op() == spirv.OpImageWrite && users[idOf(spirv.ID(in[3]))] {
			if t := s.facts.TypeOf(spirv.ID(in[1])); t == nil || t.Image == nil || !strings.HasPrefix(t.Image.Format.String(), "Rgba") {
				return true
			}
		}
	}
	return false
}

// outputOf returns the variable of an output with a Location to which an instruction stores, or nil.
func (s *seededShader) outputOf(i int) *facts.Variable {
	in := s.facts.Code.Inst(i)
	if in.Op() != spirv.OpStore {
		return nil
	}
	v := s.facts.Variable(pointerID(s.rootOf(spirv.ID(in[1]))))
	if v == nil || v.Storage != spirv.StorageClassOutput || !s.facts.Has(v.ID, spirv.DecorationLocation) {
		return nil
	}
	d, _ := s.facts.Decoration(v.ID, spirv.DecorationLocation)
	if s.model != spirv.ExecutionModelFragment && (!s.isRead(d.Literal()) || s.loads(v.ID)) {
		return nil
	}
	return v
}

// seedUndefOutput stores an undefined value to an output that the next stage reads.
func seedUndefOutput(s *seededShader, i int, _ *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if s.outputOf(i) == nil {
		return nil
	}
	t := s.facts.TypeOf(spirv.ID(in[2]))
	return &seededEdit{at: i, lines: []string{"OpStore " + idOf(spirv.ID(in[1])) + " %seeded"}, globals: []string{"%seeded = OpUndef " + idOf(t.ID)}}
}

// seedShared removes all stores to a variable of workgroup memory.
func seedShared(s *seededShader, i int, _ *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if in.Op() != spirv.OpLoad || s.model != spirv.ExecutionModelGLCompute {
		return nil
	}
	root := s.rootOf(inst.Load(in).Pointer())
	v := s.facts.Variable(pointerID(root))
	if v == nil || v.Storage != spirv.StorageClassWorkgroup || v.Init != 0 || !s.matters(in.Result()) {
		return nil
	}
	e := &seededEdit{at: i, results: s.users(in.Result())}
	for k := range s.lines {
		x := s.facts.Code.Inst(k)
		switch op := x.Op(); {
		case op == spirv.OpStore && s.rootOf(spirv.ID(x[1])) == root:
			e.remove = append(e.remove, k)
		case op == spirv.OpCopyMemory, op == spirv.OpFunctionCall, op >= spirv.OpAtomicLoad && op <= spirv.OpAtomicXor:
			if slices.Contains(s.fields[k], root) || len(x) > 3 && s.rootOf(spirv.ID(x[3])) == root {
				return nil
			}
		}
	}
	if len(e.remove) == 0 {
		return nil
	}
	return e
}

// seedRemainder computes the remainder of a negative number.
func seedRemainder(s *seededShader, i int, r *rand.Rand) *seededEdit {
	form := []string{"OpSRem %T %seeded %seededm", "OpSMod %T %seeded %seededm", "OpSRem %T %seededm %seeded"}[r.Intn(3)]
	e := seedInteger(form, "-7")(s, i, r)
	if e != nil && signedType(s.facts.Type(s.facts.Code.Inst(i).Type())) {
		e.globals = append(e.globals, constantOf(s.facts.Type(s.facts.Code.Inst(i).Type()), "3", "%seededm")...)
		return e
	}
	return nil
}

// signedType reports whether a type has signed integers.
func signedType(t *facts.Type) bool { return t.Signed || t.IsVector() && t.Elem.Signed }

// seedLeast divides the least number by −1.
func seedLeast(s *seededShader, i int, r *rand.Rand) *seededEdit {
	e := seedInteger("OpSDiv %T %k %seededm", "-2147483648")(s, i, r)
	if e != nil && signedType(s.facts.Type(s.facts.Code.Inst(i).Type())) {
		e.globals = append(e.globals, constantOf(s.facts.Type(s.facts.Code.Inst(i).Type()), "-1", "%seededm")...)
		return e
	}
	return nil
}

// seedNaN computes the least of a NaN and a number.
func seedNaN(s *seededShader, i int, r *rand.Rand) *seededEdit {
	form := []string{"FMin %a %seededn", "FMax %seededn %a", "FClamp %seededn %a %a"}[r.Intn(3)]
	e := seedFloat("OpExtInst %T %seededglsl "+form, "0")(s, i, r)
	if e == nil {
		return nil
	}
	t := idOf(s.facts.Code.Inst(i).Type())
	e.lines = append([]string{"%seededn = OpFDiv " + t + " %seeded %seeded"}, e.lines...)
	e.fault = 0
	return e.glsl()
}

// seedRoot makes a NaN or an infinity from finite numbers.
func seedRoot(s *seededShader, i int, r *rand.Rand) *seededEdit {
	form := []string{"Sqrt %k", "Log %k", "Normalize %seededm", "Exp %seededh", "Acos %k", "Pow %seededh %seededh"}[r.Intn(6)]
	e := seedFloat("OpExtInst %T %seededglsl "+form, "-3")(s, i, r)
	if e == nil {
		return nil
	}
	t := s.facts.Type(s.facts.Code.Inst(i).Type())
	e.globals = append(append(e.globals, constantOf(t, "0", "%seededm")...), constantOf(t, "300", "%seededh")...)
	return e.glsl()
}

// seedInput moves an input to a Location that no stage writes.
func seedInput(s *seededShader, i int, _ *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if in.Op() != spirv.OpLoad || s.model == spirv.ExecutionModelVertex {
		return nil
	}
	root := s.rootOf(inst.Load(in).Pointer())
	v := s.facts.Variable(pointerID(root))
	if v == nil || v.Storage != spirv.StorageClassInput || !s.facts.Has(v.ID, spirv.DecorationLocation) {
		return nil
	}
	for k, f := range s.fields {
		if len(f) == 4 && f[0] == "OpDecorate" && f[1] == root && f[2] == "Location" {
			return &seededEdit{at: i, replace: map[int]string{k: "OpDecorate " + root + " Location 27"}, results: s.users(in.Result())}
		}
	}
	return nil
}

// namesInput reports whether a message names the Location that no stage writes.
func namesInput(_ *seededShader, _ int, message string) bool {
	return strings.Contains(message, "Location 27,")
}

// seedNoOutput removes all stores to an output of a mesh, of a patch or of a geometry shader.
func seedNoOutput(s *seededShader, i int, _ *rand.Rand) *seededEdit {
	switch s.model {
	case spirv.ExecutionModelTessellationControl, spirv.ExecutionModelMeshEXT, spirv.ExecutionModelMeshNV, spirv.ExecutionModelGeometry,
		spirv.ExecutionModelTessellationEvaluation:
	default:
		return nil
	}
	v := s.outputOf(i)
	if v == nil {
		return nil
	}
	e := &seededEdit{at: i}
	for k := range s.lines {
		if x := s.facts.Code.Inst(k); x.Op() == spirv.OpStore && s.rootOf(spirv.ID(x[1])) == idOf(v.ID) {
			e.remove = append(e.remove, k)
		}
	}
	return e
}

// seedPosition removes all stores to the position.
func seedPosition(s *seededShader, i int, _ *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if in.Op() != spirv.OpStore {
		return nil
	}
	e := &seededEdit{at: i}
	for k := range s.lines {
		if x := s.facts.Code.Inst(k); x.Op() == spirv.OpStore && s.isPosition(spirv.ID(x[1])) {
			e.remove = append(e.remove, k)
		}
	}
	if !slices.Contains(e.remove, i) || s.facts.Capable(spirv.CapabilityPerViewAttributesNV) {
		return nil
	}
	last := slices.ContainsFunc(s.beside, func(o *seededShader) bool { return o.model == spirv.ExecutionModelFragment && s.precedes(o) })
	if !last {
		return nil
	}
	return e
}

// isPosition reports whether a pointer is to the built-in Position.
func (s *seededShader) isPosition(p spirv.ID) bool {
	root := pointerID(s.rootOf(p))
	if b, ok := s.facts.BuiltIn(root); ok {
		return b == spirv.BuiltInPosition
	}
	in := s.facts.Inst(p)
	if in.Op() != spirv.OpAccessChain || s.facts.TypeOf(in.Result()).Storage != spirv.StorageClassOutput {
		return false
	}
	t := s.facts.TypeOf(spirv.ID(in[3])).Elem
	for k := 4; k < len(in); k++ {
		if t.IsStruct() {
			b, ok := s.facts.MemberBuiltIn(t.ID, int(s.facts.Const(spirv.ID(in[k])).Bits))
			return ok && b == spirv.BuiltInPosition
		}
		t = t.Elem
	}
	return false
}

// namesPosition reports whether a message names the position.
func namesPosition(_ *seededShader, _ int, message string) bool {
	return strings.Contains(message, "Position")
}

// seedAtomic divides an atomic into a load, a sum and a store.
func seedAtomic(s *seededShader, i int, _ *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if !s.updatesOnePlace(in) {
		return nil
	}
	t, result := idOf(in.Type()), idOf(in.Result())
	return &seededEdit{at: i, lines: []string{
		result + " = OpLoad " + t + " " + idOf(spirv.ID(in[3])),
		"%seededs = OpIAdd " + t + " " + result + " " + idOf(spirv.ID(in[6])),
		"OpStore " + idOf(spirv.ID(in[3])) + " %seededs",
	}, results: map[string]bool{idOf(spirv.ID(in[3])): true}}
}

// updatesOnePlace reports whether an instruction is an atomic by which all invocations update the same word.
func (s *seededShader) updatesOnePlace(in spirv.Inst) bool {
	switch in.Op() {
	case spirv.OpAtomicIAdd, spirv.OpAtomicUMax, spirv.OpAtomicUMin, spirv.OpAtomicOr, spirv.OpAtomicAnd, spirv.OpAtomicXor, spirv.OpAtomicExchange,
		spirv.OpAtomicSMax, spirv.OpAtomicSMin:
		return s.onePlace(spirv.ID(in[3]))
	}
	return false
}

// onePlace reports whether all invocations access the same word by a pointer to memory: its indexes are constants.
func (s *seededShader) onePlace(p spirv.ID) bool {
	in := s.facts.Inst(p)
	if t := s.facts.TypeOf(p); t == nil || t.Storage == spirv.StorageClassImage || t.Storage == spirv.StorageClassFunction {
		return false
	}
	if in.Op() == spirv.OpVariable {
		return true
	}
	if in.Op() != spirv.OpAccessChain {
		return false
	}
	for _, k := range in[4:] {
		if s.facts.Const(spirv.ID(k)) == nil {
			return false
		}
	}
	return s.facts.Inst(spirv.ID(in[3])).Op() == spirv.OpVariable
}

// seedScope gives an atomic the scope of one invocation.
func seedScope(s *seededShader, i int, _ *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if !s.updatesOnePlace(in) {
		return nil
	}
	fields := slices.Clone(s.fields[i])
	fields[5], fields[6] = "%seeded4", "%seeded0"
	uint, globals := s.scalarType("OpTypeInt 32 0")
	globals = append(globals, "%seeded0 = OpConstant "+uint+" 0", "%seeded4 = OpConstant "+uint+" 4")
	return &seededEdit{at: i, lines: []string{strings.Join(fields, " ")}, globals: globals, results: map[string]bool{idOf(spirv.ID(in[3])): true}}
}

// seedSemantics gives a control barrier semantics of other memory, or without a release or an acquire.
func seedSemantics(s *seededShader, i int, r *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if in.Op() != spirv.OpControlBarrier || s.model == spirv.ExecutionModelTessellationControl || !s.sharesAfter(i) {
		return nil
	}
	uint, globals := s.scalarType("OpTypeInt 32 0")
	value := []string{"72", "2056", "258", "260"}[r.Intn(4)]
	globals = append(globals, "%seeded0 = OpConstant "+uint+" "+value)
	return &seededEdit{at: i, lines: []string{fmt.Sprintf("OpControlBarrier %%%d %%%d %%seeded0", in[1], in[2])}, globals: globals, results: s.shared()}
}

// seedLane reads the value of a lane that the subgroup does not have, or that is not active.
func seedLane(s *seededShader, i int, r *rand.Rand) *seededEdit {
	op := []string{"GroupNonUniformShuffle %uint %seeded3 %seeded1 %seededlarge", "GroupNonUniformShuffleUp %uint %seeded3 %seeded1 %seeded1",
		"GroupNonUniformShuffleDown %uint %seeded3 %seeded1 %seeded1", "GroupNonUniformRotateKHR %uint %seeded3 %seeded1 %seeded1"}[r.Intn(3)]
	capability := "GroupNonUniformShuffle"
	if strings.Contains(op, "Up") || strings.Contains(op, "Down") {
		capability += "Relative"
	}
	uint, _ := s.scalarType("OpTypeInt 32 0")
	return s.diverging(i, []string{capability}, []string{"%seededlarge = OpConstant " + uint + " 4000"}, "%seededx = Op"+op)
}

// seedQuad reads the value of another invocation of the quad that is not active.
func seedQuad(s *seededShader, i int, r *rand.Rand) *seededEdit {
	op := []string{"OpGroupNonUniformQuadSwap %uint %seeded3 %seeded1 %seeded0", "OpGroupNonUniformQuadSwap %uint %seeded3 %seeded1 %seeded2"}[r.Intn(2)]
	return s.diverging(i, []string{"GroupNonUniformQuad"}, nil, "%seededx = "+op)
}

// seedSample samples with an implicit level of detail in one invocation.
func seedSample(s *seededShader, i int, _ *rand.Rand) *seededEdit {
	if s.model != spirv.ExecutionModelFragment {
		return nil
	}
	for k := i - 1; k >= 0 && s.facts.Code.Inst(k).Op() != spirv.OpLabel; k-- {
		if op := s.facts.Code.Inst(k).Op(); op == spirv.OpImageSampleImplicitLod || op == spirv.OpFwidth || op == spirv.OpDPdy {
			fields := slices.Clone(s.fields[k])
			fields[0] = "%seededx"
			return s.diverging(i, nil, nil, strings.Join(fields, " "))
		}
	}
	return nil
}
