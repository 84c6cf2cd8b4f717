package vk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/jit/store"
)

const failOnCompile = enum.PipelineFlagsFailOnPipelineCompileRequired

// computeInfo describes the pipeline of saxpy of a rig.
func (r *rig) computeInfo(t testing.TB, c Creation) ComputePipelineInfo {
	t.Helper()
	return ComputePipelineInfo{Creation: c, Stage: StageInfo{Code: code(t, saxpy)}, Layout: r.pipeline}
}

// runSaxpy dispatches a pipeline and checks element 5 of y, which is 5·a + its old value.
func (r *rig) runSaxpy(t testing.TB, p *ComputePipeline) float32 {
	t.Helper()
	c := r.record(t, func(c *CommandBuffer) {
		c.BindPipeline(p)
		c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
		c.PushConstants(r.pipeline, 0, push(3))
		c.Dispatch(2, 1, 1)
	})
	if err := r.submit(t, c); err != nil {
		t.Fatal(err)
	}
	return r.get(64, 5)
}

// TestPipelineCache makes pipelines with FailOnPipelineCompileRequired (VK_EXT_pipeline_creation_cache_control): they succeed
// exactly if the cache has the stage, and the feedback reports the hit. The data of the cache has the stage on another device.
func TestPipelineCache(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, DeviceInfo{}, storage)
	cache := must(r.dev.NewPipelineCache(nil))(t)
	var f CreationFeedback
	create := func(r *rig, c Creation) error {
		t.Helper()
		c.Feedback = &f
		p, err := r.dev.NewComputePipeline(ctx, r.computeInfo(t, c))
		if err != nil {
			if p != nil || f.Pipeline.Valid || f.Stages != nil {
				t.Errorf("%v, feedback %+v of a pipeline that failed", p, f)
			}
			return err
		}
		if !f.Pipeline.Valid || len(f.Stages) != 1 || !f.Stages[0].Valid || f.Pipeline.Duration <= 0 {
			t.Errorf("feedback %+v", f)
		}
		before := r.get(64, 5)
		if got := r.runSaxpy(t, p); got != before+15 {
			t.Errorf("y[5] is %v, want %v", got, before+15)
		}
		return p.Close()
	}
	if err := create(r, Creation{Flags: failOnCompile}); !errors.Is(err, ErrCompileRequired) {
		t.Errorf("without a cache: %v", err)
	}
	if err := create(r, Creation{Flags: failOnCompile, Cache: cache}); !errors.Is(err, ErrCompileRequired) {
		t.Errorf("with an empty cache: %v", err)
	}
	if err := create(r, Creation{Cache: cache}); err != nil || f.Pipeline.CacheHit || f.Stages[0].CacheHit || cache.Len() != 1 {
		t.Errorf("a miss: %v, feedback %+v, %d stages", err, f, cache.Len())
	}
	if err := create(r, Creation{Flags: failOnCompile, Cache: cache}); err != nil || !f.Pipeline.CacheHit || !f.Stages[0].CacheHit {
		t.Errorf("a hit: %v, feedback %+v", err, f)
	}
	if err := create(r, Creation{Flags: failOnCompile}); !errors.Is(err, ErrCompileRequired) {
		t.Errorf("without the cache that has it: %v", err)
	}

	data := must(cache.Data())(t)
	id := PipelineCacheUUID()
	if binary.LittleEndian.Uint32(data) != 32 || binary.LittleEndian.Uint32(data[4:]) != 1 || !bytes.Equal(data[16:32], id[:]) {
		t.Errorf("header % x", data[:32])
	}
	other := newRig(t, DeviceInfo{}, storage)
	loaded := must(other.dev.NewPipelineCache(data))(t)
	if again := must(loaded.Data())(t); !bytes.Equal(again, data) {
		t.Error("the data changes by a round trip")
	}
	if err := create(other, Creation{Flags: failOnCompile, Cache: loaded}); err != nil || !f.Pipeline.CacheHit {
		t.Errorf("a hit in loaded data: %v, feedback %+v", err, f)
	}
	// F05: the identifier alone is enough if the cache has the stage.
	module := must(other.dev.NewShaderModule(ctx, code(t, saxpy)))(t)
	for _, c := range []struct {
		cache *PipelineCache
		id    []byte
		want  error
	}{{loaded, must(module.Identifier())(t), nil}, {nil, must(module.Identifier())(t), ErrCompileRequired}, {loaded, []byte("another"), ErrCompileRequired}} {
		info := other.computeInfo(t, Creation{Flags: failOnCompile, Cache: c.cache})
		info.Stage = StageInfo{Identifier: c.id}
		if _, err := other.dev.NewComputePipeline(ctx, info); !errors.Is(err, c.want) {
			t.Errorf("identifier %x: %v, want %v", c.id, err, c.want)
		}
	}
	// The key has the inputs of the program, and nothing else.
	info := other.computeInfo(t, Creation{Flags: failOnCompile, Cache: loaded})
	info.Stage.Specialization = facts.Spec{7: 1}
	if _, err := other.dev.NewComputePipeline(ctx, info); !errors.Is(err, ErrCompileRequired) {
		t.Errorf("another specialization: %v", err)
	}
	info.Stage.Specialization, info.Stage.SubgroupSize = nil, 4
	if _, err := other.dev.NewComputePipeline(ctx, info); !errors.Is(err, ErrCompileRequired) {
		t.Errorf("another subgroup size: %v", err)
	}
	info.Stage.SubgroupSize, info.Stage.Robustness = 0, &Robustness{Storage: RobustBufferAccess}
	if _, err := other.dev.NewComputePipeline(ctx, info); err != nil {
		t.Errorf("another robustness: %v", err)
	}
}

// TestPipelineCacheMerge: merging is a union; a cache is not merged into itself (VUID-vkMergePipelineCaches-dstCache-00770).
func TestPipelineCacheMerge(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, DeviceInfo{}, storage)
	var caches []*PipelineCache
	for size := range 3 {
		c := must(r.dev.NewPipelineCache(nil))(t)
		for _, n := range []uint32{4, 8, 16}[:size+1] {
			info := r.computeInfo(t, Creation{Cache: c})
			info.Stage.SubgroupSize = n
			must(r.dev.NewComputePipeline(ctx, info))(t)
		}
		caches = append(caches, c)
	}
	if err := caches[0].Merge(caches[1], caches[2]); err != nil || caches[0].Len() != 3 {
		t.Errorf("%v, %d stages", err, caches[0].Len())
	}
	if x, y := must(caches[0].Data())(t), must(caches[2].Data())(t); !bytes.Equal(x, y) {
		t.Error("equal caches have different data")
	}
	if rule := ruleOf(caches[0].Merge(caches[1], caches[0])); rule != "VUID-vkMergePipelineCaches-dstCache-00770" {
		t.Errorf("merged into itself: %q", rule)
	}
}

// TestExternalCache creates pipelines with a cache that another call uses (Vulkan: host access to a cache with
// VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT must be externally synchronized), and with one after the other.
func TestExternalCache(t *testing.T) {
	r, rays := newRig(t, DeviceInfo{}, storage), newRayScene(t, DeviceInfo{})
	compute := func(c *PipelineCache) error {
		_, err := r.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Creation: Creation{Cache: c}, Stage: StageInfo{Code: code(t, saxpy)}, Layout: r.pipeline})
		return err
	}
	ray := func(c *PipelineCache) error {
		_, err := rays.dev.NewRayTracingPipeline(t.Context(), RayTracingPipelineInfo{Creation: Creation{Cache: c}, Stages: rayStages(t), Groups: rayGroups(), Layout: rays.layout})
		return err
	}
	graph := func(c *PipelineCache) error {
		_, err := r.dev.NewGraphPipeline(t.Context(), GraphPipelineInfo{Creation: Creation{Cache: c}, Layout: r.pipeline})
		return err
	}
	for rule, x := range map[string]struct {
		dev    *Device
		create func(*PipelineCache) error
	}{
		"VUID-vkCreateComputePipelines-pipelineCache-02873":            {r.dev, compute},
		"VUID-vkCreateRayTracingPipelinesKHR-pipelineCache-02903":      {rays.dev, ray},
		"VUID-vkCreateExecutionGraphPipelinesAMDX-pipelineCache-09127": {r.dev, graph},
	} {
		external, own := must(x.dev.NewExternalPipelineCache(nil))(t), must(x.dev.NewPipelineCache(nil))(t)
		for _, c := range []*PipelineCache{own, external} {
			free := x.create(c)
			c.use("")
			err := x.create(c)
			c.unuse()
			if c == external {
				wantRule(t, err, rule)
			} else if ruleOf(err) != ruleOf(free) {
				t.Errorf("%s: a synchronized cache in use: %v; must be as if it were not, %v", rule, err, free)
			}
			if again := x.create(c); ruleOf(again) != ruleOf(free) {
				t.Errorf("%s: after the other use: %v; must be %v", rule, again, free)
			}
		}
	}
}

// ruleOf returns the rule of a *UsageError.
func ruleOf(err error) string {
	var u *UsageError
	if errors.As(err, &u) {
		return u.Rule
	}
	return ""
}

// TestPipelineCacheData: every change of the header or of an entry makes the data foreign or drops the entry; the first
// bytes of the data are data too.
func TestPipelineCacheData(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	c := must(r.dev.NewPipelineCache(nil))(t)
	must(r.dev.NewComputePipeline(context.Background(), r.computeInfo(t, Creation{Cache: c})))(t)
	data := must(c.Data())(t)
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 1
		if n := must(r.dev.NewPipelineCache(bad))(t).Len(); n != 0 {
			t.Fatalf("byte %d is changed: %d stages are read", i, n)
		}
		if n := must(r.dev.NewPipelineCache(data[:i]))(t).Len(); n != 0 {
			t.Fatalf("%d bytes of %d: %d stages are read", i, len(data), n)
		}
	}
}

// FuzzPipelineCache reads any data, with the header and the checksum of an entry made right, makes a pipeline of it, and
// dispatches it: whatever the program is, it reaches no memory but that of its descriptors, and ends.
func FuzzPipelineCache(f *testing.F) {
	fresh := func(t testing.TB) *rig {
		return newRig(t, DeviceInfo{Budget: 1000, Workers: 1, Timeout: time.Second}, storage)
	}
	r := fresh(f)
	c := must(r.dev.NewPipelineCache(nil))(f)
	info := r.computeInfo(f, Creation{Cache: c})
	must(r.dev.NewComputePipeline(context.Background(), info))(f)
	k := must(r.dev.keysOf(&PipelineBinaryInfo{Compute: &info}))(f)[0]
	f.Add(c.get(k).stage.Program.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r.dev.Err() != nil { // by the program before
			r = fresh(t)
		}
		cache := must(r.dev.NewPipelineCache(b))(t)
		defer cache.Close()
		cache.read(b)
		cache.pieces[k] = &cached{packed: store.Pack(k, b)}
		p, err := r.dev.NewComputePipeline(context.Background(), r.computeInfo(t, Creation{Flags: failOnCompile, Cache: cache}))
		if err != nil {
			return
		}
		binaries, err := r.dev.NewPipelineBinaries(PipelineBinaryInfo{Data: []PipelineBinaryData{{PipelineBinaryKey(k), store.Pack(k, b)}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := must(binaries[0].Data())(t); !bytes.Equal(got.Data, store.Pack(k, b)) && len(got.Data) > len(b)+1<<10 {
			t.Error("other data")
		}
		binaries[0].Close()
		commands := r.record(t, func(c *CommandBuffer) {
			c.BindPipeline(p)
			c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
			c.PushConstants(r.pipeline, 0, push(3))
			c.Dispatch(2, 1, 1)
		})
		if err := r.submit(t, commands); err != nil && !errors.Is(err, ErrDeviceLost) {
			t.Error(err)
		}
		commands.Close()
		p.Close()
	})
}

// FuzzShaderBinary reads any data as the binary code of a shader object, with the checksum of its code made right.
func FuzzShaderBinary(f *testing.F) {
	r := newRig(f, DeviceInfo{}, storage)
	object := ShaderInfo{Stage: StageCompute, Code: code(f, saxpy), Layout: r.pipeline}
	data := must(must(r.dev.NewShaders(context.Background(), []ShaderInfo{object}))(f)[0].BinaryCode())(f)
	f.Add(data)
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, b := range [][]byte{b, sealed(b)} {
			list, err := r.dev.NewShaders(context.Background(), []ShaderInfo{{Stage: StageCompute, Code: b, Binary: true, Layout: r.pipeline}})
			if err == nil {
				list[0].Close()
			}
		}
	})
}

// sealed returns data with the length and the checksum of its code.
func sealed(b []byte) []byte {
	if len(b) < binaryHeader {
		return b
	}
	b = bytes.Clone(b)
	sum := sha256.Sum256(b[binaryHeader:])
	copy(b[40+sha256.Size:], sum[:])
	binary.LittleEndian.PutUint64(b[binaryHeader-8:], uint64(len(b)-binaryHeader))
	return b
}

// TestBatch: all pipelines of a batch are attempted, up to the failure of one with EarlyReturnOnFailure; errors decide the
// result before ErrCompileRequired.
func TestBatch(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, DeviceInfo{}, storage)
	good := func(flags enum.PipelineFlags) ComputePipelineInfo { return r.computeInfo(t, Creation{Flags: flags}) }
	bad := good(0)
	bad.Stage.Entry = "nothing"
	for i, c := range []struct {
		infos []ComputePipelineInfo
		made  []bool
		fails []int
		want  error
	}{
		{nil, nil, nil, nil},
		{[]ComputePipelineInfo{good(0), good(0)}, []bool{true, true}, nil, nil},
		{[]ComputePipelineInfo{good(failOnCompile), good(0)}, []bool{false, true}, []int{0}, ErrCompileRequired},
		{[]ComputePipelineInfo{good(failOnCompile | enum.PipelineFlagsEarlyReturnOnFailure), good(0)}, []bool{false, false}, []int{0}, ErrCompileRequired},
		{[]ComputePipelineInfo{good(enum.PipelineFlagsEarlyReturnOnFailure), good(failOnCompile), good(0)}, []bool{true, false, true}, []int{1}, ErrCompileRequired},
		{[]ComputePipelineInfo{good(failOnCompile), bad, good(0)}, []bool{false, false, true}, []int{0, 1}, nil},
	} {
		out, err := r.dev.NewComputePipelines(ctx, c.infos)
		for k, p := range out {
			if (p != nil) != c.made[k] {
				t.Errorf("batch %d, pipeline %d: %v", i, k, p)
			}
		}
		var failed *PipelineError
		if errors.As(err, &failed) != (c.fails != nil) {
			t.Errorf("batch %d: %v", i, err)
			continue
		}
		for k, n := range c.fails {
			if k >= len(failed.Failures) || failed.Failures[k].Index != n {
				t.Errorf("batch %d: failures %v, want %v", i, failed.Failures, c.fails)
			}
		}
		if c.fails != nil && errors.Is(err, ErrCompileRequired) != (c.want == ErrCompileRequired) {
			t.Errorf("batch %d: %v, want %v", i, err, c.want)
		}
	}
}

// TestDerivatives: a derivative has a base that allows it, and shares the stages of the base without a compilation.
func TestDerivatives(t *testing.T) {
	ctx := context.Background()
	const allow, derive = enum.PipelineFlagsAllowDerivatives, enum.PipelineFlagsDerivative
	r := newRig(t, DeviceInfo{}, storage)
	base := must(r.dev.NewComputePipeline(ctx, r.computeInfo(t, Creation{Flags: allow})))(t)
	plain := must(r.dev.NewComputePipeline(ctx, r.computeInfo(t, Creation{})))(t)
	var f CreationFeedback
	p, err := r.dev.NewComputePipeline(ctx, r.computeInfo(t, Creation{Flags: derive | failOnCompile, Base: base, Feedback: &f}))
	if err != nil || !f.Pipeline.BaseAcceleration || !f.Stages[0].BaseAcceleration || f.Pipeline.CacheHit {
		t.Fatalf("%v, feedback %+v", err, f)
	}
	if got := r.runSaxpy(t, p); got != 115 {
		t.Errorf("y[5] is %v, want 115", got)
	}
	zero, one := 0, 1
	for _, c := range []struct {
		c    Creation
		rule string
	}{
		{Creation{Flags: derive}, "VUID-VkGraphicsPipelineCreateInfo-flags-07984"},
		{Creation{Flags: derive, Base: (*ComputePipeline)(nil)}, "VUID-VkGraphicsPipelineCreateInfo-flags-07984"},
		{Creation{Flags: derive, Base: plain}, "VUID-vkCreateGraphicsPipelines-flags-00721"},
		{Creation{Flags: derive, Base: base, BaseIndex: &zero}, "VUID-VkGraphicsPipelineCreateInfo-flags-07986"},
	} {
		if _, err := r.dev.NewComputePipeline(ctx, r.computeInfo(t, c.c)); ruleOf(err) != c.rule {
			t.Errorf("%+v: %v, want %s", c.c, err, c.rule)
		}
	}
	out, err := r.dev.NewComputePipelines(ctx, []ComputePipelineInfo{
		r.computeInfo(t, Creation{Flags: allow}), r.computeInfo(t, Creation{Flags: derive, BaseIndex: &zero}), r.computeInfo(t, Creation{Flags: derive, BaseIndex: &one}),
	})
	if out[0] == nil || out[1] == nil || out[2] != nil || ruleOf(err) != "VUID-vkCreateGraphicsPipelines-flags-00721" {
		t.Errorf("%v, %v", out, err)
	}
	if _, err := r.dev.NewComputePipelines(ctx, []ComputePipelineInfo{r.computeInfo(t, Creation{Flags: derive, BaseIndex: &zero})}); ruleOf(err) != "VUID-vkCreateGraphicsPipelines-flags-00720" {
		t.Errorf("its own base: %v", err)
	}
}

// TestStageCode: a stage has one source of its code.
func TestStageCode(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	module := must(r.dev.NewShaderModule(context.Background(), code(t, saxpy)))(t)
	for _, c := range []struct {
		s     StageInfo
		flags enum.PipelineFlags
		rule  string
	}{
		{StageInfo{}, 0, "VUID-VkPipelineShaderStageCreateInfo-stage-06845"},
		{StageInfo{Identifier: make([]byte, 33)}, failOnCompile, "VUID-VkPipelineShaderStageModuleIdentifierCreateInfoEXT-identifierSize-06852"},
		{StageInfo{Identifier: must(module.Identifier())(t)}, 0, "VUID-VkPipelineShaderStageModuleIdentifierCreateInfoEXT-pNext-06851"},
		{StageInfo{Identifier: must(module.Identifier())(t), Module: module}, failOnCompile, "VUID-VkPipelineShaderStageCreateInfo-stage-06848"},
		{StageInfo{Identifier: must(module.Identifier())(t), Code: code(t, saxpy)}, failOnCompile, "VUID-VkPipelineShaderStageCreateInfo-stage-06844"},
		{StageInfo{Module: module, Entry: "nothing"}, 0, "VUID-VkPipelineShaderStageCreateInfo-pName-00707"},
	} {
		_, err := r.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Creation: Creation{Flags: c.flags}, Stage: c.s, Layout: r.pipeline})
		if ruleOf(err) != c.rule {
			t.Errorf("%+v: %v, want %s", c.s, err, c.rule)
		}
	}
	var missing *UnsupportedError
	if _, err := r.dev.NewComputePipeline(context.Background(), r.computeInfo(t, Creation{Flags: enum.PipelineFlagsRayTracingDisplacementMicromap})); !errors.As(err, &missing) {
		t.Errorf("a flag that Chiaro does not have: %v", err)
	}
}
