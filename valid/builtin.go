package valid

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// builtInFamily checks variables, members and constants decorated BuiltIn, in
// Vulkan (Vulkan, Built-In Variables): execution models, storage class and type.
//
// The rules that all built-ins share are rows of builtin_table.go, interpreted
// here. Rules of single built-ins are in builtin_own.go and builtin_mesh.go,
// array dimensions in builtin_array.go, indices and stored values in
// builtin_access.go. The decorations are collected during the walk and checked
// after it, since the models of a variable depend on the call graph. Capabilities
// of built-ins are checked by capability.go.
var builtInFamily = family{
	rules: slices.Concat(rowRules(), ownBuiltInRules, builtInArrayRules),
	insts: map[spirv.Op]judge{
		spirv.OpDecorate:            builtInJudge((*builtIns).noteBuiltIn),
		spirv.OpMemberDecorate:      builtInJudge((*builtIns).noteBuiltIn),
		spirv.OpGroupDecorate:       builtInJudge((*builtIns).noteBuiltInGroup),
		spirv.OpGroupMemberDecorate: builtInJudge((*builtIns).noteBuiltInGroup),
	},
	after: []func(*checker){func(c *checker) { c.builtIn.check() }},
}

// builtInRow is the rules of one built-in. A rule without a code does not exist.
type builtInRow struct {
	builtIn spirv.BuiltIn

	in     modelSet // the models that may use it
	inCode string

	classes []classRule

	form     builtInForm
	formCode string
	other    builtInForm // the type in another specification; accepted too, if set
}

// classRule is the storage classes of a built-in in a set of models.
type classRule struct {
	models  modelSet
	allowed classSet
	code    string
}

// always is the models of a class rule that applies to every variable, used or
// not.
const always modelSet = 0

// classSet is a set of storage classes.
type classSet uint8

// The storage classes that built-ins may have.
const (
	inputClass classSet = 1 << iota
	outputClass
	constantClass
)

// classOf returns the set of one class; 0 if no built-in may have it.
func classOf(s spirv.StorageClass) classSet {
	switch s {
	case spirv.StorageClassInput:
		return inputClass
	case spirv.StorageClassOutput:
		return outputClass
	case spirv.StorageClassUniformConstant:
		return constantClass
	}
	return 0
}

// String returns the names of the classes.
func (s classSet) String() string {
	var names []string
	for i, n := range [...]spirv.StorageClass{spirv.StorageClassInput, spirv.StorageClassOutput, spirv.StorageClassUniformConstant} {
		if s>>i&1 != 0 {
			names = append(names, n.String())
		}
	}
	return or(names)
}

// rowRules generates the rules of the rows with their texts.
func rowRules() []Rule {
	var out []Rule
	add := func(code, words string, args ...any) {
		if code != "" {
			out = append(out, Rule{Code: code, Section: "Vulkan, Built-In Variables", Words: fmt.Sprintf(words, args...)})
		}
	}
	for _, r := range builtInRows {
		add(r.inCode, "%s is only used in %s entry points", r.builtIn, r.in)
		for _, k := range r.classes {
			where := ""
			if k.models != always {
				where = " in " + k.models.String() + " entry points"
			}
			add(k.code, "a variable that is %s%s has the storage class %s", r.builtIn, where, k.allowed)
		}
		add(r.formCode, "%s is %s", r.builtIn, r.form)
	}
	return out
}

// rowOf maps each built-in to its row; renamedRows to the row of its earlier name,
// which has rules of its own.
var rowOf, renamedRows = func() (rows, renamed map[spirv.BuiltIn]*builtInRow) {
	rows, renamed = map[spirv.BuiltIn]*builtInRow{}, map[spirv.BuiltIn]*builtInRow{}
	for i := range builtInRows {
		b := builtInRows[i].builtIn
		if rows[b] == nil {
			rows[b] = &builtInRows[i]
		} else {
			renamed[b] = &builtInRows[i]
		}
	}
	return rows, renamed
}()

// row returns the row of a built-in under the name that the module's extensions
// define; nil if it has none.
func (c *subject) row(b spirv.BuiltIn) *builtInRow {
	if r := renamedRows[b]; r != nil && c.m.Extension("SPV_NV_shading_rate") {
		return r
	}
	return rowOf[b]
}

// builtInJudge makes a check of built-ins a judge.
func builtInJudge(check func(c *builtIns, i int, in spirv.Inst)) judge {
	return func(c *checker, i int, in spirv.Inst) { check(&c.builtIn, i, in) }
}

// builtIns checks built-ins. It collects the BuiltIn decorations of a module, which
// other families read after the walk.
type builtIns struct {
	*callGraph
	noted  []builtInNote
	blocks map[*facts.Type][]*facts.Variable // variables of each block with built-in members
	tiles  bool                              // an entry point has TileShadingRateQCOM
}

// builtInNote is one BuiltIn decoration of an id or of a struct member.
type builtInNote struct {
	at      int // the decoration instruction
	target  spirv.ID
	member  int // −1 for the id itself
	builtIn spirv.BuiltIn
}

// noteBuiltIn records a decoration for check, which needs the call graph.
func (c *builtIns) noteBuiltIn(i int, in spirv.Inst) {
	if !c.vulkan {
		return
	}
	n := builtInNote{at: i, member: -1}
	var kind spirv.Decoration
	var words []uint32
	if in.Op() == spirv.OpDecorate {
		v := inst.Decorate(in)
		n.target, kind, words = v.Target(), v.Decoration(), v.DecorationWords()
	} else {
		v := inst.MemberDecorate(in)
		n.target, n.member, kind, words = v.StructureType(), int(v.Member()), v.Decoration(), v.DecorationWords()
	}
	if kind == spirv.DecorationBuiltIn && len(words) > 0 {
		n.builtIn = spirv.BuiltIn(words[0])
		c.noted = append(c.noted, n)
		if n.member >= 0 {
			c.memberBuiltIn(i, n.builtIn)
		}
	}
}

// memberBuiltIn checks a built-in of a member: a built-in that no stage passes to
// the next one cannot be in a block.
func (c *subject) memberBuiltIn(i int, b spirv.BuiltIn) {
	switch b {
	case spirv.BuiltInNumSubgroups, spirv.BuiltInSubgroupId, spirv.BuiltInSubgroupSize, spirv.BuiltInSubgroupLocalInvocationId,
		spirv.BuiltInSubgroupEqMask, spirv.BuiltInSubgroupGeMask, spirv.BuiltInSubgroupGtMask, spirv.BuiltInSubgroupLeMask,
		spirv.BuiltInSubgroupLtMask:
		c.fail(i, "SPV-Decoration-BuiltIn", "BuiltIn %s on a member; must be on a variable", b)
	}
}

// noteBuiltInGroup records the targets of a decoration group.
func (c *builtIns) noteBuiltInGroup(i int, in spirv.Inst) {
	if !c.vulkan {
		return
	}
	if in.Op() == spirv.OpGroupDecorate {
		v := inst.GroupDecorate(in)
		if d, ok := c.m.Decoration(v.DecorationGroup(), spirv.DecorationBuiltIn); ok {
			for _, id := range v.Targets() {
				c.noted = append(c.noted, builtInNote{i, id, -1, spirv.BuiltIn(d.Literal())})
			}
		}
		return
	}
	v := inst.GroupMemberDecorate(in)
	if d, ok := c.m.Decoration(v.DecorationGroup(), spirv.DecorationBuiltIn); ok {
		for _, t := range v.Targets() {
			c.noted = append(c.noted, builtInNote{i, spirv.ID(t[0]), int(t[1]), spirv.BuiltIn(d.Literal())})
		}
	}
}

// check checks the recorded decorations, in order of the instructions.
func (c *builtIns) check() {
	if len(c.noted) == 0 {
		return
	}
	c.blockVariables()
	c.tiles = slices.ContainsFunc(c.m.EntryPoints, func(e facts.EntryPoint) bool {
		return e.HasMode(spirv.ExecutionModeTileShadingRateQCOM)
	})
	slices.SortStableFunc(c.noted, func(x, y builtInNote) int { return x.at - y.at })
	for k := range c.noted {
		n := &c.noted[k]
		if n.member < 0 {
			if v := c.m.Variable(n.target); v != nil {
				c.builtInVariable(n, v, v.Type)
			} else if k := c.m.Const(n.target); k != nil {
				c.builtInConstant(n, k)
			}
			continue
		}
		s := c.m.Type(n.target)
		if s == nil || n.member >= len(s.Members) {
			continue
		}
		c.builtInMember(n, s)
	}
	c.builtInOwn()
	c.builtInArrays()
}

// blockVariables collects the variables of each block with built-in members.
func (c *builtIns) blockVariables() {
	noted := func(n builtInNote) bool { return n.member >= 0 }
	if !slices.ContainsFunc(c.noted, noted) {
		return
	}
	of := map[*facts.Type][]*facts.Variable{}
	for _, n := range c.noted {
		if s := c.m.Type(n.target); noted(n) && s != nil {
			of[s] = nil
		}
	}
	for i := range c.m.Variables {
		v := &c.m.Variables[i]
		if s := core(v.Type); s.IsStruct() {
			if list, ok := of[s]; ok {
				of[s] = append(list, v)
			}
		}
	}
	c.blocks = of
}

// core returns the innermost element type of arrays.
func core(t *facts.Type) *facts.Type {
	for t != nil && (t.IsArray() || t.IsRuntimeArray()) {
		t = t.Elem
	}
	return t
}

// builtInMember checks a struct member in each variable of the struct.
func (c *builtIns) builtInMember(n *builtInNote, s *facts.Type) {
	t := s.Members[n.member].Type
	if n.builtIn == spirv.BuiltInWorkgroupSize && !c.tiles {
		c.fail(n.at, vuid.WorkgroupSize_04426, "WorkgroupSize is a member of %s; must be a constant", c.name(s.ID)).also(c, s.Index, "the struct")
	}
	c.builtInType(n, t, nil, 0)
	for _, v := range c.blocks[s] {
		c.builtInUse(n, v)
	}
}

// builtInVariable checks a variable.
func (c *builtIns) builtInVariable(n *builtInNote, v *facts.Variable, t *facts.Type) {
	c.builtInType(n, t, v, c.usedBy(v))
	c.builtInUse(n, v)
}

// builtInType checks the type of a decorated variable, member or constant. If the
// interface of a model is an array with one element per vertex or primitive,
// that array is not part of the built-in's type.
func (c *builtIns) builtInType(n *builtInNote, t *facts.Type, v *facts.Variable, used modelSet) {
	row := c.row(n.builtIn)
	if row == nil || row.formCode == "" || t == nil {
		return
	}
	if first, ok := firstForms[n.builtIn]; ok && c.first() {
		if !first.holds(t) {
			c.fail(n.at, row.formCode, "%s is %s; must be %s in the text of Vulkan 1.0", n.builtIn, c.typeName(t), first)
		}
		return
	}
	if row.form.holds(t) || row.other != (builtInForm{}) && row.other.holds(t) {
		return
	}
	if v != nil && t.IsArray() && t.Elem != nil && row.form.holds(t.Elem) && c.eachHasOne(n, v, used) {
		return
	}
	if n.builtIn == spirv.BuiltInViewportMaskPerViewNV && c.builtInDecorated(n, spirv.DecorationPerViewNV) && t.IsArray() && row.form.holds(t.Elem) {
		return // the outer array has one mask for each view (SPV_NV_mesh_shader)
	}
	if n.member < 0 && used == inMeshEXT && perPrimitive(n.builtIn) {
		return // builtin_mesh.go checks it
	}
	c.fail(n.at, row.formCode, "%s is %s; must be %s", n.builtIn, c.typeName(t), row.form)
}

// inputOrOutput returns the rule that a built-in is an input or an output; nil if
// there is none. A variable that is neither violates this rule first.
func (r *builtInRow) inputOrOutput() *classRule {
	for i := range r.classes {
		if r.classes[i].allowed == inputClass|outputClass {
			return &r.classes[i]
		}
	}
	return nil
}

// builtInUse checks the storage class of a variable and the models that use it.
func (c *builtIns) builtInUse(n *builtInNote, v *facts.Variable) {
	row := c.row(n.builtIn)
	if row == nil {
		return
	}
	used := c.usedBy(v)
	if bad := used &^ row.in; row.inCode != "" && bad != 0 {
		c.fail(n.at, row.inCode, "%s in a variable that a %s entry point uses; must be in %s", n.builtIn, bad, row.in).also(c, v.Index, "the variable")
	} else if bad := c.listedBy(v) &^ row.in; row.inCode != "" && bad != 0 {
		// Without a reading this is a warning, because other validators look at uses alone.
		// Each text counts the variables in the interface of an entry point.
		c.fail(n.at, row.inCode, "%s in a variable that a %s entry point lists and does not use; must be in %s", n.builtIn, bad, row.in).also(c, v.Index, "the variable").unstated(c.env.Reading == facts.ReadingDefault)
	}
	class := classOf(v.Storage)
	if k := row.inputOrOutput(); class == 0 && k != nil {
		c.fail(n.at, k.code, "%s has the storage class %s; must be %s", n.builtIn, v.Storage, k.allowed).also(c, v.Index, "the variable")
		return
	}
	for _, k := range row.classes {
		if class&k.allowed != 0 || k.models != always && used&k.models == 0 {
			continue
		}
		where := ""
		if k.models != always {
			where = " in a " + (used & k.models).String() + " entry point"
		}
		c.fail(n.at, k.code, "%s has the storage class %s%s; must be %s", n.builtIn, v.Storage, where, k.allowed).also(c, v.Index, "the variable").unstated(c.first() && firstUnstated[k.code])
	}
}
