package conformance

import (
	"errors"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	reporting "github.com/chiaro-gpu/chiaro/internal/shader"
)

// raceCase is a shader whose accesses are ordered by Vulkan's memory model ("Memory Model", "Data Race"), or race.
type raceCase struct {
	name          string
	lanes, groups int
	body          string
	racy          bool
}

// Parts of litmus tests. own and other are the words of the invocation and of the one with the last bit changed.
const (
	raceWords = `%i = lane
%j = OpBitwiseXor %uint %i %c1
%own = OpAccessChain %ptr_uint %out %c0 %i
%other = OpAccessChain %ptr_uint %out %c0 %j
%sown = OpAccessChain %ptr_wg_uint %shared %i
%sother = OpAccessChain %ptr_wg_uint %shared %j
%word0 = OpAccessChain %ptr_uint %out %c0 %c16
%word1 = OpAccessChain %ptr_uint %out %c0 %far
%g3 = OpLoad %uvec3 %group
%g = OpCompositeExtract %uint %g3 0
%first = OpIEqual %bool %g %c0
`
	storeOwn  = "OpStore %own %i\n"
	loadOther = "%x = OpLoad %uint %other\n"
	loadFar   = "%k = OpBitwiseXor %uint %i %c16\n%pfar = OpAccessChain %ptr_uint %out %c0 %k\n%x = OpLoad %uint %pfar\n" // of another subgroup
	arrive    = "OpControlBarrierArriveEXT %c2 %c2 %s260\n"
	wait      = "OpControlBarrierWaitEXT %c2 %c2 %s258\n"
)

const raceDeclarations = "%far = OpConstant %uint 50\n%s66 = OpConstant %uint 66\n%s68 = OpConstant %uint 68\n%s72 = OpConstant %uint 72\n" +
	"%s258 = OpConstant %uint 258\n%s260 = OpConstant %uint 260\n%s264 = OpConstant %uint 264\n%c64 = OpConstant %uint 64\n" +
	"%t_shared = OpTypeArray %uint %c64\n%ptr_shared = OpTypePointer Workgroup %t_shared\n%ptr_wg_uint = OpTypePointer Workgroup %uint\n" +
	"%shared = OpVariable %ptr_shared Workgroup"

// passing is a message from workgroup 0 to workgroup 1: data at word1, the flag at word0.
func passing(before, scope, release, acquire, after string) string {
	return "OpSelectionMerge %end None\nOpBranchConditional %first %send %receive\n%send = OpLabel\nOpStore %word1 %c1\n" + before +
		"OpAtomicStore %word0 " + scope + " " + release + " %c1\nOpBranch %end\n%receive = OpLabel\n" +
		"%flag = OpAtomicLoad %uint %word0 " + scope + " " + acquire + "\n" + after +
		"%data = OpLoad %uint %word1\nOpBranch %end\n%end = OpLabel\n"
}

// within is a message from invocation 0 of a workgroup to another one: data at word1, the flag at word0.
// Invocation 0 is in the first subgroup, which runs first.
func within(to, before, scope, release, acquire, after string) string {
	return "%sends = OpIEqual %bool %i %c0\nOpSelectionMerge %sent None\nOpBranchConditional %sends %send %sent\n%send = OpLabel\nOpStore %word1 %c1\n" + before +
		"OpAtomicStore %word0 " + scope + " " + release + " %c1\nOpBranch %sent\n%sent = OpLabel\n" +
		"%gets = OpIEqual %bool %i " + to + "\nOpSelectionMerge %end None\nOpBranchConditional %gets %receive %end\n%receive = OpLabel\n" +
		"%flag = OpAtomicLoad %uint %word0 " + scope + " " + acquire + "\n" + after +
		"%data = OpLoad %uint %word1\nOpBranch %end\n%end = OpLabel\n"
}

// The semantics: c2 and c4 and c8 are Acquire, Release and AcquireRelease; with 64 UniformMemory, with 256 WorkgroupMemory.
var raceCases = []raceCase{
	{"own words", 32, 1, storeOwn + "%x = OpLoad %uint %own\n", false},
	{"one word", 2, 1, "OpStore %word0 %c1\n", true},
	{"one word of two groups", 1, 2, "OpStore %word0 %c1\n", true},
	{"reads", 32, 2, loadOther, false},
	{"no barrier", 32, 1, storeOwn + loadOther, true},
	{"barrier", 32, 1, storeOwn + "OpControlBarrier %c2 %c2 %s72\n" + loadOther, false},
	{"barrier without semantics", 32, 1, storeOwn + "OpControlBarrier %c2 %c2 %c0\n" + loadOther, true},
	{"barrier of other memory", 32, 1, storeOwn + "OpControlBarrier %c2 %c2 %s264\n" + loadOther, true},
	{"memory barrier and barrier", 32, 1, storeOwn + "OpMemoryBarrier %c1 %s72\nOpControlBarrier %c2 %c2 %s264\n" + loadOther, false},
	{"barrier and memory barrier", 32, 1, storeOwn + "OpMemoryBarrier %c1 %s72\nOpControlBarrier %c2 %c2 %c0\nOpMemoryBarrier %c1 %s72\n" + loadOther, false},
	{"memory barrier", 32, 1, storeOwn + "OpMemoryBarrier %c1 %s72\n" + loadOther, true},
	{"write after read", 32, 1, loadOther + storeOwn, true},
	{"write after read and barrier", 32, 1, loadOther + "OpControlBarrier %c2 %c2 %s72\n" + storeOwn, false},
	{"barrier of two groups", 2, 2, storeOwn + "OpControlBarrier %c2 %c2 %s72\n" + loadOther, true},
	{"subgroup barrier", 16, 1, storeOwn + "OpControlBarrier %c3 %c3 %s72\n" + loadOther, false},
	{"subgroup barrier of another memory", 16, 1, storeOwn + "OpControlBarrier %c3 %c3 %s264\n" + loadOther, true},
	// Subgroups have 16 invocations. A release and an acquire of scope Subgroup order the invocations of one alone.
	{"subgroup fence and barrier", 32, 1, storeOwn + "OpMemoryBarrier %c3 %s72\nOpControlBarrier %c2 %c2 %s264\n" + loadFar, true},
	{"workgroup fence and barrier", 32, 1, storeOwn + "OpMemoryBarrier %c2 %s72\nOpControlBarrier %c2 %c2 %s264\n" + loadFar, false},
	{"subgroup fence and barrier in one", 16, 1, storeOwn + "OpMemoryBarrier %c3 %s72\nOpControlBarrier %c2 %c2 %s264\n" + loadOther, false},
	{"subgroup fence and subgroup barrier", 16, 1, storeOwn + "OpMemoryBarrier %c3 %s72\nOpControlBarrier %c3 %c3 %c0\n" + loadOther, false},
	{"workgroup fence and subgroup barrier", 16, 1, storeOwn + "OpMemoryBarrier %c2 %s72\nOpControlBarrier %c3 %c3 %c0\n" + loadOther, false},
	{"message in a subgroup", 16, 1, within("%c1", "", "%c3", "%s68", "%s66", ""), false},
	{"message to another subgroup", 32, 1, within("%c16", "", "%c3", "%s68", "%s66", ""), true},
	{"message of the workgroup", 32, 1, within("%c16", "", "%c2", "%s68", "%s66", ""), false},
	{"subgroup fences of a message", 16, 1, within("%c1", "OpMemoryBarrier %c3 %s72\n", "%c2", "%c0", "%c0", "OpMemoryBarrier %c3 %s72\n"), false},
	{"subgroup fences of a message to another subgroup", 32, 1, within("%c16", "OpMemoryBarrier %c3 %s72\n", "%c2", "%c0", "%c0", "OpMemoryBarrier %c3 %s72\n"), true},
	{"workgroup fences of a message", 32, 1, within("%c16", "OpMemoryBarrier %c2 %s72\n", "%c2", "%c0", "%c0", "OpMemoryBarrier %c2 %s72\n"), false},
	{"a fence of each scope", 32, 1, within("%c16", "OpMemoryBarrier %c2 %s72\n", "%c2", "%c0", "%c0", "OpMemoryBarrier %c3 %s72\n"), true},
	{"shared", 32, 1, "OpStore %sown %i\n%x = OpLoad %uint %sother\n", true},
	{"shared of two groups", 1, 2, "OpStore %sown %i\n%x = OpLoad %uint %sown\n", false},
	{"shared and barrier", 32, 2, "OpStore %sown %i\nOpControlBarrier %c2 %c2 %s264\n%x = OpLoad %uint %sother\n", false},
	{"two barriers", 32, 1, "OpStore %sown %i\nOpControlBarrier %c2 %c2 %s264\n%x = OpLoad %uint %sother\nOpControlBarrier %c2 %c2 %s264\nOpStore %sown %x\n", false},
	{"a barrier too few", 32, 1, "OpStore %sown %i\nOpControlBarrier %c2 %c2 %s264\n%x = OpLoad %uint %sother\nOpStore %sown %x\n", true},

	// An access before the arrival of all is before one after the wait (SPV_EXT_split_barrier).
	{"split barrier", 32, 2, "OpStore %sown %i\n" + arrive + wait + "%x = OpLoad %uint %sother\n", false},
	{"two split barriers", 32, 1, "OpStore %sown %i\n" + arrive + wait + "%x = OpLoad %uint %sother\n" + arrive + wait + "OpStore %sown %x\n", false},
	{"store after the arrival", 32, 1, arrive + "OpStore %sown %i\n" + wait + "%x = OpLoad %uint %sother\n", true},
	{"load before the wait", 32, 1, "OpStore %sown %i\n" + arrive + "%x = OpLoad %uint %sother\n" + wait, true},
	{"split barrier without semantics", 32, 1, "OpStore %sown %i\nOpControlBarrierArriveEXT %c2 %c2 %c0\nOpControlBarrierWaitEXT %c2 %c2 %c0\n%x = OpLoad %uint %sother\n", true},
	{"split barrier of other memory", 32, 1, storeOwn + arrive + wait + loadOther, true},
	{"store after the arrival, fences of others", 32, 1, "%half = OpULessThan %bool %i %c16\nOpSelectionMerge %end None\nOpBranchConditional %half %end %fence\n%fence = OpLabel\n" +
		"OpMemoryBarrier %c2 %s264\nOpMemoryBarrier %c2 %s264\nOpBranch %end\n%end = OpLabel\n" + arrive +
		"OpSelectionMerge %on None\nOpBranchConditional %half %store %on\n%store = OpLabel\nOpStore %sown %i\nOpBranch %on\n%on = OpLabel\n" +
		wait + "%x = OpLoad %uint %sother\n", true},

	{"atomics", 32, 2, "%x = OpAtomicIAdd %uint %word0 %c1 %c0 %c1\n", false},
	{"atomics of scope workgroup", 32, 2, "%x = OpAtomicIAdd %uint %word0 %c2 %c0 %c1\n", true},
	{"atomics of scope workgroup in one", 32, 1, "%x = OpAtomicIAdd %uint %word0 %c2 %c0 %c1\n", false},
	{"atomic and load", 2, 1, "%x = OpAtomicIAdd %uint %word0 %c1 %c0 %c1\n%y = OpLoad %uint %word0\n", true},
	{"message", 1, 2, passing("", "%c1", "%s68", "%s66", ""), false},
	{"relaxed message", 1, 2, passing("", "%c1", "%c0", "%c0", ""), true},
	{"message without acquire", 1, 2, passing("", "%c1", "%s68", "%c0", ""), true},
	{"message without release", 1, 2, passing("", "%c1", "%c0", "%s66", ""), true},
	{"message of scope workgroup", 1, 2, passing("", "%c2", "%s68", "%s66", ""), true},
	{"message of other memory", 1, 2, passing("", "%c1", "%s260", "%s258", ""), true},
	{"fences", 1, 2, passing("OpMemoryBarrier %c1 %s72\n", "%c1", "%c0", "%c0", "OpMemoryBarrier %c1 %s72\n"), false},
	{"one fence", 1, 2, passing("OpMemoryBarrier %c1 %s72\n", "%c1", "%c0", "%c0", ""), true},
	{"release sequence", 1, 3, "OpStore %word1 %c1\n%x = OpAtomicIAdd %uint %word0 %c1 %s72 %c1\n%y = OpIEqual %bool %x %c2\n" +
		"OpSelectionMerge %end None\nOpBranchConditional %y %last %end\n%last = OpLabel\n%data = OpLoad %uint %word1\nOpBranch %end\n%end = OpLabel\n", true},
}

// TestRaces runs the litmus tests with the sanitizer race: each race is found, and sound shaders have no report.
func TestRaces(t *testing.T) {
	for _, l := range raceCases {
		l.run(t, shader{})
	}
}

// reports runs a shader and returns what its sanitizers found. It returns false if the engine does not support the shader.
func (s *shader) reports(t *testing.T, e exec.Engine) ([]reporting.Report, bool) {
	t.Helper()
	s.log = &exec.Log{}
	_, _, err := s.run(t, e)
	if unsupported := (*exec.UnsupportedError)(nil); errors.As(err, &unsupported) {
		return nil, false
	}
	if err != nil {
		t.Fatal(err)
	}
	return reporting.Reports(s.log, []*reporting.Stage{{Program: &ir.Program{}}}, false), true
}

// run runs a litmus test on all engines. of has the memory model, and further capabilities and declarations.
func (l *raceCase) run(t *testing.T, of shader) {
	t.Run(strings.ReplaceAll(l.name, " ", "_"), func(t *testing.T) {
		for _, e := range engines {
			s := &shader{
				lanes: l.lanes, groups: uint32(l.groups), body: raceWords + l.body, in: []uint32{0},
				decl: raceDeclarations + of.decl, vulkan: of.vulkan, caps: of.caps + "OpCapability SplitBarrierEXT\nOpExtension \"SPV_EXT_split_barrier\"",
			}
			s.options.Sanitize = ir.SanitizeRace
			list, ran := s.reports(t, e)
			if !ran {
				continue
			}
			if (len(list) > 0) != l.racy {
				t.Errorf("%s: %d reports; must have some: %t", e.Name(), len(list), l.racy)
			}
			for _, r := range list {
				if r.Sanitizer != "race" || !l.racy {
					t.Errorf("%s: %s", e.Name(), r.Text())
				}
			}
		}
	})
}

// TestWideRaces runs litmus tests of instructions with many bytes: copies, and loads and stores of cooperative matrices of 8×8 words by
// subgroups of 16 invocations.
func TestWideRaces(t *testing.T) {
	const (
		number  = "%n0 = get 0\n%n = OpIAdd %uint %n0 %c4\n"
		store   = "OpCooperativeMatrixStoreKHR %matrix %tile %c0 %c8\n"
		load    = "%got = OpCooperativeMatrixLoadKHR %t_tile %matrix %c0 %c8\n"
		barrier = "OpControlBarrier %c2 %c2 %s264\n"
	)
	for _, c := range []raceCase{
		{"copies of own words", 32, 1, "OpCopyMemorySized %own %own %c4\n", false},
		{"copies", 32, 1, "OpCopyMemorySized %own %other %c4\n", true},
		{"copies of two words", 32, 1, "OpCopyMemorySized %sown %own %c8\n", true},
		{"copies of variable size", 32, 1, number + "OpCopyMemorySized %own %other %n\n", true},
		{"copies of own words, of variable size", 32, 1, number + "OpCopyMemorySized %own %own %n\n", false},
		{"copy and barrier", 32, 1, "OpCopyMemorySized %sown %own %c4\n" + barrier + "%x = OpLoad %uint %sother\n", false},
		{"matrix of two subgroups", 32, 1, store, true},
		{"matrix of one subgroup", 16, 1, store, false},
		{"store and matrix", 32, 1, "OpStore %sown %i\n" + load, true},
		{"store, barrier and matrix", 32, 1, "OpStore %sown %i\n" + barrier + load, false},
		{"matrix and store", 32, 1, load + "OpStore %sown %i\n", true},
		{"matrix, barrier and store", 32, 1, load + barrier + "OpStore %sown %i\n", false},
	} {
		caps := "OpCapability Addresses\nOpCapability CooperativeMatrixKHR\nOpExtension \"SPV_KHR_cooperative_matrix\"\n"
		decl := "\n%t_tile = OpTypeCooperativeMatrixKHR %uint %c3 %c8 %c8 %c2\n%tile = OpConstantComposite %t_tile %c1"
		c.body = "%matrix = OpAccessChain %ptr_wg_uint %shared %c0\n" + c.body
		c.run(t, shader{caps: caps, decl: decl})
	}
}

// TestPrivateRaces checks that with the Vulkan memory model a barrier orders accesses with NonPrivatePointer only. One set of
// memory operands of OpCopyMemory is for both accesses; of two the first is for the target, the second for the source.
func TestPrivateRaces(t *testing.T) {
	const (
		barrier    = "OpControlBarrier %c2 %c2 %both\n"
		store      = "OpStore %sown %i NonPrivatePointer\n"
		load       = "%x = OpLoad %uint %sother NonPrivatePointer\n"
		copyTo     = "OpCopyMemory %sown %word" // from a word that no invocation writes
		copyFrom   = "OpCopyMemory %mine %sother"
		nonPrivate = " NonPrivatePointer"
	)
	word := "%word = OpAccessChain %ptr_uint %in %c0 %c0\n%mine = OpVariable %ptr_fun_uint Function\n"
	for _, c := range []raceCase{
		{"both non-private", 32, 1, store + barrier + load, false},
		{"private store", 32, 1, "OpStore %sown %i\n" + barrier + load, true},
		{"private load", 32, 1, store + barrier + "%x = OpLoad %uint %sother\n", true},
		{"copy to, private", 32, 1, copyTo + "\n" + barrier + load, true},
		{"copy to", 32, 1, copyTo + nonPrivate + "\n" + barrier + load, false},
		{"copy to, with operands of the source", 32, 1, copyTo + " None" + nonPrivate + "\n" + barrier + load, true},
		{"copy to, with operands of both", 32, 1, copyTo + nonPrivate + " None\n" + barrier + load, false},
		{"copy from, private", 32, 1, store + barrier + copyFrom + "\n", true},
		{"copy from", 32, 1, store + barrier + copyFrom + nonPrivate + "\n", false},
		{"copy from, with operands of the target", 32, 1, store + barrier + copyFrom + nonPrivate + " None\n", true},
		{"copy from, with operands of both", 32, 1, store + barrier + copyFrom + " None" + nonPrivate + "\n", false},

		// A store is before a load if it is made available and then visible ("Location-Ordered").
		{"without availability and visibility", 32, 1, store + "OpControlBarrier %c2 %c2 %s264\n" + load, true},
		{"without availability", 32, 1, store + "OpControlBarrier %c2 %c2 %visible\n" + load, true},
		{"without visibility", 32, 1, store + "OpControlBarrier %c2 %c2 %available\n" + load, true},
		{"a load before a store", 32, 1, load + "OpControlBarrier %c2 %c2 %s264\nOpStore %sown %i NonPrivatePointer\n", false},
		{"available store", 32, 1, "OpStore %sown %i MakePointerAvailable|NonPrivatePointer %c2\nOpControlBarrier %c2 %c2 %visible\n" + load, false},
		{"available store and visible load", 32, 1, "OpStore %sown %i MakePointerAvailable|NonPrivatePointer %c2\nOpControlBarrier %c2 %c2 %s264\n" +
			"%x = OpLoad %uint %sother MakePointerVisible|NonPrivatePointer %c2\n", false},
	} {
		c.body = word + c.body
		c.run(t, shader{vulkan: true, decl: "\n%both = OpConstant %uint 24840\n%available = OpConstant %uint 8456\n%visible = OpConstant %uint 16648"})
	}
}

// TestUnwrittenShared uses words of workgroup memory before and after a store to them.
func TestUnwrittenShared(t *testing.T) {
	const use = "OpStore %own %x\n"
	for _, c := range []struct {
		name, body string
		times      uint64
	}{
		{"unwritten", "%x = OpLoad %uint %sown\n" + use, 4},
		{"without a use", "%x = OpLoad %uint %sown\n", 0},
		{"copied", "%x1 = OpLoad %uint %sown\n%x = OpIAdd %uint %x1 %i\n" + use, 4},
		{"written", "OpStore %sown %i\n%x = OpLoad %uint %sown\n" + use, 0},
		{"written by one", "OpStore %word %i\n%x = OpLoad %uint %sown\n" + use, 3},
		{"of another", "OpStore %sown %i\nOpControlBarrier %c2 %c2 %s264\n%x = OpLoad %uint %sother\n" + use, 0},
		{"of none", "OpStore %sown %i\nOpControlBarrier %c2 %c2 %s264\n%far8 = OpAccessChain %ptr_wg_uint %shared %c8\n%x = OpLoad %uint %far8\n" + use, 4},
		{"beyond the end", "%far64 = OpAccessChain %ptr_wg_uint %shared %c64\n%x = OpLoad %uint %far64\nOpStore %far64 %i\n" + use, 0},
		{"counter", "%x = OpAtomicIAdd %uint %sown %c2 %c0 %c1\n", 4},
		{"counter of a written word", "OpStore %sown %c0\n%x = OpAtomicIAdd %uint %sown %c2 %c0 %c1\n" + use, 0},
		{"exchange", "%x = OpAtomicExchange %uint %sown %c2 %c0 %c1\n", 0},
		{"exchange with a use", "%x = OpAtomicExchange %uint %sown %c2 %c0 %c1\n" + use, 4},
	} {
		c.body = "%word = OpAccessChain %ptr_wg_uint %shared %c0\n" + c.body
		for _, e := range engines {
			s := &shader{lanes: 4, body: raceWords + c.body, decl: raceDeclarations, in: []uint32{0}}
			s.options.Sanitize = ir.SanitizeUninit
			list, ran := s.reports(t, e)
			if !ran {
				continue
			}
			times := uint64(0)
			for _, r := range list {
				if r.Sanitizer != "uninit" {
					t.Errorf("%s, %s: %s", c.name, e.Name(), r.Text())
				}
				times += r.Times
			}
			if times != c.times {
				t.Errorf("%s, %s: %d uses of unwritten bytes; must be %d", c.name, e.Name(), times, c.times)
			}
		}
	}
}

// TestPartialBarriers runs shaders with barriers that all invocations reach, and that some do not: in control flow that is not
// uniform, after a return, and at two barriers.
func TestPartialBarriers(t *testing.T) {
	const barrier = "OpControlBarrier %c2 %c2 %c0\n"
	selection := func(then, otherwise string) string {
		return "%i = lane\n%low = OpULessThan %bool %i %c16\nOpSelectionMerge %end None\nOpBranchConditional %low %yes %no\n%yes = OpLabel\n" + then +
			"OpBranch %end\n%no = OpLabel\n" + otherwise + "OpBranch %end\n%end = OpLabel\n"
	}
	for _, c := range []struct {
		name, body string
		lanes      int
		message    string // of the report; "" for none
	}{
		{"all", barrier + barrier, 40, ""},
		{"half", selection(barrier, ""), 32, "a barrier that 16 of 32 invocations reach"},
		{"half of a subgroup", selection(barrier, ""), 24, "a barrier that 16 of 24 invocations reach"},
		{"two", selection(barrier, barrier), 32, "a barrier that not all of 32 invocations reach"},
		{"uniform branch", selection(barrier, ""), 16, ""},
		{"subgroup", selection("OpControlBarrier %c3 %c3 %c0\n", ""), 32, ""},
		{"part of a subgroup", strings.Replace(selection("OpControlBarrier %c3 %c3 %c0\n", ""), "%c16", "%c8", 1), 16, "a barrier that 8 of 16 invocations reach"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, e := range engines {
				s := &shader{lanes: c.lanes, body: c.body, in: []uint32{0}}
				s.options.Sanitize = ir.SanitizeUniform
				list, ran := s.reports(t, e)
				if !ran {
					continue
				}
				switch {
				case c.message == "" && len(list) > 0:
					t.Errorf("%s: %s", e.Name(), list[0].Text())
				case c.message != "" && (len(list) != 1 || !strings.Contains(list[0].Message, c.message)):
					t.Errorf("%s: the reports %+v; must have %q", e.Name(), list, c.message)
				}
			}
		})
	}
}
