package link_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vuid"
)

var (
	pairs    = flag.Int("pairs", 400, "how many pairs of stages TestStagePairs makes")
	pairSeed = flag.Int("pairseed", 0, "the seed of the first pair")
)

// cell is the content of one word of a Location.
type cell struct {
	number
	first [2]int // the first word of the vector
	depth int    // how many structs are around it
	plain bool   // in no array or matrix
	whole string // the declaration that it is a part of, and the first word of that declaration
	of    *sharing
}

// place is one word: a Location and a component. Patches have Locations of their
// own.
type place struct {
	location, component int
	patch               bool
}

// cells returns the content of each word of one side: the rule of the test, written from
// Location and Component Assignment.
func cells(side []sharing) map[place]cell {
	out := map[place]cell{}
	for i := range side {
		v := &side[i]
		if v.location < 0 {
			for _, m := range v.of.members {
				m.of.cells(out, v, m.location, max(m.component, 0), nil, 1)
			}
			continue
		}
		v.of.cells(out, v, v.location, max(v.component, 0), nil, 0)
	}
	return out
}

// cells adds the words of one shape and returns the next free Location; whole is the
// declaration that it is a part of, or nil for the start of a declaration; depth is the
// number of enclosing structs.
func (s shape) cells(out map[place]cell, v *sharing, location, component int, whole *cell, depth int) int {
	if whole == nil && len(s.members) == 0 {
		whole = &cell{s.number, [2]int{}, depth, len(s.arrays) == 0 && s.cols == 1, fmt.Sprint(s.number, s.arrays, location, component, depth), v}
	}
	if len(s.arrays) > 0 {
		one := s
		one.arrays = s.arrays[1:]
		for range s.arrays[0] {
			location = one.cells(out, v, location, component, whole, depth)
		}
		return location
	}
	for _, m := range s.members {
		location = m.of.cells(out, v, location, 0, nil, depth+1)
	}
	if len(s.members) > 0 {
		return location
	}
	words := s.rows
	if s.width == 64 {
		words *= 2
	}
	for range s.cols {
		for k := range words {
			at, c := component+k, *whole
			c.first = [2]int{location, component}
			out[place{location + at/4, at % 4, v.patch}] = c
		}
		location += (component + words + 3) / 4
	}
	return location
}

// expected returns the rules that a pair breaks. Unread outputs are fine, and so are
// different decorations for interpolation and precision, and a longer vector in the output
// if maintenance4 is enabled.
func expected(out, in []sharing, maintenance4 bool) (codes []string) {
	add := func(code string) {
		if !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	have := cells(out)
	for at, i := range cells(in) {
		o, ok := have[at]
		if !ok {
			at.patch = !at.patch
			o, ok = have[at]
		}
		switch {
		case !ok:
			add(vuid.RuntimeSpirv_OpEntryPoint_08743)
			continue
		case o.kind != i.kind || o.width != i.width:
			add(vuid.RuntimeSpirv_OpEntryPoint_07754)
			continue
		}
		if o.of.patch != i.of.patch || o.of.primitive != i.of.primitive || o.of.block != i.of.block {
			add(vuid.RuntimeSpirv_OpVariable_08746)
		}
		longer := o.first == i.first && o.rows > i.rows && i.rows > 1
		if longer && !maintenance4 {
			add(vuid.RuntimeSpirv_maintenance4_06817)
		}
		if narrowed := longer && o.plain && i.plain && o.depth == i.depth; o.whole != i.whole && !narrowed {
			add("SPV-Interface-Type")
		}
	}
	return codes
}

// pairShader makes a stage from a text; an error is a finding of package valid.
func pairShader(text, stage string, env *valid.Env) (*link.Shader, error) {
	words, err := asm.Assemble([]byte(text), asm.AssembleOptions{Version: env.SPIRV})
	if err != nil {
		return nil, err
	}
	m, err := spirv.FromWords(words)
	if err != nil {
		return nil, err
	}
	f := facts.Gather(m, nil)
	report, err := valid.Check(context.Background(), f, env, valid.Options{})
	if err != nil {
		return nil, err
	}
	for i := range report.Findings {
		if x := &report.Findings[i]; x.Severity == diag.Error {
			return nil, fmt.Errorf("%s: %s [%s]", stage, x.Message, x.Code)
		}
	}
	v := valid.Assume(f)
	return &link.Shader{File: stage, Module: v, Entry: iface.Reflect(v)[0]}, nil
}

// linkPair links two stages and returns the codes that are found, without those
// of stages that are missing.
func linkPair(stages [2]string, out, in []sharing, maintenance4 bool, env *valid.Env) (codes []string, texts string, err error) {
	a, b := stageModule(stages[0], false, out), stageModule(stages[1], true, in)
	texts = "-- " + stages[0] + " --\n" + a + "-- " + stages[1] + " --\n" + b
	d := &link.Description{Env: env, Library: true, Device: &valid.Device{Features: map[string]bool{"maintenance4": maintenance4}}}
	for k, text := range []string{a, b} {
		s, err := pairShader(text, stages[k], env)
		if err != nil {
			return nil, texts, err
		}
		d.Stages = append(d.Stages, *s)
	}
	for _, x := range link.Link(d) {
		if !slices.Contains(codes, x.Code) {
			codes = append(codes, x.Code)
		}
		texts += x.Code + ": " + x.Message + "\n"
	}
	return codes, texts, nil
}

// change changes one thing of one side and reports whether there was such a
// thing.
type change struct {
	name  string
	apply func(r *rand.Rand, side *[]sharing) bool
}

// anyNumber returns a shape of a side that consists of numbers only, and pointers to its
// Location and Component, or nil if they follow from the enclosing declaration.
func anyNumber(r *rand.Rand, side []sharing) (s *shape, location, component *int) {
	if len(side) == 0 {
		return nil, nil, nil
	}
	v := &side[r.IntN(len(side))]
	s, location, component = &v.of, &v.location, &v.component
	for depth := 0; len(s.members) > 0; depth++ {
		m := &s.members[r.IntN(len(s.members))]
		s, location, component = &m.of, nil, nil
		if m.location >= 0 && depth == 0 {
			location, component = &m.location, &m.component
		}
	}
	return s, location, component
}

// toNumber makes a change of a number.
func toNumber(name string, f func(r *rand.Rand, s *shape) bool) change {
	return change{name, func(r *rand.Rand, side *[]sharing) bool {
		s, _, _ := anyNumber(r, *side)
		return s != nil && f(r, s)
	}}
}

// toVariable makes a change of a variable.
func toVariable(name string, f func(r *rand.Rand, v *sharing) bool) change {
	return change{name, func(r *rand.Rand, side *[]sharing) bool {
		return len(*side) > 0 && f(r, &(*side)[r.IntN(len(*side))])
	}}
}

// changes are all that may be changed.
var changes = []change{
	{"a variable is missing", func(r *rand.Rand, side *[]sharing) bool {
		if len(*side) == 0 {
			return false
		}
		k := r.IntN(len(*side))
		*side = slices.Delete(*side, k, k+1)
		return true
	}},
	{"a variable more", func(r *rand.Rand, side *[]sharing) bool {
		*side = append(*side, sharing{of: shape{number: number{'f', 32, 1 + r.IntN(4), 1}}, location: 28 + r.IntN(3), component: -1})
		return true
	}},
	toNumber("another kind", func(r *rand.Rand, s *shape) bool {
		if s.cols > 1 {
			return false
		}
		s.kind = map[byte]string{'f': "iu", 'i': "fu", 'u': "fi"}[s.kind][r.IntN(2)]
		return true
	}),
	toNumber("another width", func(r *rand.Rand, s *shape) bool {
		s.width = map[int][]int{16: {32, 64}, 32: {16, 64}, 64: {16, 32}}[s.width][r.IntN(2)]
		return true
	}),
	toNumber("another number of components", func(r *rand.Rand, s *shape) bool {
		s.rows = 1 + (s.rows+r.IntN(3))%4
		return s.cols == 1 || s.rows > 1
	}),
	toNumber("another number of columns", func(_ *rand.Rand, s *shape) bool {
		s.cols = 2 + (s.cols-1)%3
		return s.kind == 'f' && s.rows > 1
	}),
	toNumber("an array of another length", func(r *rand.Rand, s *shape) bool {
		if len(s.arrays) == 0 {
			return false
		}
		k := r.IntN(len(s.arrays))
		s.arrays[k] += 1 - 2*r.IntN(2)
		return s.arrays[k] > 0
	}),
	toNumber("an array more or less", func(r *rand.Rand, s *shape) bool {
		if len(s.arrays) > 0 && r.IntN(2) == 0 {
			s.arrays = s.arrays[1:]
		} else {
			s.arrays = append(s.arrays, 1+r.IntN(3))
		}
		return true
	}),
	{"another Location", func(r *rand.Rand, side *[]sharing) bool {
		_, location, _ := anyNumber(r, *side)
		if location == nil || *location < 0 {
			return false
		}
		before := *location
		*location = 28 + r.IntN(3)
		if r.IntN(2) == 0 {
			*location = r.IntN(28)
		}
		return *location != before
	}},
	{"another Component", func(r *rand.Rand, side *[]sharing) bool {
		s, _, component := anyNumber(r, *side)
		if component == nil || s.cols > 1 || len(s.arrays) > 0 {
			return false
		}
		before := max(*component, 0)
		*component = r.IntN(4)
		return *component != before
	}},
	{"members in another order", func(r *rand.Rand, side *[]sharing) bool {
		if len(*side) == 0 {
			return false
		}
		m := (*side)[r.IntN(len(*side))].of.members
		if len(m) < 2 {
			return false
		}
		k := r.IntN(len(m) - 1)
		m[k], m[k+1] = m[k+1], m[k]
		return true
	}},
	toVariable("a member is missing", func(r *rand.Rand, v *sharing) bool {
		if len(v.of.members) < 2 {
			return false
		}
		k := r.IntN(len(v.of.members))
		v.of.members = slices.Delete(v.of.members, k, k+1)
		return true
	}),
	toVariable("a struct that is a block, or is none", func(_ *rand.Rand, v *sharing) bool {
		v.block = !v.block
		return len(v.of.members) > 0 && v.location >= 0
	}),
	{"a block as variables of their own", func(r *rand.Rand, side *[]sharing) bool {
		k := slices.IndexFunc(*side, func(v sharing) bool { return v.block })
		if k < 0 {
			return false
		}
		v := (*side)[k]
		*side = slices.Delete(*side, k, k+1)
		at := v.location
		for _, m := range v.of.members {
			x := v
			x.of, x.block, x.location, x.component = m.of, false, at, -1
			if m.location >= 0 {
				x.location, x.component = m.location, m.component
			}
			at += m.of.slots()
			*side = append(*side, x)
		}
		return true
	}},
	toVariable("Patch", func(_ *rand.Rand, v *sharing) bool { v.patch = !v.patch; return true }),
	toVariable("PerPrimitiveEXT", func(_ *rand.Rand, v *sharing) bool {
		v.primitive = !v.primitive
		return !v.perVertex
	}),
	toVariable("another decoration of interpolation", func(r *rand.Rand, v *sharing) bool {
		v.marks = []string{"Flat", "NoPerspective", "Centroid", "Sample"}[r.IntN(4):][:1]
		return true
	}),
}

// TestStagePairs makes stages that match, which must be valid and link, and then changes
// one property of one side, which must be found unless the rule of the test allows it.
// Package valid covers a change that makes a stage invalid.
func TestStagePairs(t *testing.T) {
	env, _ := valid.ParseEnv("vulkan1.4")
	how := map[string]*[4]int{} // found, allowed, invalid, all
	for i := range *pairs {
		n := *pairSeed + i
		r := rand.New(rand.NewPCG(uint64(n), 1))
		s := stagePairs[r.IntN(len(stagePairs))]
		g := &pairMaker{Rand: r, out: s[0], in: s[1]}
		out, in := g.sides()
		maintenance4 := r.IntN(2) == 0
		codes, texts, err := linkPair(s, out, in, maintenance4, env)
		if err != nil {
			t.Fatalf("pair %d: %v\n%s", n, err, texts)
		}
		if len(codes) > 0 {
			t.Fatalf("pair %d matches; found\n%s", n, texts)
		}
		if want := expected(out, in, maintenance4); len(want) > 0 {
			t.Fatalf("pair %d: the rule of the test reports %v for a pair that matches\n%s", n, want, texts)
		}
		side := &out
		if r.IntN(2) == 0 {
			side = &in
		}
		c := changed(r, s, side, side == &in)
		if how[c.name] == nil {
			how[c.name] = new([4]int)
		}
		how[c.name][3]++
		codes, texts, err = linkPair(s, out, in, maintenance4, env)
		if err != nil {
			how[c.name][2]++
			continue
		}
		want := expected(out, in, maintenance4)
		switch {
		case len(want) == 0 && len(codes) == 0:
			how[c.name][1]++
		case len(want) == 0 || len(codes) == 0 || slices.ContainsFunc(codes, func(c string) bool { return !slices.Contains(want, c) }):
			t.Fatalf("pair %d, changed: %s: found %v; must be of %v\n%s", n, c.name, codes, want, texts)
		default:
			how[c.name][0]++
		}
	}
	if *pairs < 100 {
		return
	}
	var b strings.Builder
	for _, c := range changes {
		h := how[c.name]
		if h == nil {
			continue
		}
		fmt.Fprintf(&b, "\n%-40s %6d changed: %6d found, %6d allowed, %6d not valid", c.name, h[3], h[0], h[1], h[2])
	}
	t.Log(b.String())
}

// changed changes one thing of a side.
func changed(r *rand.Rand, s [2]string, side *[]sharing, input bool) change {
	for {
		c, try := changes[r.IntN(len(changes))], cloneSide(*side)
		if c.apply(r, &try) && possible(s, try, input) {
			*side = try
			return c
		}
	}
}

// possible reports whether a stage can have such variables at all.
func possible(s [2]string, side []sharing, input bool) bool {
	for i := range side {
		v := &side[i]
		switch {
		case v.patch && s[0] != "tesc", v.primitive && s[0] != "mesh":
			return false
		case v.perVertex && !input:
			return false
		}
	}
	return true
}

// payloadModule writes a task or mesh stage with a payload.
func payloadModule(stage string, of shape) string {
	w := &stageText{known: map[string]bool{}}
	w.length(0)
	t := w.typ(of, nil)
	w.declare("%pointer", "OpTypePointer TaskPayloadWorkgroupEXT "+t)
	w.declare("%payload", "OpVariable %pointer TaskPayloadWorkgroupEXT")
	model, modes, end := "TaskEXT", "OpExecutionMode %main LocalSize 1 1 1\n", "OpEmitMeshTasksEXT %n0 %n0 %n0 %payload"
	if stage == "mesh" {
		model, modes, end = stages[stage].model, stages[stage].modes, "%got = OpLoad "+t+" %payload\n"+stages[stage].end
	}
	return "OpCapability MeshShadingEXT\nOpCapability Float16\nOpCapability Int16\nOpCapability Float64\nOpCapability Int64\nOpExtension \"SPV_EXT_mesh_shader\"\n" +
		"OpMemoryModel Logical GLSL450\nOpEntryPoint " + model + " %main \"main\" %payload\n" + modes +
		"%void = OpTypeVoid\n%fn = OpTypeFunction %void\n" + w.types.String() + "%main = OpFunction %void None %fn\n%begin = OpLabel\n" + end + "\nOpFunctionEnd\n"
}

// TestTaskPayloads makes task and mesh stages that share a payload, and then
// changes one thing of it on one side.
func TestTaskPayloads(t *testing.T) {
	env, _ := valid.ParseEnv("vulkan1.4")
	judge := func(n int, task, mesh shape) []link.Finding {
		d := &link.Description{Env: env}
		for _, k := range []struct {
			stage string
			of    shape
		}{{"task", task}, {"mesh", mesh}} {
			text := payloadModule(k.stage, k.of)
			s, err := pairShader(text, k.stage, env)
			if err != nil {
				t.Fatalf("pair %d: %v\n%s", n, err, text)
			}
			d.Stages = append(d.Stages, *s)
		}
		return link.Link(d)
	}
	for i := range max(*pairs/4, 1) {
		n := *pairSeed + i
		r := rand.New(rand.NewPCG(uint64(n), 2))
		g := &pairMaker{Rand: r}
		of := g.structure(2)
		if found := judge(n, of, of); len(found) > 0 {
			t.Fatalf("pair %d, %v, matches; found %v", n, of, found)
		}
		side := []sharing{{of: of, location: -1, component: -1}}
		c := changed(r, [2]string{}, &side, false)
		if len(side) != 1 {
			continue
		}
		found, same := judge(n, of, side[0].of), fmt.Sprint(of) == fmt.Sprint(side[0].of)
		if same != (len(found) == 0) || len(found) > 0 && (len(found) != 1 || found[0].Code != "SPV-TaskPayload-Type") {
			t.Fatalf("pair %d, changed: %s, from %v to %v: found %v", n, c.name, of, side[0].of, found)
		}
	}
}
