package vk

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
)

// fetchTexel stores the first component of texel (0, 0) of a storage image to a buffer.
const fetchTexel = `
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %image %to
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %image DescriptorSet 0
OpDecorate %image Binding 0
OpDecorate %to DescriptorSet 0
OpDecorate %to Binding 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%v2 = OpTypeVector %uint 2
%v4 = OpTypeVector %uint 4
%at = OpConstantComposite %v2 %zero %zero
%type = OpTypeImage %uint 2D 0 0 0 2 R32ui
%pimage = OpTypePointer UniformConstant %type
%image = OpVariable %pimage UniformConstant
%block = OpTypeStruct %uint
%pblock = OpTypePointer StorageBuffer %block
%puint = OpTypePointer StorageBuffer %uint
%to = OpVariable %pblock StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %type %image
%t = OpImageRead %v4 %i %at
%x = OpCompositeExtract %uint %t 0
%p = OpAccessChain %puint %to %zero
OpStore %p %x
OpReturn
OpFunctionEnd
`

// unwritten is a device that follows memory, with buffers whose memory the host never maps.
type unwritten struct {
	*rig
	reports []Report
}

func newUnwritten(t *testing.T, e exec.Engine) *unwritten {
	u := &unwritten{}
	u.rig = newRig(t, DeviceInfo{Engine: e, Sanitize: SanitizeUninit, Reports: func(r Report) { u.reports = append(u.reports, r) }}, storage)
	return u
}

// buffer returns a buffer of 8 floats in memory of its own.
func (u *unwritten) buffer(t *testing.T) *Buffer {
	t.Helper()
	b := must(u.dev.NewBuffer(BufferInfo{Size: 32, Usage: StorageBuffer | TransferSource | TransferTarget}))(t)
	if err := b.Bind(must(u.dev.Allocate(MemoryInfo{Size: 4096}))(t), 0); err != nil {
		t.Fatal(err)
	}
	return b
}

// saxpyOf records y = 2x + y for two buffers.
func (u *unwritten) saxpyOf(t *testing.T, c *CommandBuffer, x, y *Buffer) {
	t.Helper()
	set := must(must(u.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(u.layout))(t)
	if err := set.Update(Write{Binding: 0, Buffers: []BufferDescriptor{{x, 0, WholeSize}}}, Write{Binding: 1, Buffers: []BufferDescriptor{{y, 0, 32}}}); err != nil {
		t.Fatal(err)
	}
	c.BindPipeline(u.saxpy)
	c.BindSets(Compute, u.pipeline, 0, []*Set{set}, nil)
	c.PushConstants(u.pipeline, 0, push(2))
	c.Dispatch(2, 1, 1)
}

// TestUnwrittenMemory checks that values of bytes and texels that neither the host nor a command wrote are reported where they reach
// memory that the host sees, also after copies and further dispatches; and that no defined byte is.
func TestUnwrittenMemory(t *testing.T) {
	const x = "a store depends on the buffer in set 0, binding 0 or the buffer in set 0, binding 1, without a value"
	cases := []struct {
		name   string
		record func(t *testing.T, u *unwritten, c *CommandBuffer)
		want   string // a part of the report; "" for none
		times  uint64
	}{
		{"read", func(t *testing.T, u *unwritten, c *CommandBuffer) { u.saxpyOf(t, c, u.buffer(t), u.y) }, x, 8},
		{"mapped", func(t *testing.T, u *unwritten, c *CommandBuffer) { u.saxpyOf(t, c, u.x, u.y) }, "", 0},
		{"kept", func(t *testing.T, u *unwritten, c *CommandBuffer) { u.saxpyOf(t, c, u.x, u.buffer(t)) }, "", 0},
		{"next dispatch", func(t *testing.T, u *unwritten, c *CommandBuffer) {
			b := u.buffer(t)
			u.saxpyOf(t, c, u.x, b)
			c.Barrier()
			u.saxpyOf(t, c, b, u.y)
		}, x, 8},
		{"filled", func(t *testing.T, u *unwritten, c *CommandBuffer) {
			b := u.buffer(t)
			c.FillBuffer(b, 0, WholeSize, 0)
			c.Barrier()
			u.saxpyOf(t, c, b, u.y)
		}, "", 0},
		{"filled in part", func(t *testing.T, u *unwritten, c *CommandBuffer) {
			b := u.buffer(t)
			c.FillBuffer(b, 8, 12, 0)
			c.Barrier()
			u.saxpyOf(t, c, b, u.y)
		}, x, 5},
		{"updated", func(t *testing.T, u *unwritten, c *CommandBuffer) {
			b := u.buffer(t)
			c.UpdateBuffer(b, 4, make([]byte, 28))
			c.Barrier()
			u.saxpyOf(t, c, b, u.y)
		}, x, 1},
		{"copy of defined bytes", func(t *testing.T, u *unwritten, c *CommandBuffer) {
			b := u.buffer(t)
			c.CopyBuffer(u.x, b, []BufferCopy{{0, 0, 32}})
			c.Barrier()
			u.saxpyOf(t, c, b, u.y)
		}, "", 0},
		{"copy of undefined bytes", func(t *testing.T, u *unwritten, c *CommandBuffer) {
			a, b := u.buffer(t), u.buffer(t)
			c.UpdateBuffer(a, 0, make([]byte, 16))
			c.Barrier()
			c.CopyBuffer(a, b, []BufferCopy{{8, 0, 24}})
			c.Barrier()
			u.saxpyOf(t, c, b, u.y)
		}, x, 6},
		{"two buffers at one place", func(t *testing.T, u *unwritten, c *CommandBuffer) {
			a := u.buffer(t)
			b := must(u.dev.NewBuffer(BufferInfo{Size: 32, Usage: StorageBuffer}))(t)
			if err := b.Bind(a.memory, 0); err != nil {
				t.Fatal(err)
			}
			u.saxpyOf(t, c, a, u.y)
		}, "", 0},
		{"mapped later", func(t *testing.T, u *unwritten, c *CommandBuffer) {
			b := u.buffer(t)
			b.memory.Bytes()
			u.saxpyOf(t, c, b, u.y)
		}, "", 0},
	}
	for _, e := range []exec.Engine{nil, interp.Engine{}} {
		for _, k := range cases {
			t.Run(fmt.Sprintf("%s/%v", k.name, e != nil), func(t *testing.T) {
				u := newUnwritten(t, e)
				if err := u.submit(t, u.record(t, func(c *CommandBuffer) { k.record(t, u, c) })); err != nil {
					t.Fatal(err)
				}
				u.expect(t, k.want, "bytes of a buffer that nothing wrote", k.times)
			})
		}
	}
}

// expect checks that there is one report with a text, a rule and a count; none for "".
func (u *unwritten) expect(t *testing.T, want, rule string, times uint64) {
	t.Helper()
	switch {
	case want == "" && len(u.reports) == 0:
	case want != "" && len(u.reports) == 1 && strings.Contains(u.reports[0].Message, want) && u.reports[0].Times == times && u.reports[0].Rule == rule:
	default:
		t.Errorf("the reports %+v; must have %q, %d times", u.reports, want, times)
	}
}

// fetched returns an image that nothing has written, and what records a dispatch that reads a view of level 0.
func (u *unwritten) fetched(t *testing.T, levels int) (*Image, func(c *CommandBuffer, groups uint32)) {
	t.Helper()
	return u.fetchedOf(t, levels, 0)
}

// fetchedOf is fetched of an image with a further usage.
func (u *unwritten) fetchedOf(t *testing.T, levels int, usage ImageUsage) (*Image, func(c *CommandBuffer, groups uint32)) {
	t.Helper()
	return u.readOf(t, levels, ImageStorage|usage, link.StorageImage, fetchTexel)
}

// readOf is fetchedOf with a shader and the type of its descriptor.
func (u *unwritten) readOf(t *testing.T, levels int, usage ImageUsage, kind link.DescriptorType, shader string) (*Image, func(c *CommandBuffer, groups uint32)) {
	t.Helper()
	m := u.image(t, ImageInfo{Type: enum.ImageType2d, Format: link.FormatR32Uint, Extent: [3]int{4, 4, 1}, Levels: 2, Usage: ImageTransferTarget | usage})
	v := must(u.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d, Levels: levels}))(t)
	l := must(u.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{
		{Binding: 0, Type: kind, Count: 1, Stages: link.AllStages}, {Binding: 1, Type: storage, Count: 1, Stages: link.AllStages},
	}}))(t)
	pl := must(u.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{l}}))(t)
	set := must(must(u.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(l))(t)
	if err := set.Update(Write{Binding: 0, Images: []ImageDescriptor{{View: v}}}, Write{Binding: 1, Buffers: []BufferDescriptor{{u.y, 0, 32}}}); err != nil {
		t.Fatal(err)
	}
	p := must(u.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Stage: StageInfo{Code: code(t, shader)}, Layout: pl}))(t)
	return m, func(c *CommandBuffer, groups uint32) {
		c.BindPipeline(p)
		c.BindSets(Compute, pl, 0, []*Set{set}, nil)
		c.Dispatch(groups, 1, 1)
	}
}

// TestUnwrittenImage checks reads of an image of which nothing has written the level that the view shows.
func TestUnwrittenImage(t *testing.T) {
	whole := []ImageRange{{}}
	cases := []struct {
		name  string
		write func(u *unwritten, c *CommandBuffer, m *Image)
		fault bool
	}{
		{"unwritten", func(u *unwritten, c *CommandBuffer, m *Image) {}, true},
		{"another level", func(u *unwritten, c *CommandBuffer, m *Image) {
			c.ClearColorImage(m, [4]uint32{}, []ImageRange{{BaseLevel: 1, Levels: 1}})
		}, true},
		{"cleared", func(u *unwritten, c *CommandBuffer, m *Image) { c.ClearColorImage(m, [4]uint32{}, whole) }, false},
		{"copied", func(u *unwritten, c *CommandBuffer, m *Image) {
			c.CopyBufferToImage(u.x, m, []BufferImageCopy{{Extent: [3]int{2, 2, 1}}})
		}, false},
		{"mapped", func(u *unwritten, c *CommandBuffer, m *Image) { m.memory.Bytes() }, false},
	}
	for _, k := range cases {
		t.Run(k.name, func(t *testing.T) {
			u := newUnwritten(t, nil)
			m, fetch := u.fetched(t, 1)
			err := u.submit(t, u.record(t, func(c *CommandBuffer) {
				k.write(u, c, m)
				c.Barrier()
				fetch(c, 1)
			}))
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			if k.fault {
				want = "a store depends on the image in set 0, binding 0, without a value"
			}
			u.expect(t, want, "texels of an image that nothing wrote", 1)
			if i := slices.IndexFunc(u.reports, func(r Report) bool { return r.Name != "OpStore" }); i >= 0 {
				t.Errorf("a report at %s; must be at OpStore", u.reports[i].Name)
			}
		})
	}
}

// TestWrittenMeanwhile reads the first level of a view while another queue writes the second one: the race detector must find nothing.
func TestWrittenMeanwhile(t *testing.T) {
	u := &unwritten{}
	u.rig = newRig(t, DeviceInfo{Engine: interp.Engine{}, Sanitize: SanitizeUninit, Reports: func(Report) {}, Queues: allQueues}, storage)
	for range 8 {
		m, fetch := u.fetched(t, 2)
		begun := must(u.dev.NewEvent())(t)
		read := u.record(t, func(c *CommandBuffer) {
			fetch(c, 1)
			c.SetEvent(begun)
			fetch(c, 1<<10)
		})
		write := must(u.recordFor(t, 1, func(c *CommandBuffer) {
			c.WaitEvents(begun)
			c.ClearColorImage(m, [4]uint32{}, []ImageRange{{BaseLevel: 1, Levels: 1}})
		}))(t)
		for i, c := range []*CommandBuffer{read, write} {
			if err := u.dev.FamilyQueue(i, 0).Submit(SubmitInfo{Commands: []*CommandBuffer{c}}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 2 {
			if err := u.dev.FamilyQueue(i, 0).WaitIdle(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if m.untouched(layers{1, 1, 0, 1}) || !m.untouched(layers{0, 1, 0, 1}) {
			t.Error("level 0 counts as written, or level 1 does not")
		}
	}
}
