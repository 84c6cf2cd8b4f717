package vk

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
)

// TestProgress: a dispatch may run for longer than a stall while its workgroups end. Each of them adds to a number so often that all
// together take some tenths of a second or more.
func TestProgress(t *testing.T) {
	const groups, adds = 200, 1 << 16
	r := newRig(t, DeviceInfo{Stall: 100 * time.Millisecond, Workers: 1}, storage)
	text := strings.NewReplacer(
		"%begun = OpConstant %uint 7\n", "%adds = OpConstant %uint 65536\n%bool = OpTypeBool\n%pf = OpTypePointer Function %uint\n",
		"%l = OpLabel\n", "%l = OpLabel\n%n = OpVariable %pf Function %zero\n",
		"OpAtomicStore %px %device %zero %begun\n", "",
		"OpLoopMerge %end %continue None\nOpBranch %continue\n", "%i = OpLoad %uint %n\n%more = OpULessThan %bool %i %adds\nOpLoopMerge %end %continue None\nOpBranchConditional %more %continue %end\n",
		"%continue = OpLabel\n", "%continue = OpLabel\n%old = OpAtomicIAdd %uint %px %device %zero %device\n%next = OpIAdd %uint %i %device\nOpStore %n %next\n",
	).Replace(endless)
	module := must(r.dev.NewShaderModule(context.Background(), code(t, text)))(t)
	p := must(r.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Module: module}, Layout: r.pipeline}))(t)
	c := r.record(t, func(c *CommandBuffer) {
		c.BindPipeline(p)
		c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
		c.Dispatch(groups, 1, 1)
	})
	before := r.dev.Queue().ctx.Progress()
	if err := r.submit(t, c); err != nil {
		t.Fatal(err)
	}
	if n := r.dev.Queue().ctx.Progress() - before; n < 2 {
		t.Errorf("%d parts of the dispatch have ended; must be several", n)
	}
}

// endlessly begins the function whose first block is the label with a loop that does not end.
func endlessly(text, label string) string {
	const loop = "OpBranch %loop\n%loop = OpLabel\nOpLoopMerge %over %again None\nOpBranch %again\n%again = OpLabel\nOpBranch %loop\n%over = OpLabel\n"
	return strings.Replace(text, label+" = OpLabel\n", label+" = OpLabel\n"+loop, 1)
}

// TestStall checks that shaders without an end lose the device where a command runs them beside other work: in the draws before a clear,
// and in a graph after a draw of the graph.
func TestStall(t *testing.T) {
	// A time-out counts the commands before the endless one too, and what they compile.
	const stall, timeout = 50 * time.Millisecond, 2 * time.Second
	for kind, info := range map[string]DeviceInfo{"stall": {Stall: stall}, "timeout": {Timeout: timeout}} {
		info.Workers = 1
		t.Run(kind+" of a clear", func(t *testing.T) {
			s := newSceneOn(t, 1, info)
			s.stages.Fragment = &StageInfo{Code: code(t, endlessly(pushed, "%l"))}
			s.build(t)
			s.lose(t, "clear attachments", func(c *CommandBuffer) {
				c.Draw(3, 1, 0, 0)
				for range 64 { // more than the steps of a pass
					c.ClearAttachments(Clears{Area: Rect{Width: 1, Height: 1}, Colors: map[int][4]uint32{0: {}}})
				}
			})
		})
		t.Run(kind+" of a graph", func(t *testing.T) {
			s := newSceneOn(t, 1, info)
			ctx := context.Background()
			root := must(s.dev.NewComputePipeline(ctx, ComputePipelineInfo{
				Creation: Creation{Flags: enum.PipelineFlagsLibrary}, Stage: StageInfo{Code: code(t, endlessly(twoNodes, "%l")), Entry: "root"}, Layout: must(s.dev.NewPipelineLayout(PipelineLayoutInfo{}))(t),
			}))(t)
			leaf := must(s.dev.NewGraphicsPipeline(ctx, s.meshNode(t, meshLeaf)))(t)
			p := must(s.dev.NewGraphPipeline(ctx, GraphPipelineInfo{Layout: s.layout, Computes: []*ComputePipeline{root}, Meshes: []*GraphicsPipeline{leaf}}))(t)
			scratch := s.graphScratch(t, p)
			first, _ := p.NodeIndex("leaf", 0)
			second, _ := p.NodeIndex("root", 0)
			s.build(t)
			s.lose(t, "dispatch graph", func(c *CommandBuffer) {
				c.BindGraph(p)
				c.DispatchGraph(scratch, []GraphStart{
					{Node: first, Count: 1, Payloads: payloadWords(1, 1), Stride: 8},
					{Node: second, Count: 1, Payloads: payloadWords(0), Stride: 4},
				})
			})
		})
	}
}

// lose submits a rendering in which a command loses the device by its time.
func (s *scene) lose(t *testing.T, command string, draws func(c *CommandBuffer)) {
	t.Helper()
	err := s.submit(t, s.record(t, func(c *CommandBuffer) {
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		c.BeginRendering(s.rendering())
		draws(c)
		c.EndRendering()
	}))
	var lost *LostError
	if !errors.As(err, &lost) || lost.Command != command || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v; must be the loss of the device in %s", err, command)
	}
}

// TestVertexProgress checks that the vertices of a draw are progress before their task ends, which may have 32768.
func TestVertexProgress(t *testing.T) {
	s := newSceneOn(t, 1, DeviceInfo{Workers: 2})
	s.build(t)
	before := s.dev.Queue().ctx.Progress()
	s.shot(t, func(c *CommandBuffer) { c.Draw(3, 20000, 10, 0) }) // of zeros: no fragments
	if n := s.dev.Queue().ctx.Progress() - before; n < 8 {
		t.Errorf("%d parts of the draw have ended; must be at least 8", n)
	}
}

// TestStallCounts checks that only the time of runs counts: a command may compile a shader for longer than a stall.
func TestStallCounts(t *testing.T) {
	ctx := exec.NewStopContext()
	s := newStall(ctx, time.Hour)
	s.watched.Store(true) // the test looks itself
	s.begin()
	pass := func() { // two hours, of the clock and of the processor
		s.look()
		s.last.clock, s.last.processor = s.last.clock.Add(-2*time.Hour), s.last.processor-2*time.Hour
		s.look()
	}
	if pass(); ctx.Err() != nil {
		t.Errorf("%v without a run; must not end", ctx.Err())
	}
	var pool exec.Pool
	pool.Run(ctx, 1, func(int) { pass() })
	if ctx.Err() == nil {
		t.Error("a run without progress does not end")
	}
	s.end()
}
