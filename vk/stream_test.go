package vk

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/enum"
)

// streamStep is a part of a random stream: commands that bind all that they use, and the last family that runs them.
type streamStep struct {
	family int
	record func(c *CommandBuffer)
}

// streamScene is a scene whose command streams run in one of the ways of TestStreams.
type streamScene struct {
	*scene
	all   *Buffer // x, y and the pixels: all but the vertices
	extra *Image  // the target of copies and clears
	event *Event
	order *Semaphore // of steps on different queues
	count *QueryPool // of samples
}

func newStreamScene(t testing.TB, workers int) *streamScene {
	s := &streamScene{scene: newSceneOn(t, 1, DeviceInfo{Workers: workers, Queues: allQueues})}
	s.build(t)
	s.all = must(s.dev.NewBuffer(BufferInfo{Size: 4096, Usage: TransferSource | TransferTarget | ConditionalBuffer}))(t)
	s.extra = must(s.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R8G8B8A8_UNORM"), Extent: [3]int{8, 8, 1}, Usage: ImageTransferSource | ImageTransferTarget}))(t)
	for _, err := range []error{s.all.Bind(s.memory, 0), s.extra.Bind(s.images, 32768)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s.event, s.order = must(s.dev.NewEvent())(t), must(s.dev.NewSemaphore(0))(t)
	s.count = must(s.dev.NewQueryPool(QueryPoolInfo{Type: Occlusion, Count: 2}))(t)
	return s
}

// place returns a random multiple of 4 bytes that leaves room for n bytes, outside of the vertices.
func place(r *rand.Rand, n int) uint64 {
	if r.IntN(2) == 0 {
		return uint64(4 * r.IntN((1024-n)/4+1))
	}
	return uint64(2048 + 4*r.IntN((2048-n)/4+1))
}

// step returns a random step.
func (s *streamScene) step(r *rand.Rand) streamStep {
	n := 4 * (1 + r.IntN(16))
	from, to, word := place(r, n), place(r, n), r.Uint32()
	at, corner := place(r, 256), [3]int{r.IntN(4), r.IntN(4), 0}
	part := []BufferImageCopy{{BufferOffset: at, Offset: corner, Extent: [3]int{4, 4, 1}}}
	switch r.IntN(10) {
	case 0:
		if from+uint64(n) > to && to+uint64(n) > from { // regions must not overlap
			from, to = 0, 512
		}
		return streamStep{2, func(c *CommandBuffer) { c.CopyBuffer(s.all, s.all, []BufferCopy{{from, to, uint64(n)}}) }}
	case 1:
		return streamStep{2, func(c *CommandBuffer) { c.FillBuffer(s.all, to, uint64(n), word) }}
	case 2:
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		return streamStep{2, func(c *CommandBuffer) { c.UpdateBuffer(s.all, to, data) }}
	case 3:
		return streamStep{2, func(c *CommandBuffer) { c.CopyBufferToImage(s.all, s.extra, part) }}
	case 4:
		source := []*Image{s.extra, s.color}[r.IntN(2)]
		return streamStep{2, func(c *CommandBuffer) { c.CopyImageToBuffer(source, s.all, part) }}
	case 5:
		copies := []ImageCopy{{SourceOffset: corner, TargetOffset: [3]int{corner[1], corner[0], 0}, Extent: [3]int{4, 4, 1}}}
		return streamStep{2, func(c *CommandBuffer) { c.CopyImage(s.color, s.extra, copies) }}
	case 6:
		return streamStep{1, func(c *CommandBuffer) { c.ClearColorImage(s.extra, [4]uint32{0x3f000000, word & 0x3fffffff}, nil) }}
	case 7:
		return streamStep{1, func(c *CommandBuffer) {
			c.SetEvent(s.event)
			c.WaitEvents(s.event)
			c.ResetEvent(s.event)
		}}
	case 8:
		return s.drawStep(r)
	}
	groups, value, base := 1+r.Uint32N(2), push(float32(r.IntN(5))-2), uint32(0)
	if groups == 1 {
		base = r.Uint32N(2)
	}
	return streamStep{1, func(c *CommandBuffer) {
		c.BindPipeline(s.saxpy)
		c.BindSets(Compute, s.rig.pipeline, 0, []*Set{s.set}, nil)
		c.PushConstants(s.rig.pipeline, 0, value)
		c.DispatchBase([3]uint32{base}, [3]uint32{groups, 1, 1})
	}}
}

// drawStep returns a rendering of a few draws and clears, of which some depend on a word of memory, and counts samples.
func (s *streamScene) drawStep(r *rand.Rand) streamStep {
	info := s.rendering()
	if r.IntN(2) == 0 {
		info.Colors[0].Load, info.Depth.Load = Load, Load
	}
	var list []func(c *CommandBuffer)
	for range 1 + r.IntN(4) {
		first, color, area := 3*r.Uint32N(2), r.Float32(), Rect{X: r.Int32N(4), Y: r.Int32N(4), Width: 3, Height: 3}
		if r.IntN(3) == 0 {
			list = append(list, func(c *CommandBuffer) {
				c.ClearAttachments(Clears{Area: area, Colors: map[int][4]uint32{0: {0x3f800000, 0, 0x3f000000, 0}}, Depth: new(uint32)})
			})
			continue
		}
		condition, word, inverted := r.IntN(3) == 0, place(r, 4), r.IntN(2) == 0
		list = append(list, func(c *CommandBuffer) {
			s.paint(c, color, 1-color, .25, 1)
			if condition {
				c.BeginConditionalRendering(s.all, word, inverted)
			}
			c.DrawMulti([]MultiDraw{{First: first, Count: 3}, {First: 3 - first, Count: 3}}, 1, 0)
			if condition {
				c.EndConditionalRendering()
			}
			c.Draw(3, 1, first, 0)
		})
	}
	counts := place(r, 16)
	return streamStep{0, func(c *CommandBuffer) {
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		c.ResetQueries(s.count, 0, 2)
		c.BeginQuery(s.count, 1, 0)
		c.BeginRendering(info)
		for _, record := range list {
			record(c)
		}
		c.BeginQuery(s.count, 0, QueryPrecise)
		list[0](c)
		c.EndQuery(s.count, 0)
		c.EndRendering()
		c.EndQuery(s.count, 1)
		c.CopyQueries(s.count, 0, 2, s.all, counts, 8, QueryWithAvailability)
	}}
}

// buffer records steps into a command buffer of a family.
func (s *streamScene) buffer(t testing.TB, info CommandBufferInfo, steps ...streamStep) *CommandBuffer {
	t.Helper()
	c := must(s.dev.NewCommandBuffer(info))(t)
	if err := c.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	for _, x := range steps {
		x.record(c)
		c.Barrier()
	}
	if err := c.End(); err != nil {
		t.Fatal(err)
	}
	return c
}

// The ways to run a stream.
const (
	atOnce     = iota // one command buffer
	serialised        // a submission and a wait for each step
	secondary         // a secondary command buffer for each two steps
	spread            // each step on a queue of the last family that runs it, in order by a semaphore
	ways
)

// play runs a stream and returns the memory.
func (s *streamScene) play(t testing.TB, seed uint64, length, way int) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	for _, b := range [][]byte{s.memory.Bytes()[:1024], s.memory.Bytes()[2048:], s.images.Bytes()} {
		clear(b)
	}
	var steps []streamStep
	for range length {
		steps = append(steps, s.step(r))
	}
	var used []*CommandBuffer
	switch way {
	case atOnce:
		used = append(used, s.buffer(t, CommandBufferInfo{}, steps...))
	case secondary:
		for i := 0; i < length; i += 2 {
			used = append(used, s.buffer(t, CommandBufferInfo{Secondary: true}, steps[i:min(i+2, length)]...))
		}
		list := used
		used = append(used, s.buffer(t, CommandBufferInfo{}, streamStep{0, func(c *CommandBuffer) { c.Execute(list...) }}))
	default:
		for _, x := range steps {
			if way == serialised {
				x.family = 0
			}
			c := s.buffer(t, CommandBufferInfo{Family: x.family}, x)
			used = append(used, c)
			if way == serialised {
				if err := s.submit(t, c); err != nil {
					t.Fatal(err)
				}
				continue
			}
			last := s.order.Value() + uint64(len(used)-1) // none has begun: the first waits for the host
			info := SubmitInfo{Wait: []SemaphoreValue{{s.order, last + 1}}, Commands: []*CommandBuffer{c}, Signal: []SemaphoreValue{{s.order, last + 2}}}
			if err := s.dev.FamilyQueue(x.family, 0).Submit(info); err != nil {
				t.Fatal(err)
			}
		}
	}
	switch last := used[len(used)-1]; way {
	case atOnce, secondary:
		if err := s.submit(t, last); err != nil {
			t.Fatal(err)
		}
	case spread:
		s.order.Signal(s.order.Value() + 1)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.dev.WaitIdle(ctx); err != nil {
			t.Fatal(err)
		}
	}
	out := append(append([]byte(nil), s.memory.Bytes()...), s.images.Bytes()...)
	for _, c := range used {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestStreams runs random streams of commands with one worker and with many, in all ways: the memory has the same bytes.
// CHIARO_LONG runs many more.
func TestStreams(t *testing.T) {
	streams := 12
	if os.Getenv("CHIARO_LONG") != "" {
		streams = 3000
	}
	single, many := newStreamScene(t, 1), newStreamScene(t, 4)
	changed := 0
	for seed := range uint64(streams) {
		length := 2 + int(seed%23)
		want := single.play(t, seed, length, atOnce)
		for way := range ways {
			for workers, s := range map[int]*streamScene{1: single, 4: many} {
				if got := s.play(t, seed, length, way); !bytes.Equal(got, want) {
					at := 0
					for got[at] == want[at] {
						at++
					}
					t.Fatalf("stream %d, way %d, %d workers: byte %d is %#x; must be %#x", seed, way, workers, at, got[at], want[at])
				}
			}
		}
		for _, b := range want[2048:] {
			if b != 0 {
				changed++
				break
			}
		}
	}
	if changed < streams/2 {
		t.Errorf("%d of %d streams write; must be most", changed, streams)
	}
}
