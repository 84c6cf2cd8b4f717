package conformance

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// The litmus tests of this file are the ones that the literature on memory models names (Alglave, Maranget and Tautschnig 2014, "Herding
// Cats"; Lamport 1979): MP, SB, LB, 2+2W, WRC, ISA2, IRIW, S and R, with Vulkan's scopes and semantics.

// names of the places, scopes and semantics in litmus texts.
var litmusNames = strings.NewReplacer(" x", " %word1", " y", " %word0", " z", " %wordz", " device", " %c1", " workgroup", " %c2",
	" relaxed", " %c0", " rel", " %s68", " acq", " %s66", " both", " %s72")

// threads is a shader: its workgroups do one thing each. A line is "st x", "ld x", "put y device rel", "get y device acq", "add y device both",
// "fence device both", "swap y device rel", or "cas y device both acq c2": semantics if the value is equal, if not, and the value.
func threads(list ...string) string {
	out := "%wordz = OpAccessChain %ptr_uint %out %c0 %c8\n"
	n := 0
	for i, text := range list {
		out += fmt.Sprintf("%%is%[1]d = OpIEqual %%bool %%g %%c%[1]d\nOpSelectionMerge %%end%[1]d None\nOpBranchConditional %%is%[1]d %%do%[1]d %%end%[1]d\n%%do%[1]d = OpLabel\n", i)
		for _, line := range strings.Split(text, "; ") {
			op, args, _ := strings.Cut(line, " ")
			args = litmusNames.Replace(" " + args)
			result := fmt.Sprintf("%%l%d = ", n)
			n++
			switch op {
			case "st":
				out += "OpStore" + args + " %c1\n"
			case "ld":
				out += result + "OpLoad %uint" + args + "\n"
			case "put":
				out += "OpAtomicStore" + args + " %c1\n"
			case "get":
				out += result + "OpAtomicLoad %uint" + args + "\n"
			case "add":
				out += result + "OpAtomicIAdd %uint" + args + " %c1\n"
			case "swap":
				out += result + "OpAtomicExchange %uint" + args + " %c1\n"
			case "cas":
				i := strings.LastIndex(args, " ")
				out += result + "OpAtomicCompareExchange %uint" + args[:i] + " %c2 %" + args[i+1:] + "\n"
			case "fence":
				out += "OpMemoryBarrier" + args + "\n"
			}
		}
		out += fmt.Sprintf("OpBranch %%end%[1]d\n%%end%[1]d = OpLabel\n", i)
	}
	return out
}

// TestNamedRaces: the workgroups run one after the other, so that each read sees the write before it.
func TestNamedRaces(t *testing.T) {
	for _, c := range []struct {
		name string
		list []string
		racy bool
	}{
		{"SB", []string{"st x; ld y", "st y; ld x"}, true},
		{"SB, atomics", []string{"put x device relaxed; get y device relaxed", "put y device relaxed; get x device relaxed"}, false},
		{"LB", []string{"ld x; st y", "ld y; st x"}, true},
		{"LB, atomics", []string{"get x device relaxed; put y device relaxed", "get y device relaxed; put x device relaxed"}, false},
		{"2+2W", []string{"st x; st y", "st y; st x"}, true},
		{"2+2W, atomics", []string{"put x device relaxed; put y device relaxed", "put y device relaxed; put x device relaxed"}, false},
		{"WRC", []string{"st x; put y device rel", "get y device acq; put z device rel", "get z device acq; ld x"}, false},
		{"WRC, relaxed in the middle", []string{"st x; put y device rel", "get y device relaxed; put z device rel", "get z device acq; ld x"}, true},
		{"WRC, relaxed at the end", []string{"st x; put y device rel", "get y device acq; put z device rel", "get z device relaxed; ld x"}, true},
		{"WRC, another scope in the middle", []string{"st x; put y device rel", "get y workgroup acq; put z device rel", "get z device acq; ld x"}, true},
		{"ISA2, another scope", []string{"st x; put y workgroup rel", "get y device acq; put z device rel", "get z device acq; ld x"}, true},
		{"MP, the flag is an addition", []string{"st x; put y device rel", "add y device both", "get y device acq; ld x"}, false},
		{"MP, release sequence", []string{"st x; put y device rel", "add y device relaxed", "get y device acq; ld x"}, false},
		{"MP, a store ends the sequence", []string{"st x; put y device rel", "put y device relaxed", "get y device acq; ld x"}, true},
		{"MP, fence and acquire", []string{"st x; fence device rel; put y device relaxed", "get y device acq; ld x"}, false},
		{"MP, release and fence", []string{"st x; put y device rel", "get y device relaxed; fence device acq; ld x"}, false},
		{"MP, fences with the other semantics", []string{"st x; fence device acq; put y device relaxed", "get y device relaxed; fence device rel; ld x"}, true},
		{"MP, fence behind the flag", []string{"st x; put y device relaxed; fence device both", "get y device relaxed; fence device both; ld x"}, true},
		{"MP, fence before the flag is read", []string{"st x; fence device both; put y device relaxed", "fence device both; get y device relaxed; ld x"}, true},
		{"MP, another flag", []string{"st x; put y device rel", "get z device acq; ld x"}, true},
		{"MP, a plain flag", []string{"st x; fence device both; st y", "ld y; fence device both; ld x"}, true},
		{"MP, exchanges", []string{"st x; swap y device rel", "swap y device acq; ld x"}, false},
		{"IRIW, atomics", []string{"put x device relaxed", "put y device relaxed", "get x device acq; get y device acq"}, false},
		{"IRIW, a plain read", []string{"put x device rel", "put y device rel", "get x device acq; ld y"}, true},
		{"S", []string{"ld x; put y device rel", "get y device acq; st x"}, false},
		{"S, relaxed", []string{"ld x; put y device relaxed", "get y device relaxed; st x"}, true},
		{"R", []string{"st x; put y device rel", "get y device acq; st x"}, false},

		// A comparison with another value has the semantics Unequal, and no store.
		{"MP, a comparison", []string{"st x; put y device rel", "cas y device both acq c1; ld x"}, false},
		{"MP, another value, acquired", []string{"st x; put y device rel", "cas y device both acq c8; ld x"}, false},
		{"MP, another value, relaxed", []string{"st x; put y device rel", "cas y device both relaxed c8; ld x"}, true},
		{"MP, another value is no release", []string{"st x; cas y device both acq c8", "get y device acq; ld x"}, true},
		{"two other values", []string{"cas y device relaxed relaxed c8", "cas y device relaxed relaxed c8"}, false},
		{"another value and a load", []string{"cas y device relaxed relaxed c8", "ld y"}, false},
		{"an equal value and a load", []string{"put y device rel", "cas y device both both c1", "ld y"}, true},
	} {
		l := raceCase{name: c.name, lanes: 1, groups: len(c.list), body: threads(c.list...), racy: c.racy}
		l.run(t, shader{})
	}
}

// TestSharedScopes: a store is before an access by another invocation only if it is available to a scope that has the invocation, and, of a
// load, if the load sees the stores of a scope that has the other one (Vulkan, "Location-Ordered"), for the storage class of the memory. Subgroups have 16
// invocations.
func TestSharedScopes(t *testing.T) {
	const (
		barrier = "OpControlBarrier %c2 %c2 "
		private = " NonPrivatePointer\n"
		near    = "%x = OpLoad %uint %other"
		far     = "%k = OpBitwiseXor %uint %i %c16\n%pfar = OpAccessChain %ptr_uint %out %c0 %k\n%x = OpLoad %uint %pfar"
	)
	available := func(scope string) string {
		return "OpStore %own %i MakePointerAvailable|NonPrivatePointer " + scope + "\n"
	}
	visible := func(scope string) string { return " MakePointerVisible|NonPrivatePointer " + scope + "\n" }
	// stored is a store by invocation 0, and a barrier.
	stored := func(own string) string {
		store := strings.ReplaceAll(own, "%own %i", "%word0 %c1")
		return "%is0 = OpIEqual %bool %i %c0\nOpSelectionMerge %end None\nOpBranchConditional %is0 %do %end\n%do = OpLabel\n" + store +
			"OpBranch %end\n%end = OpLabel\n" + barrier + "%s72\n"
	}
	// messageTo is a message to a comparison with another value, which has the semantics equal and unequal. Scope 5 is the queue family.
	messageTo := func(equal, unequal string) string {
		return "OpSelectionMerge %end None\nOpBranchConditional %first %send %receive\n%send = OpLabel\nOpStore %word1 %c1" + private +
			"OpAtomicStore %word0 %c5 %sent %c1\nOpBranch %end\n%receive = OpLabel\n" +
			"%flag = OpAtomicCompareExchange %uint %word0 %c5 " + equal + " " + unequal + " %c8 %c8\n%data = OpLoad %uint %word1" + private +
			"OpBranch %end\n%end = OpLabel\n"
	}
	for _, c := range []raceCase{
		{"a barrier", 32, 1, "OpStore %own %i" + private + barrier + "%buffers\n" + far + private, false},
		{"a barrier of other memory", 32, 1, "OpStore %own %i" + private + barrier + "%shares\n" + far + private, true},
		{"two stores", 32, 1, "OpStore %own %i" + private + barrier + "%s72\nOpStore %other %i" + private, true},
		{"a store after an available one", 32, 1, available("%c2") + barrier + "%s72\nOpStore %other %i" + private, false},
		{"an atomic after a store", 32, 1, "OpStore %own %i" + private + barrier + "%s72\n%old = OpAtomicIAdd %uint %other %c5 %c0 %c1\n", true},
		{"an atomic after an available store", 32, 1, available("%c2") + barrier + "%s72\n%old = OpAtomicIAdd %uint %other %c5 %c0 %c1\n", false},
		{"accesses of the workgroup", 32, 1, available("%c2") + barrier + "%s72\n" + far + visible("%c2"), false},
		{"a store for the subgroup", 32, 1, available("%c3") + barrier + "%s72\n" + far + visible("%c2"), true},
		{"a load of the subgroup", 32, 1, available("%c2") + barrier + "%s72\n" + far + visible("%c3"), true},
		{"both in one subgroup", 32, 1, available("%c3") + barrier + "%s72\n" + near + visible("%c3"), false},
		{"a store for the subgroup, a barrier for all", 32, 1, available("%c3") + barrier + "%buffers\n" + far + visible("%c3"), false},
		{"a word for the subgroup", 32, 1, stored(available("%c3")) + "%x = OpLoad %uint %word0" + visible("%c2"), true},
		{"a word of the subgroup", 32, 1, stored(available("%c2")) + "%x = OpLoad %uint %word0" + visible("%c3"), true},
		{"a word of the workgroup", 32, 1, stored(available("%c2")) + "%x = OpLoad %uint %word0" + visible("%c2"), false},

		// The semantics Unequal make memory visible, too.
		{"visible if equal", 1, 2, messageTo("%seen", "%c0"), true},
		{"visible if not equal", 1, 2, messageTo("%c0", "%seen"), false},
	} {
		c.run(t, shader{vulkan: true, decl: "\n%buffers = OpConstant %uint 24648\n%shares = OpConstant %uint 24840\n" +
			"%sent = OpConstant %uint 8260\n%seen = OpConstant %uint 16450"})
	}
}

// TestScheduledRaces: in all orders a reader that has seen the flag sees the data, and a lock orders its owners.
func TestScheduledRaces(t *testing.T) {
	seen := func(do string) string {
		return "%seen = OpIEqual %bool %flag %c1\nOpSelectionMerge %on None\nOpBranchConditional %seen %yes %on\n%yes = OpLabel\n" + do + "OpBranch %on\n%on = OpLabel\n"
	}
	message := "OpSelectionMerge %end None\nOpBranchConditional %first %send %receive\n%send = OpLabel\nOpStore %word1 %c1\n" +
		"OpAtomicStore %word0 %c1 %s68 %c1\nOpBranch %end\n%receive = OpLabel\n%flag = "
	const load, end = "%data = OpLoad %uint %word1\n", "OpBranch %end\n%end = OpLabel\n"
	for _, c := range []struct{ name, body string }{
		{"a load", message + "OpAtomicLoad %uint %word0 %c1 %s66\n" + seen(load) + end},
		{"an addition", message + "OpAtomicIAdd %uint %word0 %c1 %s66 %c0\n" + seen(load) + end},
		{"a comparison", message + "OpAtomicCompareExchange %uint %word0 %c1 %s66 %c0 %c1 %c1\n" + seen(load) + end},
		{"a fence", message + "OpAtomicLoad %uint %word0 %c1 %c0\nOpMemoryBarrier %c1 %s66\n" + seen(load) + end},
		{"a lock", "%old = OpAtomicCompareExchange %uint %word0 %c1 %s66 %c0 %c8 %c0\n%flag = OpSelect %uint %open %c1 %c0\n"},
	} {
		if c.name == "a lock" {
			c.body = strings.Replace(c.body, "%flag", "%open = OpIEqual %bool %old %c0\n%flag", 1) +
				seen("%data = OpLoad %uint %word1\n%more = OpIAdd %uint %data %c1\nOpStore %word1 %more\nOpAtomicStore %word0 %c1 %s68 %c0\n")
		}
		for seed := range uint64(60) {
			s := &shader{lanes: 1, groups: 4, body: raceWords + c.body, in: []uint32{0}, decl: raceDeclarations, schedule: rand.New(rand.NewPCG(seed, 0)).IntN, zeroed: true}
			s.options.Sanitize = ir.SanitizeRace
			list, _ := s.reports(t, engines[0])
			for _, r := range list {
				t.Fatalf("%s, order %d: %s", c.name, seed, r.Text())
			}
		}
	}
}
