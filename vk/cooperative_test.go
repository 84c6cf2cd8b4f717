package vk

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// TestMatrixProperties tests the lists of products of cooperative matrices (row M02): a product has one scope, a
// workgroup only at that scope, a granularity that is a power of two, and no entry is twice. A played device has the list of
// its profile.
func TestMatrixProperties(t *testing.T) {
	p := Chiaro()
	for list := valid.MatricesKHR; list <= valid.MatricesEXT; list++ {
		shapes := p.CooperativeMatrixProperties(list)
		if len(shapes) == 0 {
			t.Errorf("list %d is empty", list)
		}
		seen := map[valid.MatrixShape]bool{}
		for _, s := range shapes {
			if seen[s] {
				t.Errorf("list %d has %+v twice", list, s)
			}
			seen[s] = true
			if wide := s.Scope == spirv.ScopeWorkgroup; wide != (s.Invocations > 0) || !wide && s.Scope != spirv.ScopeSubgroup {
				t.Errorf("list %d: %+v has %d invocations", list, s, s.Invocations)
			}
			for _, n := range []uint64{s.M, s.N, s.K} {
				if n == 0 || n&(n-1) != 0 || n > MaxMatrixDimension {
					t.Errorf("list %d: %+v has a size that is no power of two", list, s)
				}
			}
		}
	}
	played := &PhysicalDevice{Version: valid.Vulkan13, Limits: &valid.Device{Matrices: map[valid.MatrixList][]valid.MatrixShape{valid.MatricesKHR: {{M: 16, N: 8, K: 4}}}}}
	if got := played.CooperativeMatrixProperties(valid.MatricesKHR); len(got) != 1 || got[0].N != 8 {
		t.Errorf("the played device has %v", got)
	}
	if (*PhysicalDevice)(nil).CooperativeMatrixProperties(valid.MatricesNV) != nil {
		t.Error("nil has a list")
	}
}

// TestVectorProperties tests the list of products of cooperative vectors (row M06): it has the products that every device with
// the feature has (Vulkan, VkCooperativeVectorPropertiesNV).
func TestVectorProperties(t *testing.T) {
	list := Chiaro().CooperativeVectorProperties()
	for _, want := range []valid.VectorProduct{
		{Input: f16, InputAs: f16, MatrixAs: f16, BiasAs: f16, Result: f16}, {Input: u32, InputAs: packed, MatrixAs: s8, BiasAs: s32, Result: s32},
		{Input: s8, InputAs: s8, MatrixAs: s8, BiasAs: s32, Result: s32}, {Input: f32, InputAs: s8, MatrixAs: s8, BiasAs: s32, Result: s32},
		{Input: f16, InputAs: e4m3, MatrixAs: e4m3, BiasAs: f16, Result: f16}, {Input: f16, InputAs: e5m2, MatrixAs: e5m2, BiasAs: f16, Result: f16},
	} {
		found := false
		for _, v := range list {
			v.Transpose = false
			found = found || v == want
		}
		if !found {
			t.Errorf("the product %+v is not in the list", want)
		}
	}
	if (*PhysicalDevice)(nil).CooperativeVectorProperties() != nil {
		t.Error("nil has a list")
	}
}

var matrixLayouts = []spirv.CooperativeVectorMatrixLayout{
	spirv.CooperativeVectorMatrixLayoutRowMajorNV, spirv.CooperativeVectorMatrixLayoutColumnMajorNV,
	spirv.CooperativeVectorMatrixLayoutInferencingOptimalNV, spirv.CooperativeVectorMatrixLayoutTrainingOptimalNV,
}

// TestMatrixConversion tests that a conversion of any layout to any other and back returns the same bits (row M07), on the host
// and by a command, and the place of each component in the layouts that the specification defines.
func TestMatrixConversion(t *testing.T) {
	d := must(Chiaro().NewDevice(DeviceInfo{}))(t)
	defer d.Close()
	memory := must(d.Allocate(MemoryInfo{Size: 1 << 16, DeviceAddress: true}))(t)
	buffer := must(d.NewBuffer(BufferInfo{Size: 1 << 16, Usage: DeviceAddress | StorageBuffer}))(t)
	if err := buffer.Bind(memory, 0); err != nil {
		t.Fatal(err)
	}
	const rows, columns = 5, 7
	rng := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []spirv.ComponentType{f16, f32, s8, u8} {
		size := uint64(map[spirv.ComponentType]int{f16: 2, f32: 4, s8: 1, u8: 1}[kind])
		for _, a := range matrixLayouts {
			for _, b := range matrixLayouts {
				there := CooperativeVectorMatrix{Rows: rows, Columns: columns, SourceType: kind, TargetType: kind, SourceLayout: a, TargetLayout: b, SourceStride: 16 * size, TargetStride: 9 * size}
				back := CooperativeVectorMatrix{Rows: rows, Columns: columns, SourceType: kind, TargetType: kind, SourceLayout: b, TargetLayout: a, SourceStride: 9 * size, TargetStride: 16 * size}
				n := must(d.ConvertCooperativeVectorMatrix(back, nil, nil))(t)
				m := must(d.ConvertCooperativeVectorMatrix(there, nil, nil))(t)
				source, target, again := make([]byte, n), make([]byte, m), make([]byte, n)
				for i := range source {
					source[i] = byte(rng.Uint32())
				}
				copy(again, source)
				if got := must(d.ConvertCooperativeVectorMatrix(there, target, source))(t); got != m {
					t.Errorf("%v to %v: %d bytes; must be %d", a, b, got, m)
				}
				for row := range rows {
					for column := range columns {
						place := func(l spirv.CooperativeVectorMatrixLayout, stride uint64) uint64 {
							switch l {
							case spirv.CooperativeVectorMatrixLayoutRowMajorNV:
								return uint64(row)*stride + uint64(column)*size
							case spirv.CooperativeVectorMatrixLayoutColumnMajorNV:
								return uint64(column)*stride + uint64(row)*size
							}
							return uint64(row*columns+column) * size // of Chiaro
						}
						from, to := source[place(a, 16*size):][:size], target[place(b, 9*size):][:size]
						if !bytes.Equal(from, to) {
							t.Fatalf("%v to %v: component (%d, %d) is %x; must be %x", a, b, row, column, to, from)
						}
						clear(again[place(a, 16*size):][:size])
					}
				}
				must(d.ConvertCooperativeVectorMatrix(back, again, target))(t)
				if !bytes.Equal(again, source) {
					t.Errorf("%v to %v and back: %x; must be %x", a, b, again, source)
				}
				all := memory.Bytes()
				copy(all, source)
				clear(all[1024:][:m])
				there.Source, there.SourceLength, there.Target, there.TargetLength = buffer.Address(), n, buffer.Address()+1024, m
				runOn(t, d, func(c *CommandBuffer) { c.ConvertCooperativeVectorMatrices([]CooperativeVectorMatrix{there}) })
				if !bytes.Equal(all[1024:][:m], target) {
					t.Errorf("%v to %v by a command: %x; must be %x", a, b, all[1024:][:m], target)
				}
			}
		}
	}
}

// TestMatrixTypes tests conversions of components, by the values of the formats.
func TestMatrixTypes(t *testing.T) {
	d := must(Chiaro().NewDevice(DeviceInfo{}))(t)
	defer d.Close()
	values := []float32{0, 1, -2, 448, 1e30, float32(math.Inf(-1)), 1.0 / 512, 17}
	source := make([]byte, 4*len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint32(source[4*i:], math.Float32bits(v))
	}
	for _, test := range []struct {
		to   spirv.ComponentType
		want []byte
	}{
		{f16, []byte{0, 0, 0, 0x3c, 0, 0xc0, 0, 0x5f, 0, 0x7c, 0, 0xfc, 0, 0x18, 0x40, 0x4c}},
		{e4m3, []byte{0, 0x38, 0xc0, 0x7e, 0x7f, 0xff, 1, 0x58}}, // 17 is between 16 and 18: to even
		{e5m2, []byte{0, 0x3c, 0xc0, 0x5f, 0x7c, 0xfc, 0x18, 0x4c}},
	} {
		m := CooperativeVectorMatrix{Rows: 1, Columns: uint32(len(values)), SourceType: f32, TargetType: test.to, TargetLayout: spirv.CooperativeVectorMatrixLayoutTrainingOptimalNV, SourceStride: 64}
		got := make([]byte, len(test.want))
		must(d.ConvertCooperativeVectorMatrix(m, got, source))(t)
		if !bytes.Equal(got, test.want) {
			t.Errorf("to %v: %x; must be %x", test.to, got, test.want)
		}
	}
}

// TestMatrixRules tests the rules of a conversion (group 21), one by one.
func TestMatrixRules(t *testing.T) {
	d := must(Chiaro().NewDevice(DeviceInfo{}))(t)
	defer d.Close()
	good := CooperativeVectorMatrix{Rows: 4, Columns: 4, SourceType: f32, TargetType: f16, SourceStride: 16, TargetStride: 8,
		Source: 1 << 32, Target: 1<<32 + 1024, SourceLength: 64, TargetLength: 32}
	both := make([]byte, 128)
	host := []struct {
		rule           string
		change         func(m *CooperativeVectorMatrix)
		target, source []byte
	}{
		{"vkConvertCooperativeVectorMatrixNV-pInfo-10073", nil, both[:32], nil},
		{"vkConvertCooperativeVectorMatrixNV-pInfo-10074", nil, both[64:], both[:63]},
		{"vkConvertCooperativeVectorMatrixNV-pInfo-10075", nil, both[64:][:31], both[:64]},
		{"vkConvertCooperativeVectorMatrixNV-pInfo-10076", nil, both[63:], both[:64]},
		{"VkConvertCooperativeVectorMatrixInfoNV-srcLayout-10077", func(m *CooperativeVectorMatrix) { m.SourceStride = 15 }, nil, nil},
		{"VkConvertCooperativeVectorMatrixInfoNV-dstLayout-10078", func(m *CooperativeVectorMatrix) { m.TargetStride = 9 }, nil, nil},
		{"VkConvertCooperativeVectorMatrixInfoNV-srcComponentType-10079", func(m *CooperativeVectorMatrix) { m.SourceType = f64 }, nil, nil},
		{"VkConvertCooperativeVectorMatrixInfoNV-dstComponentType-10080", func(m *CooperativeVectorMatrix) { m.TargetType = packed }, nil, nil},
		{"VkConvertCooperativeVectorMatrixInfoNV-srcComponentType-10081", func(m *CooperativeVectorMatrix) { m.TargetType = s8 }, nil, nil},
		{"VkConvertCooperativeVectorMatrixInfoNV-dstComponentType-10082", func(m *CooperativeVectorMatrix) { m.TargetType = e4m3 }, nil, nil},
		{"VkConvertCooperativeVectorMatrixInfoNV-srcLayout-parameter", func(m *CooperativeVectorMatrix) { m.SourceLayout = 4 }, nil, nil},
		{"VkConvertCooperativeVectorMatrixInfoNV-dstLayout-parameter", func(m *CooperativeVectorMatrix) { m.TargetLayout = 4 }, nil, nil},
	}
	for _, test := range host {
		m := good
		if test.change != nil {
			test.change(&m)
		}
		_, err := d.ConvertCooperativeVectorMatrix(m, test.target, test.source)
		wantRule(t, err, "VUID-"+test.rule)
	}
	const command = "VUID-vkCmdConvertCooperativeVectorMatrixNV-"
	for _, test := range []struct {
		rule   string
		change func(m *CooperativeVectorMatrix)
	}{
		{"pInfo-10083", func(m *CooperativeVectorMatrix) { m.Source = 0 }},
		{"pInfo-10895", func(m *CooperativeVectorMatrix) { m.Target = 0 }},
		{"pInfo-10084", func(m *CooperativeVectorMatrix) { m.Source++ }},
		{"pInfo-10085", func(m *CooperativeVectorMatrix) { m.Target += 32 }},
		{"pInfo-10086", func(m *CooperativeVectorMatrix) { m.SourceLength = 63 }},
		{"pInfo-10087", func(m *CooperativeVectorMatrix) { m.TargetLength = 31 }},
		{"None-10088", func(m *CooperativeVectorMatrix) { m.Target = m.Source }},
	} {
		m := good
		test.change(&m)
		c := must(d.NewCommandBuffer(CommandBufferInfo{}))(t)
		c.Begin(BeginInfo{})
		c.ConvertCooperativeVectorMatrices([]CooperativeVectorMatrix{m})
		wantRule(t, c.End(), command+test.rule)
	}
	c := must(d.NewCommandBuffer(CommandBufferInfo{}))(t)
	c.Begin(BeginInfo{})
	c.ConvertCooperativeVectorMatrices(nil)
	wantRule(t, c.End(), command+"infoCount-arraylength")
	// A list may read memory twice, but no target may overlap another matrix (10088).
	at := func(source, target uint64) CooperativeVectorMatrix {
		m := good
		m.Source, m.Target = good.Source+source, good.Source+target
		return m
	}
	empty := at(0, 64)
	empty.Rows = 0
	for _, test := range []struct {
		list []CooperativeVectorMatrix
		bad  bool
	}{
		{[]CooperativeVectorMatrix{at(0, 64), at(0, 128), at(192, 256)}, false}, // one source twice
		{[]CooperativeVectorMatrix{at(0, 64), at(128, 64)}, true},               // one target twice
		{[]CooperativeVectorMatrix{at(0, 64), at(64, 128)}, true},               // a source is a target before
		{[]CooperativeVectorMatrix{at(64, 128), at(192, 64)}, true},             // a source is a target after
		{[]CooperativeVectorMatrix{empty, at(64, 0)}, false},                    // no byte of the empty matrix
	} {
		c := must(d.NewCommandBuffer(CommandBufferInfo{}))(t)
		c.Begin(BeginInfo{})
		c.ConvertCooperativeVectorMatrices(test.list)
		if err := c.End(); test.bad {
			wantRule(t, err, command+"None-10088")
		} else if err != nil {
			t.Error(err)
		}
	}
	if _, err := (*Device)(nil).ConvertCooperativeVectorMatrix(good, nil, nil); err == nil {
		t.Error("a nil device converts")
	}
	// Strides beyond memory overflow no offset.
	huge := good
	huge.Rows, huge.Columns, huge.SourceStride = math.MaxUint32, math.MaxUint32, 1<<63
	if _, err := d.ConvertCooperativeVectorMatrix(huge, both, both); err == nil {
		t.Error("a matrix of 2⁹⁵ bytes is converted")
	}
}

// wantRule fails unless err reports a rule.
func wantRule(t *testing.T, err error, rule string) {
	t.Helper()
	var u *UsageError
	if !errors.As(err, &u) || u.Rule != rule {
		t.Errorf("the error is %v; must be of %s", err, rule)
	}
}

// runOn records commands, submits them and waits.
func runOn(t testing.TB, d *Device, record func(c *CommandBuffer)) {
	t.Helper()
	c := must(d.NewCommandBuffer(CommandBufferInfo{}))(t)
	defer c.Close()
	if err := c.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	record(c)
	if err := c.End(); err != nil {
		t.Fatal(err)
	}
	if err := d.Queue().Submit(SubmitInfo{Commands: []*CommandBuffer{c}}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := d.WaitIdle(ctx); err != nil {
		t.Fatal(err)
	}
}

func putFloat(b []byte, v float32) { binary.LittleEndian.PutUint32(b, math.Float32bits(v)) }

func getWord(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// TestMatrixWithoutColumns tests that a conversion of no components takes no time, however many rows it has.
func TestMatrixWithoutColumns(t *testing.T) {
	d := must(Chiaro().NewDevice(DeviceInfo{}))(t)
	defer d.Close()
	const layout = spirv.CooperativeVectorMatrixLayoutRowMajorNV
	start := time.Now()
	for range 20 { // 2³² steps take a second each
		m := CooperativeVectorMatrix{Rows: math.MaxUint32, SourceType: f32, TargetType: f32, SourceLayout: layout, TargetLayout: layout}
		if n, err := d.ConvertCooperativeVectorMatrix(m, []byte{}, []byte{}); n != 0 || err != nil {
			t.Fatalf("%d bytes, %v", n, err)
		}
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("20 conversions took %v", took)
	}
}
