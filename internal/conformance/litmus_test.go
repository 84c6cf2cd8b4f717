package conformance

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/valid"
)

// litmus is a question to the memory model: two invocations, on two threads of
// the host, do something with the words x, y and z of each round, which are 0,
// and note what they read in r and s. The model forbids some outcomes.
//
// A line of an invocation is "st x, 1", "r = ld x" (plain accesses), "r = acq x",
// "r = rlx x", "rel x, 1", "put x, 1" (atomic loads and stores, acquire, relaxed
// and release), "fence", "r = add x, 1", "r = swap x, 1" (acquire and release),
// or "r = cas x, 1" (from 0). i is the round, counted from 1.
type litmus struct {
	name    string
	threads [2]string
	allowed func(o outcome) bool
}

// outcome is what one round came to: the registers of both, and the words.
type outcome struct {
	round uint32
	r, s  [2]uint32
	x, y  uint32
}

// litmusTests are from the literature on memory models; that of Vulkan forbids
// what is forbidden here (Vulkan, "Memory Model": happens-before, location-order).
var litmusTests = []litmus{
	{"message passing", [2]string{"st x, i; rel y, 1", "r = acq y; s = ld x"}, func(o outcome) bool {
		return o.r[1] == 0 || o.s[1] == o.round
	}},
	{"message passing, seen before", [2]string{"st x, i; rel y, 1", "s = ld x; r = acq y; s = ld x"}, func(o outcome) bool {
		return o.r[1] == 0 || o.s[1] == o.round
	}},
	{"message passing through fences", [2]string{"st x, i; fence; put y, 1", "r = rlx y; fence; s = ld x"}, func(o outcome) bool {
		return o.r[1] == 0 || o.s[1] == o.round
	}},
	{"message passing by an exchange", [2]string{"st x, i; r = swap y, 1", "r = add y, 0; s = ld x"}, func(o outcome) bool {
		return o.r[1] == 0 || o.s[1] == o.round
	}},
	{"store buffering, ordered by an atomic", [2]string{"st x, 1; r = add z, 1; s = ld y", "st y, 1; r = add z, 1; s = ld x"}, func(o outcome) bool {
		return o.r[0]+o.r[1] == 1 && (o.r[0] == 0 || o.s[0] == 1) && (o.r[1] == 0 || o.s[1] == 1)
	}},
	{"load buffering", [2]string{"r = acq x; rel y, 1", "r = acq y; rel x, 1"}, func(o outcome) bool { return o.r[0] == 0 || o.r[1] == 0 }},
	{"coherence of reads", [2]string{"put x, 1; put x, 2", "r = rlx x; s = rlx x"}, func(o outcome) bool { return o.r[1] <= o.s[1] && o.x == 2 }},
	{"coherence of own writes", [2]string{"put x, 1; r = rlx x", "put x, 2; r = rlx x"}, func(o outcome) bool {
		return o.r[0] != 0 && o.r[1] != 0 && (o.r[0] == 1 || o.x == 2) && (o.r[1] == 2 || o.x == 1)
	}},
	{"coherence of a read and a write", [2]string{"r = rlx x; put x, 1", "put x, 2"}, func(o outcome) bool {
		return o.r[0] != 1 && (o.r[0] == 0 || o.x == 1)
	}},
	{"two exchanges", [2]string{"r = swap x, 1", "r = swap x, 2"}, func(o outcome) bool {
		return o.r == [2]uint32{0, 1} && o.x == 2 || o.r == [2]uint32{2, 0} && o.x == 1
	}},
	{"one of two exchanges if equal", [2]string{"r = cas x, 1", "r = cas x, 2"}, func(o outcome) bool {
		return o.r == [2]uint32{0, 1} && o.x == 1 || o.r == [2]uint32{2, 0} && o.x == 2
	}},
	{"two additions", [2]string{"r = add x, 1; s = add x, 1", "r = add x, 1; s = add x, 1"}, func(o outcome) bool {
		return o.x == 4 && o.r[0]+o.s[0]+o.r[1]+o.s[1] == 6 && o.r[0] < o.s[0] && o.r[1] < o.s[1] && o.r[0] != o.r[1] && o.s[0] != o.s[1]
	}},
}

// Sections of the buffer, each with a word for each round.
const (
	wordX = iota
	wordY
	wordZ
	noted  // r and s of the first, then of the second
	meets  = noted + 4
	places = meets + 1
)

const litmusHead = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %m
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %array ArrayStride 4
OpDecorate %Block Block
OpMemberDecorate %Block 0 Offset 0
OpMemberDecorate %Block 0 Coherent
OpDecorate %m DescriptorSet 0
OpDecorate %m Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%array = OpTypeRuntimeArray %u32
%Block = OpTypeStruct %array
%pBlock = OpTypePointer StorageBuffer %Block
%p = OpTypePointer StorageBuffer %u32
%m = OpVariable %pBlock StorageBuffer
%k0 = OpConstant %u32 0
%k1 = OpConstant %u32 1
%k2 = OpConstant %u32 2
%device = OpConstant %u32 1
%relaxed = OpConstant %u32 0
%acquire = OpConstant %u32 66
%release = OpConstant %u32 68
%both = OpConstant %u32 72
`

// dialects are the ways to write the accesses, as replacements in a module: with Coherent, and with the Vulkan memory model,
// whose accesses name their availability and visibility, at the atomics or at the plain accesses, in scopes Device and
// QueueFamily.
var dialects = []struct {
	name    string
	changes *strings.Replacer
}{
	{"GLSL450", strings.NewReplacer()},
	{"Vulkan", strings.NewReplacer(append(vulkanModel,
		"%acquire = OpConstant %u32 66", "%acquire = OpConstant %u32 16450", // MakeVisible
		"%release = OpConstant %u32 68", "%release = OpConstant %u32 8260", // MakeAvailable
		"%both = OpConstant %u32 72", "%both = OpConstant %u32 24648",
		"{st}", " NonPrivatePointer", "{ld}", " NonPrivatePointer")...)},
	{"Vulkan pointers", strings.NewReplacer(append(vulkanModel,
		"{st}", " MakePointerAvailable|NonPrivatePointer %device", "{ld}", " MakePointerVisible|NonPrivatePointer %device")...)},
	{"Vulkan queue family", strings.NewReplacer(append(vulkanModel,
		"%device = OpConstant %u32 1", "%device = OpConstant %u32 5",
		"{st}", " MakePointerAvailable|NonPrivatePointer %device", "{ld}", " MakePointerVisible|NonPrivatePointer %device")...)},
}

// vulkanModel are the replacements of all modules of the Vulkan memory model.
var vulkanModel = []string{
	"OpMemoryModel Logical GLSL450", "OpCapability VulkanMemoryModel\nOpCapability VulkanMemoryModelDeviceScope\nOpMemoryModel Logical Vulkan",
	"OpMemberDecorate %Block 0 Coherent\n", "",
}

// module writes the module of one of the two in dialect d. In each round it waits a while for
// the other to come to the same.
func (l *litmus) module(d, thread, rounds int) string {
	b, c := strings.Builder{}, strings.Builder{}
	n := 0
	at := func(section int, index string) string {
		n++
		fmt.Fprintf(&c, "%%base%d = OpConstant %%u32 %d\n", n, section*rounds)
		fmt.Fprintf(&b, "%%o%d = OpIAdd %%u32 %%base%d %s\n%%q%d = OpAccessChain %%p %%m %%k0 %%o%d\n", n, n, index, n, n)
		return fmt.Sprintf("%%q%d", n)
	}
	mine, other := at(meets, fmt.Sprintf("%%k%d", thread)), at(meets, fmt.Sprintf("%%k%d", 1-thread))
	fmt.Fprintf(&b, `OpBranch %%head
%%head = OpLabel
%%i = OpPhi %%u32 %%k0 %%entry %%next %%continue
%%more = OpULessThan %%bool %%i %%rounds
OpLoopMerge %%out %%continue None
OpBranchConditional %%more %%body %%out
%%body = OpLabel
%%next = OpIAdd %%u32 %%i %%k1
OpAtomicStore %s %%device %%relaxed %%next
OpBranch %%wait
%%wait = OpLabel
%%tries = OpPhi %%u32 %%k0 %%body %%tried %%again
%%there = OpAtomicLoad %%u32 %s %%device %%relaxed
%%late = OpULessThan %%bool %%there %%next
%%patient = OpULessThan %%bool %%tries %%patience
%%stay = OpLogicalAnd %%bool %%late %%patient
OpLoopMerge %%ready %%again None
OpBranchConditional %%stay %%again %%ready
%%again = OpLabel
%%tried = OpIAdd %%u32 %%tries %%k1
OpBranch %%wait
%%ready = OpLabel
`, mine, other)
	for _, line := range strings.Split(l.threads[thread], ";") {
		line = strings.TrimSpace(line)
		register := ""
		if left, right, ok := strings.Cut(line, " = "); ok {
			register, line = left, right
		}
		f := strings.Fields(strings.ReplaceAll(line, ",", " "))
		if f[0] == "fence" {
			b.WriteString("OpMemoryBarrier %device %both\n")
			continue
		}
		p := at(strings.Index("xyz", f[1]), "%i")
		v := ""
		if len(f) > 2 {
			v = map[string]string{"i": "%next", "0": "%k0", "1": "%k1", "2": "%k2"}[f[2]]
		}
		text := map[string]string{
			"st": "OpStore P V{st}", "ld": "OpLoad %u32 P{ld}", "acq": "OpAtomicLoad %u32 P %device %acquire", "rlx": "OpAtomicLoad %u32 P %device %relaxed",
			"rel": "OpAtomicStore P %device %release V", "put": "OpAtomicStore P %device %relaxed V", "add": "OpAtomicIAdd %u32 P %device %both V",
			"swap": "OpAtomicExchange %u32 P %device %both V", "cas": "OpAtomicCompareExchange %u32 P %device %both %acquire V %k0",
		}[f[0]]
		text = strings.NewReplacer("P", p, "V", v).Replace(strings.Replace(text, "OpAtomic", "\x00", 1))
		text = strings.Replace(text, "\x00", "OpAtomic", 1)
		if register == "" {
			b.WriteString(text + "\n")
			continue
		}
		fmt.Fprintf(&b, "%%v%d = %s\n", n, text)
		value := fmt.Sprintf("%%v%d", n)
		fmt.Fprintf(&b, "OpStore %s %s\n", at(noted+2*thread+strings.Index("rs", register), "%i"), value)
	}
	b.WriteString("OpBranch %continue\n%continue = OpLabel\nOpBranch %head\n%out = OpLabel\nOpReturn\nOpFunctionEnd\n")
	text := litmusHead + c.String() + fmt.Sprintf("%%rounds = OpConstant %%u32 %d\n%%patience = OpConstant %%u32 200\n%%main = OpFunction %%void None %%fn\n%%entry = OpLabel\n", rounds) + b.String()
	return strings.NewReplacer("{st}", "", "{ld}", "").Replace(dialects[d].changes.Replace(text))
}

// compileText compiles the text of a module that has one entry point.
func compileText(t *testing.T, e exec.Engine, text string) exec.Program {
	t.Helper()
	m := asmtest.Module(t, text, 1<<16|5<<8)
	f := facts.Gather(m, nil)
	p, err := lower.Stage(valid.Assume(f), &f.EntryPoints[0], lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pass.Run(p)
	prog, err := e.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// TestLitmus runs each question in loops, two programs at once on one buffer,
// under both engines, in each dialect.
func TestLitmus(t *testing.T) {
	for _, e := range bothEngines() {
		for _, l := range litmusTests {
			for d := range dialects {
				t.Run(e.Name()+"/"+l.name+"/"+dialects[d].name, func(t *testing.T) { l.test(t, e, d) })
			}
		}
	}
}

// test runs a question in one dialect: the first one in full, the others, which few lines of the lowering treat otherwise, less
// often.
func (l *litmus) test(t *testing.T, e exec.Engine, d int) {
	rounds, times := 1000, 4
	if testing.Short() || d > 0 {
		times = 1
	}
	if e.Name() != "interp" {
		rounds = 20000
	}
	if d > 0 && os.Getenv("CHIARO_LONG") == "" {
		rounds /= 10
	}
	progs := [2]exec.Program{compileText(t, e, l.module(d, 0, rounds)), compileText(t, e, l.module(d, 1, rounds))}
	defer progs[0].Close()
	defer progs[1].Close()
	seen := map[[4]uint32]int{}
	for range times {
		l.run(t, progs, rounds, seen)
	}
	t.Logf("%d outcomes", len(seen))
}

// bothEngines are the interpreter and, where the machine has it, the compiler.
func bothEngines() []exec.Engine {
	if hasJIT() {
		return []exec.Engine{interp.Engine{}, jit.Engine{}}
	}
	return []exec.Engine{interp.Engine{}}
}

// run runs all rounds once and judges them.
func (l *litmus) run(t *testing.T, progs [2]exec.Program, rounds int, seen map[[4]uint32]int) {
	memory := make([]byte, 4*places*rounds)
	word := func(section, i int) uint32 { return binary.LittleEndian.Uint32(memory[4*(section*rounds+i):]) }
	var wait sync.WaitGroup
	var errs [2]error
	for k, p := range progs {
		wait.Go(func() {
			errs[k] = compute.Dispatch(context.Background(), p, compute.Args{
				Groups: [3]uint32{1, 1, 1}, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: memory}}},
			})
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range rounds {
		o := outcome{round: uint32(i + 1), x: word(wordX, i), y: word(wordY, i)}
		for k := range 2 {
			o.r[k], o.s[k] = word(noted+2*k, i), word(noted+2*k+1, i)
		}
		if !l.allowed(o) {
			t.Fatalf("round %d: %+v is forbidden", i, o)
		}
		seen[[4]uint32{o.r[0], o.s[0], min(o.r[1], 3), min(o.s[1], 3)}]++
	}
}

// TestAtomicsOfManyThreads has workgroups on two threads count in one buffer.
// What is only counted must be right whatever the order.
func TestAtomicsOfManyThreads(t *testing.T) {
	const groups, lanes = 64, 64
	operations := []struct {
		name        string
		first, want uint32
	}{
		{"IAdd", 5, 5 + lanes*groups*(lanes*groups-1)/2}, {"UMax", 0, lanes*groups - 1}, {"UMin", 0xffffffff, 0},
		{"SMax", 0x80000000, lanes*groups - 1}, {"SMin", 7, 0}, {"Or", 0x10000, 0x10000 | (lanes*groups - 1)}, {"And", 0xffffffff, 0}, {"Xor", 1, 1},
	}
	text := strings.Replace(litmusHead, "LocalSize 1", fmt.Sprintf("LocalSize %d", lanes), 1)
	text = strings.Replace(text, "%main \"main\" %m", "%main \"main\" %m %gid", 1)
	text = strings.Replace(text, "%void = ", "OpDecorate %gid BuiltIn GlobalInvocationId\n%void = ", 1)
	for _, op := range operations {
		for _, e := range bothEngines() {
			prog := compileText(t, e, text+`%u3 = OpTypeVector %u32 3
%pu3 = OpTypePointer Input %u3
%gid = OpVariable %pu3 Input
%main = OpFunction %void None %fn
%entry = OpLabel
%id = OpLoad %u3 %gid
%i = OpCompositeExtract %u32 %id 0
%q = OpAccessChain %p %m %k0 %k1
%old = OpAtomic`+op.name+` %u32 %q %device %relaxed %i
OpReturn
OpFunctionEnd
`)
			for range 20 {
				memory := make([]byte, 16)
				binary.LittleEndian.PutUint32(memory[4:], op.first)
				err := compute.Dispatch(context.Background(), prog, compute.Args{
					Groups: [3]uint32{groups, 1, 1}, Workers: 2, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: memory}}},
				})
				if err != nil {
					t.Fatal(err)
				}
				if got := binary.LittleEndian.Uint32(memory[4:]); got != op.want {
					t.Fatalf("%s: %s comes to %#x; must be %#x", e.Name(), op.name, got, op.want)
				}
			}
			prog.Close()
		}
	}
}

// TestWideAtomicsOfManyThreads has workgroups on two threads count in one word of
// 16, 32 or 64 bits, a float or not, whose sums are exact in any order.
func TestWideAtomicsOfManyThreads(t *testing.T) {
	const groups, lanes = 64, 64
	const sum = lanes * groups * (lanes*groups - 1) / 2
	for _, c := range []struct {
		operation, capability, extension string
		typ, value                       string // of what is added: of the number of the invocation, %i
		bits                             int
		first, want                      uint64
	}{
		{"IAdd", "Int64Atomics", "", "OpTypeInt 64 0", "OpUConvert %T %i", 64, 1 << 40, 1<<40 + sum},
		{"UMax", "Int64Atomics", "", "OpTypeInt 64 0", "OpUConvert %T %i", 64, 3, lanes*groups - 1},
		{"FAddEXT", "AtomicFloat32AddEXT", "SPV_EXT_shader_atomic_float_add", "OpTypeFloat 32", "OpConvertUToF %T %i", 32, 0, uint64(math.Float32bits(sum))},
		{"FAddEXT", "AtomicFloat64AddEXT", "SPV_EXT_shader_atomic_float_add", "OpTypeFloat 64", "OpConvertUToF %T %i", 64, 0, math.Float64bits(sum)},
		{"FAddEXT", "AtomicFloat16AddEXT", "SPV_EXT_shader_atomic_float16_add", "OpTypeFloat 16", "OpConvertUToF %T %bit", 16, 0, 0x6800},
		{"FMaxEXT", "AtomicFloat32MinMaxEXT", "SPV_EXT_shader_atomic_float_min_max", "OpTypeFloat 32", "OpConvertUToF %T %i", 32, 0, uint64(math.Float32bits(lanes*groups - 1))},
		{"FMinEXT", "AtomicFloat64MinMaxEXT", "SPV_EXT_shader_atomic_float_min_max", "OpTypeFloat 64", "OpConvertUToF %T %i", 64, math.Float64bits(7), 0},
	} {
		text := strings.Replace(litmusHead, "LocalSize 1", fmt.Sprintf("LocalSize %d", lanes), 1)
		text = strings.Replace(text, "%main \"main\" %m", "%main \"main\" %m %gid", 1)
		text = strings.Replace(text, "OpMemoryModel", "OpCapability Int64\nOpCapability Float64\nOpCapability Float16\nOpCapability StorageBuffer16BitAccess\nOpCapability "+c.capability+"\nOpMemoryModel", 1)
		if c.extension != "" {
			text = strings.Replace(text, "OpMemoryModel", "OpExtension \""+c.extension+"\"\nOpMemoryModel", 1)
		}
		text = strings.Replace(text, "%void = ", "OpDecorate %gid BuiltIn GlobalInvocationId\n%void = ", 1)
		text = strings.Replace(text, "%array = OpTypeRuntimeArray %u32", "%T = "+c.typ+"\n%array = OpTypeRuntimeArray %T", 1)
		text = strings.Replace(text, "%p = OpTypePointer StorageBuffer %u32", "%p = OpTypePointer StorageBuffer %T", 1)
		text = strings.Replace(text, "ArrayStride 4", fmt.Sprintf("ArrayStride %d", c.bits/8), 1)
		for _, e := range bothEngines() {
			prog := compileText(t, e, text+`%u3 = OpTypeVector %u32 3
%pu3 = OpTypePointer Input %u3
%gid = OpVariable %pu3 Input
%main = OpFunction %void None %fn
%entry = OpLabel
%id = OpLoad %u3 %gid
%i = OpCompositeExtract %u32 %id 0
%bit = OpBitwiseAnd %u32 %i %k1
%q = OpAccessChain %p %m %k0 %k1
%v = `+c.value+`
%old = OpAtomic`+c.operation+` %T %q %device %relaxed %v
OpReturn
OpFunctionEnd
`)
			for range 10 {
				memory := make([]byte, 24)
				step := c.bits / 8
				whole := make([]byte, 8)
				binary.LittleEndian.PutUint64(whole, c.first)
				copy(memory[step:], whole[:step])
				err := compute.Dispatch(context.Background(), prog, compute.Args{
					Groups: [3]uint32{groups, 1, 1}, Workers: 2, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: memory}}},
				})
				if err != nil {
					t.Fatal(err)
				}
				clear(whole)
				copy(whole, memory[step:2*step])
				if got := binary.LittleEndian.Uint64(whole); got != c.want {
					t.Fatalf("%s: %s of %d bits comes to %#x; must be %#x", e.Name(), c.operation, c.bits, got, c.want)
				}
			}
			prog.Close()
		}
	}
}
