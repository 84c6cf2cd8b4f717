package vk

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestRecordMappings maps the buffer of a ray generation and of a callable shader by the data of their records, on both engines: by an
// index into the heap, scaled and added to an offset, and by an address (VkDescriptorMappingSourceShaderRecordIndexEXT,
// VK_DESCRIPTOR_MAPPING_SOURCE_SHADER_RECORD_ADDRESS_EXT). The sanitizer reports an index beyond the heap, and an address of no buffer, and nothing else.
func TestRecordMappings(t *testing.T) {
	for engine, of := range map[string]exec.Engine{"machine code": nil, "interpreter": interp.Engine{}} {
		var found []string
		r := newRayScene(t, DeviceInfo{Engine: of, Sanitize: SanitizeBounds, Reports: func(x Report) { found = append(found, x.Rule) }})
		const heap = 20480 // of the buffer
		info := DescriptorInfo{Type: storage, Address: r.buffer.Address() + rayOutput, Range: 64}
		if err := r.dev.WriteDescriptor(r.memory.Bytes()[heap+64+3*128:], info); err != nil {
			t.Fatal(err)
		}
		gen, call := rayShader(t, "heapgen"), rayShader(t, "heapcall")
		gen.Mappings = []Mapping{{
			Mapping:     link.Mapping{First: 1, Source: enum.MappingSourceHeapWithShaderRecordIndex, HeapOffset: 64, RecordOffset: 4, HeapArrayStride: 64},
			IndexStride: 128,
		}}
		call.Mappings = []Mapping{{Mapping: link.Mapping{First: 1, Source: enum.MappingSourceShaderRecordAddress, RecordOffset: 8}}}
		p := must(r.dev.NewRayTracingPipeline(t.Context(), RayTracingPipelineInfo{
			Creation: Creation{Flags: enum.PipelineFlagsDescriptorHeap},
			Stages:   []RayStageInfo{{spirv.ExecutionModelRayGenerationKHR, gen}, {spirv.ExecutionModelCallableKHR, call}},
			Groups:   []link.Group{{Type: enum.GroupTypeGeneral, General: ref(0)}, {Type: enum.GroupTypeGeneral, General: ref(1)}},
		}))(t)
		tables := r.tables(t, p, 0, 1)
		tables.Callable, tables.Miss = tables.Miss, ShaderTable{}
		record := r.memory.Bytes()[rayTables+GroupHandleSize:]
		binary.LittleEndian.PutUint32(record[4:], 3)
		binary.LittleEndian.PutUint64(record[64+8:], r.buffer.Address()+rayOutput+256)
		trace := func(c *CommandBuffer) {
			c.BindRayTracingPipeline(p)
			c.BindResourceHeap(HeapRange{r.buffer.Address() + heap, 2048})
			c.TraceRays(tables, 4, 1, 1)
		}
		r.run(t, trace)
		for i := range 4 {
			if a, b := r.word(rayOutput+4*i), r.word(rayOutput+256+4*i); a != uint32(i+1) || b != uint32(i+10) {
				t.Errorf("%s: results %d are %d and %d; must be %d and %d", engine, i, a, b, i+1, i+10)
			}
		}
		if len(found) > 0 {
			t.Errorf("%s: the reports %q; must be none", engine, found)
		}
		binary.LittleEndian.PutUint32(record[4:], 16)
		r.run(t, trace)
		if found = slices.Compact(found); !slices.Equal(found, []string{"VUID-vkCmdDraw-None-11309"}) {
			t.Errorf("%s: the reports %q of an index beyond the heap", engine, found)
		}
		binary.LittleEndian.PutUint32(record[4:], 3)
		for _, wild := range []uint64{0, 0x123456789000, ^uint64(0) - 3} {
			found = nil
			binary.LittleEndian.PutUint64(record[64+8:], wild)
			r.run(t, trace)
			if found = slices.Compact(found); !slices.Equal(found, []string{"VUID-vkCmdTraceRaysKHR-None-11319"}) {
				t.Errorf("%s: the reports %q of the address %#x in the record", engine, found, wild)
			}
		}
	}
}

// TestRecordObjects maps an acceleration structure, an array of images, a sampler, a storage image and a combined image sampler by
// indices in the shader record, with and without sanitizers. These report a descriptor beyond the heap, and one of no live object, and
// nothing for others. The second shader has functions that get pointers to these, but for the structure.
func TestRecordObjects(t *testing.T) {
	for _, name := range []string{"recordgen", "recordcall"} {
		t.Run(name, func(t *testing.T) { recordObjects(t, name) })
	}
}

// recordObjects is TestRecordObjects for one shader.
func recordObjects(t *testing.T, shader string) {
	const heap, samplers = 20480, 24576 // of the buffer
	for _, sanitize := range []Sanitizers{0, SanitizeBounds | SanitizeUninit | SanitizeUndefined | SanitizeRace} {
		var found []string
		r := newRayScene(t, DeviceInfo{Sanitize: sanitize, Reports: func(x Report) { found = append(found, x.Rule) }})
		write := func(at int, info DescriptorInfo) {
			t.Helper()
			if err := r.dev.WriteDescriptor(r.memory.Bytes()[at:], info); err != nil {
				t.Fatal(err)
			}
		}
		bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
		r.instance(0, bottom, 0)
		r.build(t, r.bottom(bottom, 1))
		r.build(t, r.top(top, 1))
		for _, at := range []int{heap, samplers} { // descriptor 5 is of no object
			binary.LittleEndian.PutUint64(r.memory.Bytes()[at+5*64:], 0x7777_0000_0000)
			binary.LittleEndian.PutUint64(r.memory.Bytes()[at+6*64:], 0x7777_0000_0000)
		}
		write(heap, DescriptorInfo{Type: storage, Address: r.buffer.Address() + rayOutput, Range: 64})
		write(heap+64, DescriptorInfo{Type: structureBinding[0].Type, Address: top.Address()})
		for i := range 3 {
			m := r.image(t, ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R32_SFLOAT"), Extent: [3]int{1, 1, 1}, Usage: ImageSampled | ImageStorage | ImageTransferTarget})
			r.submitted(t, func(c *CommandBuffer) {
				c.ClearColorImage(m, [4]uint32{math.Float32bits(float32(i + 2))}, []ImageRange{{Levels: 1, Layers: 1}})
			})
			typ := sampledImage
			if i == 2 {
				typ = link.DescriptorType(iface.StorageImage)
			}
			write(heap+128+64*i, DescriptorInfo{Type: typ, View: must(r.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)})
		}
		write(samplers+64, DescriptorInfo{Type: link.SamplerDescriptor, Sampler: must(r.dev.NewSampler(SamplerInfo{}))(t)})
		gen := rayShader(t, shader)
		gen.Mappings = []Mapping{{Mapping: link.Mapping{First: 1, Source: enum.MappingSourceHeapWithConstantOffset}}}
		for i := range uint32(5) {
			m := Mapping{Mapping: link.Mapping{First: 2 + i, Source: enum.MappingSourceHeapWithShaderRecordIndex, RecordOffset: uint64(4 * i), HeapArrayStride: 64}, IndexStride: 64}
			m.SamplerRecordOffset, m.SamplerIndexStride = 8, 64 // of binding 6, the index of binding 4
			gen.Mappings = append(gen.Mappings, m)
		}
		p := must(r.dev.NewRayTracingPipeline(t.Context(), RayTracingPipelineInfo{
			Creation: Creation{Flags: enum.PipelineFlagsDescriptorHeap}, Stages: []RayStageInfo{{spirv.ExecutionModelRayGenerationKHR, gen}},
			Groups: []link.Group{{Type: enum.GroupTypeGeneral, General: ref(0)}},
		}))(t)
		tables := r.tables(t, p, 0)
		tables.Miss, tables.Hit = ShaderTable{}, ShaderTable{}
		run := func(indices ...uint32) {
			t.Helper()
			for i, n := range indices {
				binary.LittleEndian.PutUint32(r.memory.Bytes()[rayTables+GroupHandleSize+4*i:], n)
			}
			found = nil
			r.run(t, func(c *CommandBuffer) {
				c.BindRayTracingPipeline(p)
				c.BindResourceHeap(HeapRange{r.buffer.Address() + heap, 1024})
				c.BindSamplerHeap(HeapRange{r.buffer.Address() + samplers, 1024})
				c.TraceRays(tables, 1, 1, 1)
			})
		}
		run(1, 2, 1, 4, 3)
		for i, want := range []float32{1, 2, 3, 9, 3} {
			if got := math.Float32frombits(r.word(rayOutput + 4*i)); got != want {
				t.Errorf("sanitizers %v: result %d is %v; must be %v", sanitize, i, got, want)
			}
		}
		if len(found) > 0 {
			t.Errorf("sanitizers %v report %q; must report nothing", sanitize, found)
		}
		for i, name := range []string{"structure", "images", "sampler", "storage image", "combined image sampler"} {
			for at, rule := range map[uint32]string{16: "VUID-vkCmdDraw-None-11309", 0x0800_0000: "VUID-vkCmdDraw-None-11309", 5: "VUID-vkCmdDraw-None-12472"} {
				if i == 0 && at == 5 {
					continue // the bytes are the address of a structure
				}
				indices := []uint32{1, 2, 1, 4, 3}
				indices[i] = at
				if run(indices...); sanitize == 0 {
					rule = ""
				}
				slices.Sort(found)
				if found = slices.Compact(found); rule == "" && len(found) > 0 || rule != "" && !slices.Equal(found, []string{rule}) {
					t.Errorf("sanitizers %v, %s at index %#x: the reports %q; must be %q", sanitize, name, at, found, rule)
				}
				if got := r.word(rayOutput + 16); i == 4 && at != 5 && got != 0 {
					t.Errorf("sanitizers %v: an image at index %#x, beyond the heap, has the texel %#x; must have 0", sanitize, at, got)
				}
			}
		}
	}
}

// TestRecordBlocks passes pointers to blocks to a function: to a block at an address in the shader record, and to a bound one. A third block
// is in the data of the record. Sanitizers report elements beyond the bound block, and nothing else.
func TestRecordBlocks(t *testing.T) {
	const heap, out = 20480, rayOutput // of the buffer
	for engine, of := range map[string]exec.Engine{"machine code": nil, "interpreter": interp.Engine{}} {
		for _, sanitize := range []Sanitizers{0, SanitizeBounds | SanitizeUndefined} {
			var found []string
			r := newRayScene(t, DeviceInfo{Engine: of, Sanitize: sanitize, Reports: func(x Report) { found = append(found, x.Message) }})
			write := func(at int, info DescriptorInfo) {
				t.Helper()
				if err := r.dev.WriteDescriptor(r.memory.Bytes()[heap+at:], info); err != nil {
					t.Fatal(err)
				}
			}
			write(64, DescriptorInfo{Type: storage, Address: r.buffer.Address() + out, Range: 64})
			write(128, DescriptorInfo{Type: link.UniformBuffer, Address: r.buffer.Address() + out + 512, Range: 16})
			binary.LittleEndian.PutUint32(r.memory.Bytes()[out+512:], 200)
			write(192, DescriptorInfo{Type: storage, Address: r.buffer.Address() + out + 768, Range: 64})
			call := rayShader(t, "recordblock")
			call.Mappings = []Mapping{
				{Mapping: link.Mapping{First: 1, Source: enum.MappingSourceShaderRecordAddress, RecordOffset: 8}},
				{Mapping: link.Mapping{First: 2, Source: enum.MappingSourceHeapWithConstantOffset, HeapOffset: 64}},
				{Mapping: link.Mapping{First: 3, Source: enum.MappingSourceShaderRecordData, RecordOffset: 16}},
				{Mapping: link.Mapping{First: 4, Source: enum.MappingSourceHeapWithConstantOffset, HeapOffset: 128}},
			}
			gen := rayShader(t, "heapgen")
			gen.Mappings = []Mapping{{Mapping: link.Mapping{First: 1, Source: enum.MappingSourceHeapWithConstantOffset, HeapOffset: 192}}}
			p := must(r.dev.NewRayTracingPipeline(t.Context(), RayTracingPipelineInfo{
				Creation: Creation{Flags: enum.PipelineFlagsDescriptorHeap},
				Stages:   []RayStageInfo{{spirv.ExecutionModelRayGenerationKHR, gen}, {spirv.ExecutionModelCallableKHR, call}},
				Groups:   []link.Group{{Type: enum.GroupTypeGeneral, General: ref(0)}, {Type: enum.GroupTypeGeneral, General: ref(1)}},
			}))(t)
			tables := r.tables(t, p, 0, 1)
			tables.Callable, tables.Miss = tables.Miss, ShaderTable{}
			record := r.memory.Bytes()[rayTables+GroupHandleSize+64:]
			binary.LittleEndian.PutUint64(record[8:], r.buffer.Address()+out+256)
			binary.LittleEndian.PutUint32(record[16:], 100)
			clear(r.memory.Bytes()[out : out+512])
			run := func(n uint32) {
				r.run(t, func(c *CommandBuffer) {
					c.BindRayTracingPipeline(p)
					c.BindResourceHeap(HeapRange{r.buffer.Address() + heap, 2048})
					c.TraceRays(tables, n, 1, 1)
				})
			}
			run(4)
			bound := []uint32{200, 201, 202, 203, 1, 1, 1, 1, 16, 1, 1, 202, 203}
			for i, want := range bound {
				if got := r.word(out + 4*i); got != want {
					t.Errorf("%s, sanitizers %d: word %d of the bound block is %d; must be %d", engine, sanitize, i, got, want)
				}
			}
			for i, want := range bound[:8] {
				if got := r.word(out + 256 + 4*i); i < 4 && got != want-100 || i >= 4 && got != want {
					t.Errorf("%s, sanitizers %d: word %d of the block of the record is %d", engine, sanitize, i, got)
				}
			}
			if len(found) > 0 {
				t.Errorf("%s, sanitizers %d: the reports %q; must be none", engine, sanitize, found)
			}
			write(64, DescriptorInfo{Type: storage, Address: r.buffer.Address() + out, Range: 16})
			if run(4); sanitize&SanitizeBounds != 0 && !slices.ContainsFunc(found, func(m string) bool { return strings.Contains(m, "beyond the 16 bytes") }) {
				t.Errorf("%s: the reports %q; must have one of an element beyond the block", engine, found)
			}
		}
	}
}
