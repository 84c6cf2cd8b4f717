package oracle

import (
	"strings"
	"testing"
)

// TestOutside checks "Robust Buffer Access": a store that leaves the range may "modify values within the memory range(s) bound to the
// underlying buffer", also before another invocation loads them; and "any access of the same type … that is less than 16 bytes away
// from the first access may behave as if it is also outside of the checked range."
func TestOutside(t *testing.T) {
	const select1 = "%t = OpIEqual %bool %i %u1\nOpSelectionMerge %e None\nOpBranchConditional %t %x %e\n%x = OpLabel\n"
	const end = "OpBranch %e\n%e = OpLabel\n"
	far := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}
	for _, c := range []struct {
		name, body string
		in         []float32
		any        bool // the numbers of the output may have any value
	}{
		{"the second invocation stores outside, the first loads", "%p9 = OpAccessChain %pfloat %in %u0 %u9\n" + select1 + "OpStore %p9 %f1\n" + end + "%r = OpCopyObject %float %a", far, true},
		{"the second invocation stores inside of another buffer", "%po9 = OpAccessChain %pfloat %out %u0 %u2\n" + select1 + "OpStore %po9 %f1\n" + end + "%r = OpCopyObject %float %a", far, false},
		{"the second invocation loads 24 bytes behind", "%p9 = OpAccessChain %pfloat %in %u0 %u9\n" + select1 + "%y = OpLoad %float %p9\n" + end + "%r = OpCopyObject %float %c", far, false},
		{"the second invocation loads 12 bytes behind", "%p9 = OpAccessChain %pfloat %in %u0 %u9\n" + select1 + "%y = OpLoad %float %p9\n" + end +
			"%u5 = OpIAdd %uint %u9 %n4\n%p5 = OpAccessChain %pfloat %in %u0 %u5\n%r = OpLoad %float %p5", far, true},
	} {
		text := strings.Replace(head, "%main = OpFunction", "%n4 = OpConstant %uint 4294967292\n%main = OpFunction", 1) + c.body + tail
		r := runText(t, text, 2, 3, c.in...)
		if r.Undecided != "" {
			t.Errorf("%s: undecided: %s", c.name, r.Undecided)
			continue
		}
		list, _ := r.Permitted(Place{0, 1})
		if len(list) < 2 || list[0].Any != c.any || list[1].Any != c.any {
			t.Errorf("%s: permitted %+v; must be any values: %v", c.name, list, c.any)
		}
	}
}

// TestRobust2 checks "Robust Buffer Access 2": reads outside of the range, which may be rounded up to an alignment, "will return zero
// values"; "writes … will not modify any memory"; and a value that the same invocation has stored there may be loaded.
func TestRobust2(t *testing.T) {
	far := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}
	const p9 = "%p9 = OpAccessChain %pfloat %in %u0 %u9\n"
	for _, c := range []struct {
		name, body string
		uniform    bool
		want       string // of the output
	}{
		{"a load", p9 + "%r = OpLoad %float %p9", false, "0"},
		{"a load near it", p9 + "%y = OpLoad %float %p9\n%r = OpCopyObject %float %c", false, "3"},
		{"a store, and a load inside", p9 + "OpStore %p9 %f1\n%r = OpLoad %float %p1", false, "2"},
		{"a store, and a load of its place", p9 + "OpStore %p9 %f1\n%r = OpLoad %float %p9", false, "any value"},
		{"a load before a store", p9 + "%r = OpLoad %float %p9\nOpStore %p9 %f1", false, "any value"}, // of another execution
		{"an atomic", p9 + "%y = OpAtomicFAddEXT %float %p9 %u1 %u0 %f1\n%r = OpLoad %float %p1", false, "2"},
		{"a uniform buffer, before the alignment", p9 + "%r = OpLoad %float %p9", true, "any value"},
		{"a uniform buffer", "%p64 = OpAccessChain %pfloat %in %u0 %u64\n%r = OpLoad %float %p64", true, "0"},
	} {
		text := strings.Replace(head, "OpCapability Shader", "OpCapability Shader\nOpCapability AtomicFloat32AddEXT\nOpExtension \"SPV_EXT_shader_atomic_float_add\"", 1)
		text = strings.Replace(text, "%u9 =", "%u64 = OpConstant %uint 64\n%u9 =", 1) + c.body + tail
		if c.uniform {
			text = strings.ReplaceAll(text, "StorageBuffer", "Uniform")
		}
		job := jobOf(t, text, 1, 1, far...)
		job.Robust2 = map[Place]bool{{0, 0}: true, {0, 1}: true}
		r := runJob(t, job)
		list, any := r.Permitted(Place{0, 1})
		if any || len(list) != 1 || list[0].String() != c.want {
			t.Errorf("%s: permitted %v, %s; must be %s", c.name, list, r.Undecided, c.want)
		}
	}
}

// TestPushInside checks that push constants keep their values: they have no other accesses near them.
func TestPushInside(t *testing.T) {
	text := strings.Replace(head, "OpDecorate %id", "OpDecorate %args Block\nOpMemberDecorate %args 0 Offset 0\nOpDecorate %id", 1)
	text = strings.Replace(text, "%main = OpFunction", "%args = OpTypeStruct %float\n%pargs = OpTypePointer PushConstant %args\n%pf = OpTypePointer PushConstant %float\n"+
		"%push = OpVariable %pargs PushConstant\n%main = OpFunction", 1)
	job := jobOf(t, text+"%pp = OpAccessChain %pf %push %u0\n%r = OpLoad %float %pp"+tail, 1, 1, 0, 0, 0)
	job.Push = floats(0.3)
	r, err := Run(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	if list := r.Judge(map[Place][]byte{{0, 1}: floats(0.4)}); len(list) != 1 {
		t.Errorf("%d violations; must have one", len(list))
	}
}

// TestLimits checks that a workgroup whose invocations do not fit in memory has no verdict.
func TestLimits(t *testing.T) {
	r := runText(t, strings.Replace(head, "LocalSize 1 1 1", "LocalSize 1048576 1 1", 1)+"%r = OpCopyObject %float %a"+tail, 1, 1, 0, 0, 0)
	if !strings.Contains(r.Undecided, "a workgroup of more than 4096 invocations") {
		t.Errorf("undecided: %q", r.Undecided)
	}
}
