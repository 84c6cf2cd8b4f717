package vk

import (
	"encoding/binary"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestRecordMappings maps the buffer of a ray generation and of a callable shader by the data of their records, on both engines: by an
// index into the heap, scaled and added to an offset, and by an address (VkDescriptorMappingSourceShaderRecordIndexEXT,
// VK_DESCRIPTOR_MAPPING_SOURCE_SHADER_RECORD_ADDRESS_EXT).
func TestRecordMappings(t *testing.T) {
	for engine, of := range map[string]exec.Engine{"machine code": nil, "interpreter": interp.Engine{}} {
		r := newRayScene(t, DeviceInfo{Engine: of})
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
		r.run(t, func(c *CommandBuffer) {
			c.BindRayTracingPipeline(p)
			c.BindResourceHeap(HeapRange{r.buffer.Address() + heap, 2048})
			c.TraceRays(tables, 4, 1, 1)
		})
		for i := range 4 {
			if a, b := r.word(rayOutput+4*i), r.word(rayOutput+256+4*i); a != uint32(i+1) || b != uint32(i+10) {
				t.Errorf("%s: results %d are %d and %d; must be %d and %d", engine, i, a, b, i+1, i+10)
			}
		}
	}
}
