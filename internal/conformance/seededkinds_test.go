package conformance

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// seededKinds are the kinds of faults.
var seededKinds = []seededKind{
	{"index of an array", ir.SanitizeBounds, seedIndex, nil, false},
	{"component of a vector", ir.SanitizeBounds, seedComponent, nil, false},
	{"texel", ir.SanitizeBounds, seedTexel, nil, false},
	{"missing store", ir.SanitizeUninit, seedMissingStore, nil, false},
	{"undefined operand", ir.SanitizeUninit, seedUndef, nil, false},
	{"integer division", ir.SanitizeUndefined, seedInteger("OpSDiv %T %a %k", "0"), nil, false},
	{"shift", ir.SanitizeUndefined, seedInteger("OpShiftLeftLogical %T %a %k", "71"), nil, false},
	{"bit field", ir.SanitizeUndefined, seedField, nil, false},
	{"domain", ir.SanitizeUndefined, seedDomain, nil, false},
	{"bounds of a clamp", ir.SanitizeUndefined, seedClamp, nil, false},
	{"conversion", ir.SanitizeUndefined, seedConversion, nil, false},
	{"float division", ir.SanitizeFloat, seedFloat("OpFDiv %T %a %k", "0"), nil, false},
	{"overflow", ir.SanitizeFloat, seedFloat("OpFMul %T %k %k", "3e38"), nil, false},
	{"missing output", ir.SanitizeInterface, seedOutput, namesOutput, false},
	{"missing barrier", ir.SanitizeRace, seedBarrier, nil, false},
	{"inactive invocation", ir.SanitizeUniform, seedInactive, nil, false},
	{"derivative", ir.SanitizeUniform, seedDerivative, nil, false},
	{"partial barrier", ir.SanitizeUniform, seedPartialBarrier, nil, false},
}

func idOf(id spirv.ID) string { return fmt.Sprintf("%%%d", id) }

// constantOf returns a constant of a type with 32 or 64 bits per component, or nothing.
func constantOf(t *facts.Type, value, name string) (globals []string) {
	if t.IsVector() {
		scalar := name + "_1"
		globals = append(constantOf(t.Elem, value, scalar), name+" = OpConstantComposite "+idOf(t.ID)+strings.Repeat(" "+scalar, int(t.Count)))
		return globals
	}
	return []string{name + " = OpConstant " + idOf(t.ID) + " " + value}
}

// seedInteger replaces an operation on integers.
func seedInteger(form, value string) func(s *seededShader, i int, r *rand.Rand) *seededEdit {
	return func(s *seededShader, i int, _ *rand.Rand) *seededEdit {
		in := s.facts.Code.Inst(i)
		switch in.Op() {
		case spirv.OpIAdd, spirv.OpISub, spirv.OpIMul, spirv.OpUDiv, spirv.OpSDiv, spirv.OpUMod, spirv.OpShiftLeftLogical, spirv.OpShiftRightLogical,
			spirv.OpBitwiseAnd, spirv.OpBitwiseOr, spirv.OpBitwiseXor:
			if s.carried(in) { // a loop may not end
				return nil
			}
			return s.replaced(i, form, value)
		}
		return nil
	}
}

// seedFloat replaces an operation on floats.
func seedFloat(form, value string) func(s *seededShader, i int, r *rand.Rand) *seededEdit {
	return func(s *seededShader, i int, _ *rand.Rand) *seededEdit {
		if !isFloatOperation(s.facts.Code.Inst(i).Op()) {
			return nil
		}
		return s.replaced(i, form, value)
	}
}

// carried reports whether an operand of an instruction depends on its result: that of the iteration before.
func (s *seededShader) carried(in spirv.Inst) bool {
	users := s.users(in.Result())
	return slices.ContainsFunc(in[3:], func(word uint32) bool { return users[idOf(spirv.ID(word))] })
}

func isFloatOperation(op spirv.Op) bool {
	return op == spirv.OpFAdd || op == spirv.OpFSub || op == spirv.OpFMul || op == spirv.OpFDiv
}

// replaced replaces the operation of an instruction: %T is its type, %a its first operand, %k a constant.
func (s *seededShader) replaced(i int, form, value string) *seededEdit {
	in := s.facts.Code.Inst(i)
	t := s.facts.Type(in.Type())
	if w := width(t); w != 32 {
		return nil
	}
	result := idOf(in.Result())
	text := strings.NewReplacer("%T", idOf(t.ID), "%a", idOf(spirv.ID(in[3])), "%k", "%seeded").Replace(form)
	return &seededEdit{at: i, lines: []string{result + " = " + text}, globals: constantOf(t, value, "%seeded")}
}

func width(t *facts.Type) uint32 {
	if t == nil {
		return 0
	}
	if t.IsVector() {
		t = t.Elem
	}
	return t.Width
}

// seedField reads a field beyond the width.
func seedField(s *seededShader, i int, r *rand.Rand) *seededEdit {
	e := seedInteger("OpBitFieldUExtract %T %a %seededo %seededc", "0")(s, i, r)
	if e == nil {
		return nil
	}
	t := s.facts.Type(s.facts.Code.Inst(i).Type())
	if t.IsVector() {
		t = t.Elem
	}
	e.globals = append(constantOf(t, "30", "%seededo"), constantOf(t, "3", "%seededc")...)
	return e
}

// glsl adds the import of GLSL.std.450.
func (e *seededEdit) glsl() *seededEdit {
	if e != nil {
		e.head = append(e.head, `%seededglsl = OpExtInstImport "GLSL.std.450"`)
	}
	return e
}

// seedDomain computes functions outside of their domains.
func seedDomain(s *seededShader, i int, r *rand.Rand) *seededEdit {
	forms := []string{"Sqrt %k", "InverseSqrt %k", "Log %k", "Log2 %k", "Asin %k", "Acos %k", "Acosh %k", "Atanh %k", "Pow %k %k"}
	return seedFloat("OpExtInst %T %seededglsl "+forms[r.Intn(len(forms))], "-2")(s, i, r).glsl()
}

// seedClamp exchanges the bounds of a clamp.
func seedClamp(s *seededShader, i int, r *rand.Rand) *seededEdit {
	form, least, greatest := "OpExtInst %T %seededglsl FClamp %a %seeded %seededg", "2.5", "-1"
	if r.Intn(2) == 0 {
		form = "OpExtInst %T %seededglsl SmoothStep %seeded %seededg %a"
	}
	e := seedFloat(form, least)(s, i, r)
	if e == nil {
		form, least, greatest = "OpExtInst %T %seededglsl UClamp %a %seeded %seededg", "9", "4"
		if e = seedInteger(form, least)(s, i, r); e == nil {
			return nil
		}
	}
	e.globals = append(e.globals, constantOf(s.facts.Type(s.facts.Code.Inst(i).Type()), greatest, "%seededg")...)
	return e.glsl()
}

// scalarType returns the id of a scalar type, and the instruction that declares it if the module does not.
func (s *seededShader) scalarType(text string) (id string, globals []string) {
	for _, l := range s.lines {
		if id, is, ok := strings.Cut(l, " = "); ok && is == text {
			return id, nil
		}
	}
	id = "%" + strings.NewReplacer(" ", "_", "%", "").Replace(text)
	return id, []string{id + " = " + text}
}

// seedConversion converts a number that no integer of 32 bits represents.
func seedConversion(s *seededShader, i int, r *rand.Rand) *seededEdit {
	e := seedFloat("OpConvertSToF %T %seededi", "3e20")(s, i, r)
	if e == nil {
		return nil
	}
	t := s.facts.Type(s.facts.Code.Inst(i).Type())
	to, globals := s.scalarType("OpTypeInt 32 1")
	if t.IsVector() {
		vector, more := s.scalarType(fmt.Sprintf("OpTypeVector %s %d", to, t.Count))
		to, globals = vector, append(globals, more...)
	}
	e.globals = append(globals, e.globals...)
	e.lines = append([]string{"%seededi = OpConvertFToS " + to + " %seeded"}, e.lines...)
	e.fault = 1
	return e
}

// seedUndef replaces an operand.
func seedUndef(s *seededShader, i int, r *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if op := in.Op(); !isFloatOperation(op) && op != spirv.OpIAdd && op != spirv.OpISub && op != spirv.OpDot || !s.matters(in.Result()) {
		return nil
	}
	n := 3 + r.Intn(2)
	t := s.facts.TypeOf(spirv.ID(in[n]))
	fields := slices.Clone(s.fields[i])
	fields[n+1] = "%seeded"
	return &seededEdit{at: i, lines: []string{strings.Join(fields, " ")}, globals: []string{"%seeded = OpUndef " + idOf(t.ID)}, results: s.users(in.Result())}
}

// users returns the ids of all values that depend on one, the id itself among them.
func (s *seededShader) users(id spirv.ID) map[string]bool {
	if list := s.used[id]; list != nil {
		return list
	}
	list, changed := map[string]bool{idOf(id): true}, true
	add := func(id string) {
		if !list[id] {
			list[id], changed = true, true
		}
	}
	for changed {
		changed = false
		for _, f := range s.facts.Functions {
			for i := f.Index; i < f.End; i++ {
				if slices.ContainsFunc(s.fields[i], func(x string) bool { return list[x] }) {
					s.addUser(&f, s.facts.Code.Inst(i), list, add)
				}
			}
		}
	}
	if s.used == nil {
		s.used = map[spirv.ID]map[string]bool{}
	}
	s.used[id] = list
	return list
}

// addUser adds the value that an instruction with a listed operand makes.
func (s *seededShader) addUser(f *facts.Function, in spirv.Inst, list map[string]bool, add func(string)) {
	switch in.Op() {
	case spirv.OpStore:
		add(s.rootOf(spirv.ID(in[1])))
	case spirv.OpFunctionCall:
		if callee := s.facts.Function(spirv.ID(in[3])); callee != nil {
			for k, p := range callee.Params {
				if list[idOf(spirv.ID(in[4+k]))] {
					add(idOf(p.ID))
				}
			}
		}
		add(idOf(in.Result()))
	case spirv.OpReturnValue:
		for _, call := range s.fields {
			if len(call) > 4 && call[2] == "OpFunctionCall" && call[4] == idOf(f.ID) {
				add(call[0])
			}
		}
	default:
		if in.Result() != 0 {
			add(idOf(in.Result()))
		}
	}
}

// rootOf returns the variable of a pointer.
func (s *seededShader) rootOf(p spirv.ID) string {
	for range 100 {
		in := s.facts.Inst(p)
		if in == nil {
			break
		}
		switch in.Op() {
		case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain:
			p = spirv.ID(in[3])
			continue
		}
		break
	}
	return idOf(p)
}

// matters reports whether an instruction that runs stores a value, or branches on it.
func (s *seededShader) matters(id spirv.ID) bool {
	users := s.users(id)
	for i, runs := range s.runs {
		if !runs {
			continue
		}
		switch in := s.facts.Code.Inst(i); in.Op() {
		case spirv.OpStore:
			root := s.facts.Inst(pointerID(s.rootOf(spirv.ID(in[1]))))
			if users[idOf(spirv.ID(in[2]))] && root != nil && root.Op() == spirv.OpVariable {
				switch spirv.StorageClass(root[3]) {
				case spirv.StorageClassStorageBuffer, spirv.StorageClassUniform:
					return true
				case spirv.StorageClassOutput: // a draw may not have a view
					if !s.facts.Capable(spirv.CapabilityPerViewAttributesNV) {
						return true
					}
				}
			}
		case spirv.OpImageWrite, spirv.OpBranchConditional:
			if users[idOf(spirv.ID(in[len(in)-1]))] || users[idOf(spirv.ID(in[1]))] {
				return true
			}
		}
	}
	return false
}

func pointerID(text string) (id spirv.ID) {
	_, _ = fmt.Sscanf(text, "%%%d", &id)
	return id
}

// seedIndex adds the length of an array, matrix or vector to an index, or moves an index beyond a buffer.
func seedIndex(s *seededShader, i int, r *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if op := in.Op(); op != spirv.OpAccessChain && op != spirv.OpInBoundsAccessChain {
		return nil
	}
	base := s.facts.TypeOf(spirv.ID(in[3]))
	if base == nil || base.Storage == spirv.StorageClassUniformConstant || !s.accessed(in.Result()) {
		return nil
	}
	var places []int
	var by []uint64
	t := base.Elem
	for k := 4; k < len(in) && t != nil; k++ {
		c := s.facts.Const(spirv.ID(in[k]))
		switch {
		case t.IsStruct():
			t = t.Members[c.Bits].Type
			continue
		case t.IsRuntimeArray():
			places, by = append(places, k), append(by, 1<<24)
		case t.Count > 0 && !(t.Elem.IsStruct() && isBlock(s.facts, t.Elem)):
			places, by = append(places, k), append(by, t.Count)
		}
		t = t.Elem
	}
	if len(places) == 0 {
		return nil
	}
	n := r.Intn(len(places))
	index := s.facts.TypeOf(spirv.ID(in[places[n]]))
	if index.Width != 32 {
		return nil
	}
	fields := slices.Clone(s.fields[i])
	old := fields[places[n]+1]
	fields[places[n]+1] = "%seededi"
	return &seededEdit{
		at: i, lines: []string{"%seededi = OpIAdd " + idOf(index.ID) + " " + old + " %seeded", strings.Join(fields, " ")},
		globals: constantOf(index, fmt.Sprint(by[n]), "%seeded"), results: map[string]bool{idOf(in.Result()): true},
	}
}

// isBlock reports whether a type is the type of a descriptor, or of the vertices of a stage.
func isBlock(m *facts.Module, t *facts.Type) bool {
	return m.Has(t.ID, spirv.DecorationBlock) || m.Has(t.ID, spirv.DecorationBufferBlock)
}

// accessed reports whether an instruction that runs loads or stores through a pointer.
func (s *seededShader) accessed(p spirv.ID) bool {
	for i, runs := range s.runs {
		if !runs {
			continue
		}
		switch in := s.facts.Code.Inst(i); in.Op() {
		case spirv.OpLoad:
			if inst.Load(in).Pointer() == p {
				return true
			}
		case spirv.OpStore:
			if inst.Store(in).Pointer() == p {
				return true
			}
		}
	}
	return false
}

// seedComponent extracts a component that a vector does not have.
func seedComponent(s *seededShader, i int, r *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if in.Op() != spirv.OpCompositeExtract || len(in) != 5 {
		return nil
	}
	if t := s.facts.TypeOf(spirv.ID(in[3])); t == nil || !t.IsVector() {
		return nil
	}
	uint, globals := s.scalarType("OpTypeInt 32 0")
	return &seededEdit{
		at: i, lines: []string{fmt.Sprintf("%%%d = OpVectorExtractDynamic %%%d %%%d %%seeded", in.Result(), in.Type(), in[3])},
		globals: append(globals, fmt.Sprintf("%%seeded = OpConstant %s %d", uint, 4+r.Intn(9))),
	}
}

// seedTexel moves the coordinates of an access of an image.
func seedTexel(s *seededShader, i int, _ *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	n := 4 // the word of the coordinates
	switch in.Op() {
	case spirv.OpImageFetch, spirv.OpImageRead:
	case spirv.OpImageWrite:
		n = 2
	default:
		return nil
	}
	t := s.facts.TypeOf(spirv.ID(in[n]))
	image := s.facts.TypeOf(spirv.ID(in[n-1]))
	if width(t) != 32 || image == nil || image.Image == nil || image.Image.Dim == spirv.DimSubpassData {
		return nil
	}
	fields := slices.Clone(s.fields[i])
	k := n // of the text
	if in.Result() != 0 {
		k++
	}
	old := fields[k]
	fields[k] = "%seededi"
	return &seededEdit{
		at: i, lines: []string{"%seededi = OpIAdd " + idOf(t.ID) + " " + old + " %seeded", strings.Join(fields, " ")},
		globals: constantOf(t, "1000000", "%seeded"),
	}
}

// seedMissingStore removes all stores to a variable.
func seedMissingStore(s *seededShader, i int, _ *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if in.Op() != spirv.OpLoad {
		return nil
	}
	p := inst.Load(in).Pointer()
	v := s.facts.Variable(p)
	if v == nil || v.Init != 0 || v.Storage != spirv.StorageClassFunction && v.Storage != spirv.StorageClassPrivate || !v.Type.IsScalar() && !v.Type.IsVector() {
		return nil
	}
	if s.users(in.Result())[idOf(p)] { // a loop may not end
		return nil
	}
	e := &seededEdit{at: i, results: map[string]bool{}}
	for k := range s.lines {
		x := s.facts.Code.Inst(k)
		switch op := x.Op(); {
		case op == spirv.OpLoad && inst.Load(x).Pointer() == p: // any of the loads may have the report
			maps.Copy(e.results, s.users(x.Result()))
		case op == spirv.OpStore && spirv.ID(x[1]) == p:
			e.remove = append(e.remove, k)
		case op == spirv.OpLoad, op == spirv.OpName, op == spirv.OpDecorate, op == spirv.OpEntryPoint, op == spirv.OpVariable:
		case slices.Contains(s.fields[k], idOf(p)):
			return nil // other accesses may write it
		}
	}
	if len(e.remove) == 0 || !s.matters(in.Result()) {
		return nil
	}
	return e
}

// seedOutput removes all stores to an output that the next stage reads, or makes the only one conditional.
func seedOutput(s *seededShader, i int, r *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if in.Op() != spirv.OpStore || s.model == spirv.ExecutionModelTessellationControl || s.model == spirv.ExecutionModelMeshEXT || s.model == spirv.ExecutionModelMeshNV {
		return nil
	}
	root := s.rootOf(spirv.ID(in[1]))
	v := s.facts.Variable(pointerID(root))
	if v == nil || v.Storage != spirv.StorageClassOutput || !s.facts.Has(v.ID, spirv.DecorationLocation) {
		return nil
	}
	d, _ := s.facts.Decoration(v.ID, spirv.DecorationLocation)
	if s.model != spirv.ExecutionModelFragment && (!s.isRead(d.Literal()) || s.loads(v.ID)) {
		return nil
	}
	e := &seededEdit{at: i}
	for k := range s.lines {
		if x := s.facts.Code.Inst(k); x.Op() == spirv.OpStore && s.rootOf(spirv.ID(x[1])) == root {
			e.remove = append(e.remove, k)
		}
	}
	if s.model != spirv.ExecutionModelFragment && r.Intn(2) == 0 {
		return e
	}
	if len(e.remove) != 1 || s.model == spirv.ExecutionModelGeometry || s.facts.Const(spirv.ID(in[2])) != nil {
		return nil
	}
	if e = s.diverging(i, nil, nil, s.lines[i]); e != nil {
		e.lines = e.lines[:len(e.lines)-1]
		for k, l := range e.lines {
			// The subgroup of a small primitive may have one fragment: that one does not store.
			if f := strings.Fields(l); s.model == spirv.ExecutionModelFragment && f[0] == "OpBranchConditional" && f[1] == "%seedede" {
				e.lines[k] = strings.Join([]string{f[0], f[1], f[3], f[2]}, " ")
			}
		}
	}
	return e
}

// loads reports whether a shader reads an output of its own. If its position depends on the value, the primitives may have no fragments,
// and then no stage reads the output.
func (s *seededShader) loads(output spirv.ID) bool {
	for k := range s.lines {
		if in := s.facts.Code.Inst(k); in.Op() == spirv.OpLoad && pointerID(s.rootOf(inst.Load(in).Pointer())) == output {
			return true
		}
	}
	return false
}

// isRead reports whether a later stage of the script reads a Location.
func (s *seededShader) isRead(location uint32) bool {
	return slices.ContainsFunc(s.beside, func(o *seededShader) bool {
		for i, runs := range o.runs {
			in := o.facts.Code.Inst(i)
			if !runs || in.Op() != spirv.OpLoad || !s.precedes(o) {
				continue
			}
			v := o.facts.Variable(pointerID(o.rootOf(inst.Load(in).Pointer())))
			if v == nil || v.Storage != spirv.StorageClassInput {
				continue
			}
			if d, ok := o.facts.Decoration(v.ID, spirv.DecorationLocation); ok && d.Literal() == location {
				return true
			}
		}
		return false
	})
}

// stageOrder are the stages of draws, each before those that read its outputs.
var stageOrder = []amber.Stage{amber.Vertex, amber.TessellationControl, amber.TessellationEvaluation, amber.Geometry, amber.Task, amber.Mesh, amber.Fragment}

// precedes reports whether each pipeline with a shader has another one next.
func (s *seededShader) precedes(o *seededShader) bool {
	found := false
	for _, p := range s.script.Pipelines {
		of := func(x *seededShader) int {
			return slices.IndexFunc(p.Stages, func(a amber.Attachment) bool { return a.Shader == x.shader })
		}
		i, k := of(s), of(o)
		if i < 0 {
			continue
		}
		if k < 0 {
			return false
		}
		at := func(k int) int { return slices.Index(stageOrder, p.Stages[k].Stage) }
		for n := range p.Stages {
			if at(n) > at(i) && at(n) < at(k) || at(k) <= at(i) {
				return false
			}
		}
		found = true
	}
	return found
}

// namesOutput reports whether a message names the Location of the output of a store.
func namesOutput(s *seededShader, i int, message string) bool {
	v := s.facts.Variable(pointerID(s.rootOf(spirv.ID(s.facts.Code.Inst(i)[1]))))
	d, _ := s.facts.Decoration(v.ID, spirv.DecorationLocation)
	return strings.Contains(message, fmt.Sprintf("Location %d,", d.Literal()))
}

// seedBarrier removes a control barrier, its memory semantics, or makes its scopes the subgroup.
func seedBarrier(s *seededShader, i int, r *rand.Rand) *seededEdit {
	in := s.facts.Code.Inst(i)
	if in.Op() != spirv.OpControlBarrier || s.model == spirv.ExecutionModelTessellationControl || !s.sharesAfter(i) {
		return nil
	}
	uint, globals := s.scalarType("OpTypeInt 32 0")
	globals = append(globals, "%seeded0 = OpConstant "+uint+" 0", "%seeded3 = OpConstant "+uint+" 3")
	form := []string{"OpNop", "OpControlBarrier %%%d %%%d %%seeded0", "OpControlBarrier %%seeded3 %%seeded3 %%%[3]d"}[r.Intn(3)]
	line := form
	if form != "OpNop" {
		line = strings.Split(fmt.Sprintf(form, in[1], in[2], in[3]), "%!")[0]
	}
	return &seededEdit{at: i, lines: []string{line}, globals: globals, results: s.shared()}
}

// sharesAfter reports whether an access of workgroup memory may follow a barrier, which otherwise orders nothing.
func (s *seededShader) sharesAfter(i int) bool {
	shared := s.shared()
	start := s.facts.Block(pointerID(s.labelOf(i)))
	words := slices.Concat(s.fields[i:start.End]...)
	seen := map[*facts.Block]bool{}
	for next := slices.Clone(start.Succs); len(next) > 0; next = next[1:] {
		if b := next[0]; !seen[b] {
			seen[b] = true
			words = append(words, slices.Concat(s.fields[b.Index:b.End]...)...)
			next = append(next, b.Succs...)
		}
	}
	return slices.ContainsFunc(words, func(x string) bool { return shared[x] })
}

// shared returns the pointers of the accesses of workgroup memory: a race has two of them.
func (s *seededShader) shared() map[string]bool {
	list := map[string]bool{}
	for k := range s.lines {
		if in := s.facts.Code.Inst(k); in.Op() == spirv.OpAccessChain && s.facts.TypeOf(in.Result()).Storage == spirv.StorageClassWorkgroup {
			list[idOf(in.Result())] = true
		}
	}
	return list
}

// diverging returns an edit that runs instructions in one invocation of each subgroup, before instruction i. It is no helper invocation.
func (s *seededShader) diverging(i int, capabilities []string, globals []string, lines ...string) *seededEdit {
	in := s.facts.Code.Inst(i)
	if !isFloatOperation(in.Op()) && in.Op() != spirv.OpIAdd && in.Op() != spirv.OpStore {
		return nil
	}
	block := s.facts.Block(pointerID(s.labelOf(i)))
	if block == nil || block.Merge >= 0 && s.facts.Code.Inst(block.Merge).Op() == spirv.OpLoopMerge || s.continues(block) {
		return nil
	}
	boolean, more := s.scalarType("OpTypeBool")
	uint, types := s.scalarType("OpTypeInt 32 0")
	e := &seededEdit{at: i, relabel: "%seededend", head: []string{"OpCapability GroupNonUniform"}}
	for _, c := range capabilities {
		e.head = append(e.head, "OpCapability "+c)
	}
	e.globals = append(append(append(more, types...), "%seeded3 = OpConstant "+uint+" 3", "%seeded2 = OpConstant "+uint+" 2", "%seeded1 = OpConstant "+uint+" 1", "%seeded0 = OpConstant "+uint+" 0"), globals...)
	e.lines = []string{"%seedede = OpGroupNonUniformElect " + boolean + " %seeded3", "OpSelectionMerge %seededend None", "OpBranchConditional %seedede %seededone %seededend", "%seededone = OpLabel"}
	for _, l := range lines {
		e.lines = append(e.lines, strings.ReplaceAll(l, "%uint", uint))
	}
	e.lines = append(e.lines, "OpBranch %seededend", "%seededend = OpLabel", s.lines[i])
	e.fault = 3
	if s.model == spirv.ExecutionModelFragment {
		e.withoutHelpers(boolean)
	}
	return e
}

// withoutHelpers keeps helper invocations out of the lines of an edit by diverging: what they compute has no report.
func (e *seededEdit) withoutHelpers(boolean string) {
	e.head = append(e.head, "OpCapability DemoteToHelperInvocation", `OpExtension "SPV_EXT_demote_to_helper_invocation"`)
	last := len(e.lines) - 2
	list := []string{"%seededh = OpIsHelperInvocationEXT " + boolean, "OpSelectionMerge %seededend None", "OpBranchConditional %seededh %seededend %seededown", "%seededown = OpLabel"}
	for _, l := range e.lines[:last] {
		list = append(list, strings.ReplaceAll(l, "%seededend", "%seededmerge"))
	}
	e.lines = append(append(list, "%seededmerge = OpLabel", "OpBranch %seededend"), e.lines[last:]...)
	e.fault += 2
}

// continues reports whether a block is a continue target or branches back.
func (s *seededShader) continues(b *facts.Block) bool {
	for _, f := range s.fields {
		if len(f) > 2 && f[0] == "OpLoopMerge" && f[2] == idOf(b.ID) {
			return true
		}
	}
	return slices.ContainsFunc(b.Succs, func(to *facts.Block) bool { return to.Index <= b.Index })
}

// seedInactive reads the value of another invocation that is not active.
func seedInactive(s *seededShader, i int, _ *rand.Rand) *seededEdit {
	return s.diverging(i, []string{"GroupNonUniformShuffle"}, nil, "%seededx = OpGroupNonUniformShuffleXor %uint %seeded3 %seeded1 %seeded1")
}

// seedDerivative computes a derivative in one invocation.
func seedDerivative(s *seededShader, i int, _ *rand.Rand) *seededEdit {
	if s.model != spirv.ExecutionModelFragment {
		return nil
	}
	float, globals := s.scalarType("OpTypeFloat 32")
	return s.diverging(i, nil, append(globals, "%seededf = OpConstant "+float+" 1.5"), "%seededd = OpDPdx "+float+" %seededf")
}

// seedPartialBarrier waits for all invocations in one of each subgroup.
func seedPartialBarrier(s *seededShader, i int, _ *rand.Rand) *seededEdit {
	if s.model != spirv.ExecutionModelGLCompute && s.model != spirv.ExecutionModelTaskEXT && s.model != spirv.ExecutionModelMeshEXT {
		return nil
	}
	entry := s.facts.EntryPoints[0]
	if n := entry.LocalSize; n[0]*n[1]*n[2] < 2 {
		return nil
	}
	return s.diverging(i, nil, nil, "OpControlBarrier %seeded2 %seeded2 %seeded0")
}
