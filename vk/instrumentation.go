package vk

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// The flags of shaders that count (VK_ARM_shader_instrumentation).
const (
	InstrumentShaders enum.PipelineFlags = 1 << 39 // VK_PIPELINE_CREATE_2_INSTRUMENT_SHADERS_BIT_ARM
	InstrumentShader  enum.ObjectFlags   = 1 << 11 // VK_SHADER_CREATE_INSTRUMENT_SHADER_BIT_ARM
)

// MetricDescription describes a metric of instrumented shaders.
type MetricDescription struct {
	Name, Description string
}

// metrics are the metrics in the order of their values.
var metrics = []MetricDescription{
	{"Invocations", "Number of times that invocations of the shader executed the basic block. Helper invocations do not count."},
	{"Instructions", "Number of instructions of the optimized program that invocations executed in the basic block. Helper invocations do not count."},
}

// PerBasicBlockGranularity reports that metrics are for each basic block (perBasicBlockGranularity).
const PerBasicBlockGranularity = true

// ShaderInstrumentationMetrics returns the metrics (vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM).
func (p *PhysicalDevice) ShaderInstrumentationMetrics() []MetricDescription {
	return slices.Clone(metrics)
}

// ShaderInstrumentation has the metrics of the commands that were recorded while it was active (VkShaderInstrumentationARM).
// Submissions add to them.
type ShaderInstrumentation struct {
	object
	next uint32 // result index of the next command

	mu       sync.Mutex
	results  map[resultKey]*counters
	counters int // of all results
}

// resultKey identifies the counters of a stage of a command. part is the result sub-index.
type resultKey struct {
	index, part uint32
	program     *ir.Program
}

// counters are the counters of one stage of one command.
type counters struct {
	stage uint32   // the number of its bit in VkShaderStageFlags
	sizes []uint64 // instructions of the basic blocks
	words []uint64 // how often invocations executed them
}

// Counters are in a set after all sets of descriptors. The binding is the number of the stage.
const counterSet = maxSets

// maxCounters bounds the counters of an object.
const maxCounters = 1 << 24

// NewShaderInstrumentation makes an object without metrics.
func (d *Device) NewShaderInstrumentation() (*ShaderInstrumentation, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	s := &ShaderInstrumentation{results: map[resultKey]*counters{}}
	d.adopt(&s.object, "shader instrumentation", func() { s.results, s.counters = nil, 0 })
	return s, nil
}

// instrument makes a program count.
func instrument(p *ir.Program) { pass.Instrument(p, counterSet, stageNumbers[p.Stage]) }

// stageNumbers are the numbers of the bits of stages in VkShaderStageFlags.
var stageNumbers = map[ir.Stage]uint32{
	ir.Vertex: 0, ir.TessControl: 1, ir.TessEval: 2, ir.Geometry: 3, ir.Fragment: 4, ir.Compute: 5, ir.Task: 6, ir.Mesh: 7,
	ir.RayGen: 8, ir.AnyHit: 9, ir.ClosestHit: 10, ir.Miss: 11, ir.Intersection: 12, ir.Callable: 13,
}

// BeginShaderInstrumentation makes an object active: it gets the metrics of the instrumented shaders of the following
// draws, dispatches and traces of the command buffer. Each of them has a result index: their number since the object was made.
func (c *CommandBuffer) BeginShaderInstrumentation(s *ShaderInstrumentation) {
	if !c.starts("vkCmdBeginShaderInstrumentationARM") || !c.instrumentable("vkCmdBeginShaderInstrumentationARM") {
		return
	}
	if err := check(c.dev, "the shader instrumentation", s); err != nil {
		c.fail(err)
		return
	}
	if c.instrumentation != nil {
		c.fail(usage("VUID-vkCmdBeginShaderInstrumentationARM-commandBuffer-12375", "%v is active; must end before", &c.instrumentation.object))
		return
	}
	c.refer(&s.object)
	c.instrumentation = s
}

// EndShaderInstrumentation ends the activity of an object.
func (c *CommandBuffer) EndShaderInstrumentation() {
	if !c.starts("vkCmdEndShaderInstrumentationARM") || !c.instrumentable("vkCmdEndShaderInstrumentationARM") {
		return
	}
	if c.instrumentation == nil {
		c.fail(usage("VUID-vkCmdEndShaderInstrumentationARM-commandBuffer-12377", "no shader instrumentation is active; must be"))
		return
	}
	c.instrumentation = nil
}

// instrumentable reports whether the command buffer may begin and end a shader instrumentation.
func (c *CommandBuffer) instrumentable(command string) bool {
	return c.onFamily(command, "shader instrumentation") && c.notSuspended(command)
}

// onFamily reports whether the queue family of the command buffer draws or computes.
func (c *CommandBuffer) onFamily(command, what string) bool {
	if queueFamilies[c.family].Flags&shaderQueue == 0 {
		c.fail(usage("VUID-"+command+"-commandBuffer-cmdpool", "%v of queue family %d has %s; must be of a family that draws or computes", &c.object, c.family, what))
		return false
	}
	return true
}

// notSuspended reports whether no rendering is suspended.
func (c *CommandBuffer) notSuspended(command string) bool {
	if c.suspended {
		c.fail(usage("VUID-"+command+"-suspended", "the command is between suspended renderings; must not be"))
	}
	return !c.suspended
}

// action assigns a result index to the next command, a draw, a dispatch or a trace, if a shader instrumentation is active.
func (c *CommandBuffer) action() {
	s := c.instrumentation
	if s == nil {
		return
	}
	if s.next == math.MaxUint32 {
		c.fail(&OutOfMemoryError{Bytes: maxCounters * 8})
		return
	}
	w := take[countedAction](c)
	*w = countedAction{s, s.next}
	c.deferred("shader instrumentation", w)
	s.next++
}

// countedAction assigns the result index of the next command.
type countedAction struct {
	object *ShaderInstrumentation
	index  uint32
}

func (w *countedAction) run(x *executor) error {
	x.counting = w
	return nil
}

// count adds the counters of the stages of a command to its descriptors, which are in x.args.
func (x *executor) count(sets []compute.Set, stages ...*shader.Stage) ([]compute.Set, error) {
	set, err := x.counters(x.part, stages...)
	if set == nil || err != nil {
		return sets, err
	}
	out := x.args[:]
	clear(out[len(sets):counterSet])
	out[counterSet] = set
	return out, nil
}

// counters returns the counters of the stages of a part of the command, as a set of descriptors; nil if none of them counts.
func (x *executor) counters(part uint32, stages ...*shader.Stage) (set compute.Set, err error) {
	if x.counting != nil {
		set, err = x.counting.object.set(x.counting.index, part, stages)
	}
	if x.dev.lowering.Profile && err == nil {
		set, err = x.dev.profiler.append(set, stages)
	}
	return set, err
}

// instrumented reports whether a program counts.
func instrumented(p *ir.Program) bool {
	return pass.Blocks(p, counterSet, stageNumbers[p.Stage]) != nil
}

// set returns the counters of the stages of a part of a command as a set of descriptors; nil if no stage counts.
func (s *ShaderInstrumentation) set(index, part uint32, stages []*shader.Stage) (set compute.Set, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stage := range stages {
		k := resultKey{index, part, stage.Program}
		c := s.results[k]
		if c == nil {
			sizes := pass.Blocks(stage.Program, counterSet, stageNumbers[stage.Program.Stage])
			if sizes == nil {
				continue
			}
			if n := len(sizes); n > maxCounters-s.counters {
				return nil, &OutOfMemoryError{Bytes: uint64(n) * 8, Left: uint64(maxCounters-s.counters) * 8}
			}
			s.counters += len(sizes)
			c = &counters{stageNumbers[stage.Program.Stage], sizes, make([]uint64, len(sizes)+1)} // engines align descriptors of 16 bytes or more
			s.results[k] = c
		}
		set = insertCounters(set, c.stage, c.words)
	}
	return set, nil
}

// insertCounters inserts a descriptor of counters into a set, whose bindings are ascending.
func insertCounters(set compute.Set, binding uint32, words []uint64) compute.Set {
	b := compute.SetBinding{Number: binding, Buffers: []exec.Buffer{{Bytes: bytesOfWords(words)}}}
	at, _ := slices.BinarySearchFunc(set, binding, func(b compute.SetBinding, n uint32) int { return cmp.Compare(b.Number, n) })
	return slices.Insert(set, at, b)
}

// MetricBlock has the metrics of one basic block of a shader in one command (VkShaderInstrumentationMetricDataHeaderARM and
// the values after it): the sums over its draws, views and submissions.
type MetricBlock struct {
	ResultIndex    uint32
	ResultSubIndex uint32 // the first group of a pipeline that has the ray tracing shader, the number of the node of a graph; 0 for other shaders
	Stages         uint32 // VkShaderStageFlags
	BasicBlock     uint32 // the number of the block in the optimized program
	Values         [2]uint64
}

// Blocks returns the metrics, in ascending order of result indices, sub-indices, stages and basic blocks. No submission that uses the
// object may be unfinished.
func (s *ShaderInstrumentation) Blocks() ([]MetricBlock, error) {
	if err := s.idle(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []MetricBlock
	for k, c := range s.results {
		for i, size := range c.sizes {
			out = append(out, MetricBlock{ResultIndex: k.index, ResultSubIndex: k.part, Stages: 1 << c.stage, BasicBlock: uint32(i), Values: [2]uint64{c.words[i], c.words[i] * size}})
		}
	}
	slices.SortFunc(out, func(x, y MetricBlock) int {
		return cmp.Or(cmp.Compare(x.ResultIndex, y.ResultIndex), cmp.Compare(x.ResultSubIndex, y.ResultSubIndex), cmp.Compare(x.Stages, y.Stages), cmp.Compare(x.BasicBlock, y.BasicBlock))
	})
	return out, nil
}

// Values returns the metrics as vkGetShaderInstrumentationValuesARM writes them: for each block of Blocks four words of 32
// bits, the header, and its values, 64 bits each, without space between them, the least significant byte first.
func (s *ShaderInstrumentation) Values() ([]byte, error) {
	blocks, err := s.Blocks()
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, b := range blocks {
		for _, n := range []uint32{b.ResultIndex, b.ResultSubIndex, b.Stages, b.BasicBlock} {
			out = binary.LittleEndian.AppendUint32(out, n)
		}
		for _, n := range b.Values {
			out = binary.LittleEndian.AppendUint64(out, n)
		}
	}
	return out, nil
}

// Clear sets all metrics to 0 (vkClearShaderInstrumentationMetricsARM). The blocks stay.
func (s *ShaderInstrumentation) Clear() error {
	if err := s.idle(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.results {
		clear(c.words)
	}
	return nil
}

// idle returns an error if the counters may change.
func (s *ShaderInstrumentation) idle() error {
	if err := check(nil, "the shader instrumentation", s); err != nil {
		return err
	}
	if s.state.Load()&counted != 0 {
		return &InUseError{Object: s.String()}
	}
	return nil
}
