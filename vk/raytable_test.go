package vk

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// The launch of TestTableIndices. Target 4i+g is geometry g of instance i; there is nothing at 4i+3.
const (
	tableTargets = 12
	tableValues  = 16      // of an offset or a stride of four bits
	tableResults = 1 << 19 // offset
	tableBytes   = tableTargets * tableValues * tableValues * 16
	tableRecords = tableResults + 1<<17 // offset
	hitRecords   = 45                   // the largest number of a hit is 5 + 2·15 + 15
	missRecords  = 6
	callRecords  = 12
)

// tableOffsets are the record offsets of the instances.
var tableOffsets = [...]uint32{0, 1, 5}

// tableGroups are the shader groups of TestTableIndices.
const (
	tableGenerate = iota
	tableMiss
	tableCall
	tableHit     // a closest-hit shader, and the intersection shader of boxes
	tableAny     // an any-hit shader, and the intersection shader
	tableBoth    // all
	tableNothing // no shader but the intersection shader
)

// hitGroups are the groups of the records of hits, by their number modulo the length; −1 has a handle of zeros.
var hitGroups = []int{tableHit, -1, tableAny, tableBoth, tableNothing}

// tablePipeline returns a pipeline with the groups of triangles or of boxes.
func (r *rayScene) tablePipeline(t testing.TB, boxes bool, size uint32) *RayTracingPipeline {
	t.Helper()
	stage := func(model spirv.ExecutionModel, name string) RayStageInfo {
		info := rayShader(t, name)
		info.SubgroupSize = size
		return RayStageInfo{model, info}
	}
	info := RayTracingPipelineInfo{
		Stages: []RayStageInfo{
			stage(spirv.ExecutionModelRayGenerationKHR, "tablegen"), stage(spirv.ExecutionModelMissKHR, "tablemiss"),
			stage(spirv.ExecutionModelCallableKHR, "tablecall"), stage(spirv.ExecutionModelClosestHitKHR, "tablehit"),
			stage(spirv.ExecutionModelAnyHitKHR, "tableany"), stage(spirv.ExecutionModelIntersectionKHR, "tablebox"),
		},
		Groups: []link.Group{
			{Type: enum.GroupTypeGeneral, General: ref(0)}, {Type: enum.GroupTypeGeneral, General: ref(1)}, {Type: enum.GroupTypeGeneral, General: ref(2)},
			{ClosestHit: ref(3)}, {AnyHit: ref(4)}, {ClosestHit: ref(3), AnyHit: ref(4)}, {},
		},
		Depth: 1,
	}
	for i := tableHit; i < len(info.Groups); i++ {
		g := &info.Groups[i]
		g.Type = enum.GroupTypeTrianglesHitGroup
		if boxes {
			g.Type, g.Intersection = enum.GroupTypeProceduralHitGroup, ref(5)
		}
	}
	return r.pipeline(t, info)
}

// tableScene builds three instances of three triangles or boxes, and binds the top level.
func (r *rayScene) tableScene(t testing.TB, boxes bool) {
	t.Helper()
	bottom := BuildInfo{Level: BottomLevel, Scratch: r.at(rayScratch)}
	for g := range uint64(3) {
		x := float32(2 * g)
		if at := rayBoxes + 64 + 24*g; boxes {
			r.floats(int(at), x, 0, 0, x+1, 1, 1)
			bottom.Geometries = append(bottom.Geometries, Geometry{Flags: GeometryNoDuplicateAnyHits, Boxes: &BoxGeometry{Data: r.at(at), Stride: 24}})
		} else {
			at := rayVertices + 256 + 36*g
			r.floats(int(at), x, 0, 0, x+1, 0, 0, x, 1, 0)
			bottom.Geometries = append(bottom.Geometries, Geometry{Flags: GeometryNoDuplicateAnyHits, Triangles: &TriangleGeometry{Format: 106, Vertices: r.at(at), Stride: 12, MaxVertex: 2}})
		}
		bottom.Ranges = append(bottom.Ranges, BuildRange{Primitives: 1})
	}
	bottom.Target = r.structure(t, BottomLevel)
	for i, offset := range tableOffsets {
		r.instance(i, bottom.Target, float32(8*i))
		b := r.memory.Bytes()[rayInstances+instanceBytes*i:]
		binary.LittleEndian.PutUint32(b[48:], 0xff000000|uint32(i))
		binary.LittleEndian.PutUint32(b[52:], offset)
	}
	top := r.top(r.structure(t, TopLevel), uint32(len(tableOffsets)))
	r.build(t, bottom, top)
	if err := r.set.Update(Write{Structures: []*AccelerationStructure{top.Target}}, Write{Binding: 1, Buffers: []BufferDescriptor{{r.buffer, tableResults, tableBytes}}}); err != nil {
		t.Fatal(err)
	}
}

// tableWord returns the word of record i of a table; a table with the stride 0 has one record.
func tableWord(table, stride, i uint32) uint32 {
	if stride == 0 {
		i = 0
	}
	return 100*table + i + 3
}

// table writes n records and returns their table.
func (r *rayScene) table(t testing.TB, p *RayTracingPipeline, number, stride, n uint32, group func(i uint32) int) ShaderTable {
	t.Helper()
	at := uint64(tableRecords + number<<14)
	for i := range n {
		if stride == 0 && i > 0 {
			break
		}
		record := r.memory.Bytes()[at+uint64(stride*i):][:GroupHandleSize+4]
		clear(record)
		if g := group(i); g >= 0 {
			copy(record, must(p.GroupHandles(g, 1))(t))
		}
		binary.LittleEndian.PutUint32(record[GroupHandleSize:], tableWord(number, stride, i))
	}
	return ShaderTable{Address: r.buffer.Address() + at, Stride: uint64(stride), Size: uint64(max(stride, 64) * n)}
}

// every returns the group g for all records but those with a number 3k+1, which have a handle of zeros.
func every(g int) func(i uint32) int {
	return func(i uint32) int {
		if i%3 == 1 {
			return -1
		}
		return g
	}
}

func hitGroup(i uint32) int { return hitGroups[i%uint32(len(hitGroups))] }

// tableResult returns the words that the ray at a target stores: the record of a hit has the number instanceShaderBindingTableRecordOffset +
// geometryIndex × sbtRecordStride + sbtRecordOffset, and begins at the address of the table + stride × number; those of miss and callable
// shaders begin at address + stride × index. A handle of zeros, and a record after the table, run no shader: a triangle is hit then, a box
// is not.
func tableResult(boxes bool, strides [3]uint32, target, offset, step uint32) (w [4]uint32) {
	w = [4]uint32{1, 0, 1, 2}
	group := func(table, n, i uint32, of func(uint32) int) int {
		if strides[table] == 0 {
			i = 0
		}
		if i >= n {
			return -1
		}
		return of(i)
	}
	if g := group(2, callRecords, step, every(tableCall)); g >= 0 {
		w[2] = tableWord(2, strides[2], step)
	}
	instance, geometry := target/4, target%4
	number := uint32(0)
	hit := geometry < 3
	var g int
	if hit {
		number = tableOffsets[instance] + geometry*step + offset
		g = group(1, hitRecords, number, hitGroup)
		hit = !boxes || g >= 0
	}
	if !hit {
		if group(0, missRecords, offset, every(tableMiss)) >= 0 {
			w[0] = tableWord(0, strides[0], offset)
		}
		return w
	}
	word := tableWord(1, strides[1], number)
	if g == tableHit || g == tableBoth {
		w[0] = word + 10000*instance + 1000*geometry
	}
	if g == tableAny || g == tableBoth {
		w[1] = word
	}
	return w
}

// TestTableIndices traces a ray at each geometry with all offsets and strides of four bits, in tables with strides of 0 to 128 bytes: the
// records are those of "Shader Binding Table" in the specification. The other bits of the operands have no meaning.
func TestTableIndices(t *testing.T) {
	engines := []exec.Engine{interp.Engine{}}
	for _, level := range jit.Levels() {
		engines = append(engines, jit.Engine{Level: level})
	}
	for _, engine := range engines {
		for _, boxes := range []bool{false, true} {
			r := newRayScene(t, DeviceInfo{Engine: engine})
			r.tableScene(t, boxes)
			for k, strides := range [][3]uint32{{64, 96, 128}, {96, 64, 64}, {128, 128, 96}, {0, 0, 0}} {
				p := r.tablePipeline(t, boxes, []uint32{16, 8, 64, 32}[k])
				high := []uint32{0, 0xffff_fff0}[k%2]
				what := fmt.Sprintf("%v, boxes %t, strides of %v bytes", engine, boxes, strides)
				r.tableLaunch(t, p, strides, high)
				r.tableCheck(t, what, boxes, strides)
			}
		}
	}
}

// tableLaunch traces all rays.
func (r *rayScene) tableLaunch(t testing.TB, p *RayTracingPipeline, strides [3]uint32, high uint32) {
	t.Helper()
	tables := ShaderTables{
		RayGen:   r.table(t, p, 3, 64, 1, func(uint32) int { return tableGenerate }),
		Miss:     r.table(t, p, 0, strides[0], missRecords, every(tableMiss)),
		Hit:      r.table(t, p, 1, strides[1], hitRecords, hitGroup),
		Callable: r.table(t, p, 2, strides[2], callRecords, every(tableCall)),
	}
	clear(r.memory.Bytes()[tableResults:][:tableBytes])
	r.run(t, func(c *CommandBuffer) {
		r.bind(c, p)
		c.PushConstants(r.layout, 0, binary.LittleEndian.AppendUint32(make([]byte, 4), high))
		c.TraceRays(tables, tableTargets, tableValues, tableValues)
	})
}

// tableCheck compares the results of all rays.
func (r *rayScene) tableCheck(t testing.TB, what string, boxes bool, strides [3]uint32) {
	t.Helper()
	at := tableResults
	for step := range uint32(tableValues) {
		for offset := range uint32(tableValues) {
			for target := range uint32(tableTargets) {
				got := [4]uint32{r.word(at), r.word(at + 4), r.word(at + 8), r.word(at + 12)}
				if want := tableResult(boxes, strides, target, offset, step); got != want {
					t.Fatalf("%s: the ray at target %d with the offset %d and the stride %d stores %d; must store %d", what, target, offset, step, got, want)
				}
				at += 16
			}
		}
	}
}
