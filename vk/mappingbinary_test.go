package vk

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestBinaryMappings makes shader objects with an embedded sampler, and others of their binaries, which have the mappings: without them in
// the description they read the same resources. Samplers with other border colors give other binaries, those with the same one the same.
func TestBinaryMappings(t *testing.T) {
	r, view := newImageRig(t)
	for at, info := range map[int]DescriptorInfo{
		128: {Type: storage, Address: r.yAt, Range: 32}, 256: {Type: imageSet[0].Type, Address: r.xAt, Range: 32, Format: formatOf(t, "R32_SFLOAT")}, 320: {Type: sampledImage, View: view},
	} {
		if err := r.dev.WriteDescriptor(r.bytes[at:], info); err != nil {
			t.Fatal(err)
		}
	}
	object := func(info ShaderInfo) *Shader {
		t.Helper()
		info.Stage, info.Flags = StageCompute, enum.ObjectFlagsDescriptorHeap
		return must(r.dev.NewShaders(t.Context(), []ShaderInfo{info}))(t)[0]
	}
	var binaries [][]byte
	for _, border := range []uint32{0, 1, 1} {
		var maps []Mapping
		for binding, offset := range []uint64{256, 320, 0, 128} {
			maps = append(maps, Mapping{Mapping: link.Mapping{First: uint32(binding), Source: enum.MappingSourceHeapWithConstantOffset, HeapOffset: offset}})
		}
		maps[2].Embedded = &SamplerInfo{Border: [4]uint32{border}}
		binaries = append(binaries, must(object(ShaderInfo{Code: code(t, texelOf), Mappings: maps}).BinaryCode())(t))
	}
	if bytes.Equal(binaries[0], binaries[1]) || !bytes.Equal(binaries[1], binaries[2]) {
		t.Error("the binaries of samplers with two border colors must differ, those with the same one must not")
	}
	read := object(ShaderInfo{Code: binaries[0], Binary: true})
	if again := must(read.BinaryCode())(t); !bytes.Equal(again, binaries[0]) {
		t.Error("the binary of an object that was made of a binary differs from it")
	}
	r.put(64, 0, 0)
	if err := r.submit(t, r.record(t, func(c *CommandBuffer) {
		c.BindShaders([]ShaderStage{StageCompute}, []*Shader{read})
		c.BindResourceHeap(HeapRange{r.address, 2048})
		c.Dispatch(1, 1, 1)
	})); err != nil {
		t.Fatal(err)
	}
	if got := r.get(64, 0); got != 1.25 {
		t.Errorf("y[0] = %v; must be 1.25", got)
	}
	random := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		b := bytes.Clone(binaries[0])
		b[len(b)-1-random.IntN(600)] ^= 1 << random.IntN(8)
		_, list, err := readBinary(&ShaderInfo{Stage: StageCompute, Flags: enum.ObjectFlagsDescriptorHeap, Code: b, Binary: true})
		if err == nil && len(list) != 4 || err != nil && !errors.Is(err, ErrIncompatibleBinary) {
			t.Fatalf("a changed binary has %d mappings and the error %v; must have 4 or be incompatible", len(list), err)
		}
	}
}

// TestHostileMappings makes shader objects of binaries that have the right hash and mappings with random fields. All have conversions with
// random fields, which must be invalid.
func TestHostileMappings(t *testing.T) {
	r, _ := newImageRig(t)
	random := rand.New(rand.NewPCG(11, 12))
	for range 200 {
		list := make([]Mapping, 4)
		for i := range list {
			m := &list[i]
			m.First, m.Source, m.HeapOffset = uint32(i), enum.MappingSourceHeapWithConstantOffset, uint64(64*i)
			if random.IntN(8) == 0 {
				fillRandom(random, reflect.ValueOf(m).Elem())
			}
			if i == 2 {
				m.Embedded = &SamplerInfo{Address: [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToEdge, enum.AddressModeClampToEdge}, Conversion: &YcbcrConversion{}}
				fillRandom(random, reflect.ValueOf(m.Embedded.Conversion).Elem())
			}
		}
		s := &Shader{info: ShaderInfo{Stage: StageCompute, Flags: enum.ObjectFlagsDescriptorHeap, Code: code(t, texelOf), Mappings: list}}
		r.dev.adopt(&s.object, "shader object", nil)
		b := must(s.BinaryCode())(t)
		s.Close()
		if made, err := r.dev.NewShaders(t.Context(), []ShaderInfo{{Stage: StageCompute, Flags: enum.ObjectFlagsDescriptorHeap, Code: b, Binary: true}}); err == nil {
			t.Errorf("%+v with the conversion %+v is made", list[2], list[2].Embedded.Conversion.info)
			made[0].Close()
		} else if !errors.Is(err, ErrIncompatibleBinary) {
			t.Errorf("the error is %v; must be an incompatible binary", err)
		}
	}
}

// TestMappingWords writes and reads mappings with random fields, each of which must return. Each shorter list of words is an error.
func TestMappingWords(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		list := make([]Mapping, 1+random.IntN(3))
		for i := range list {
			fillRandom(random, reflect.ValueOf(&list[i]).Elem())
			if m := list[i].Embedded; m != nil && m.Conversion != nil { // must be valid
				m.Conversion.info = YcbcrConversionInfo{
					Format: link.FormatG8B8R8_2plane420Unorm, Model: enum.YcbcrModel(1 + random.IntN(4)), Range: enum.YcbcrRange(random.IntN(2)),
					Components: [4]enum.Swizzle{3: enum.SwizzleOne}, XOffset: enum.ChromaLocation(random.IntN(2)), YOffset: enum.ChromaLocation(random.IntN(2)),
					ChromaFilter: enum.Filter(random.IntN(2)), ForceExplicit: random.IntN(2) == 0,
				}
			}
		}
		b := mappingBytes(list)
		got, n, ok := readMappings(append(bytes.Clone(b), 1, 2, 3))
		if !ok || n != len(b) || !reflect.DeepEqual(got, list) {
			t.Fatalf("%d of %d bytes, %v: %+v; must be %+v", n, len(b), ok, got, list)
		}
		if cut := 8 + random.IntN(len(b)-8); cut < len(b) {
			if _, _, ok := readMappings(b[:cut]); ok {
				t.Fatalf("%d of %d bytes are mappings", cut, len(b))
			}
		}
	}
	if _, _, ok := readMappings(bytes.Repeat([]byte{0xff}, 64)); ok {
		t.Error("2⁶⁴ − 1 mappings in 64 bytes are accepted")
	}
}

// fillRandom gives all exported fields, and the description of a conversion, random values. A pointer is nil in half of the cases.
func fillRandom(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if c, ok := v.Addr().Interface().(*YcbcrConversion); ok {
			fillRandom(r, reflect.ValueOf(&c.info).Elem())
			return
		}
		for i := range v.NumField() {
			fillRandom(r, v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			fillRandom(r, v.Index(i))
		}
	case reflect.Pointer:
		if r.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fillRandom(r, v.Elem())
		}
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Uint32:
		v.SetUint(uint64(r.Uint32()))
	case reflect.Uint64:
		v.SetUint(r.Uint64())
	case reflect.Float32:
		v.SetFloat(float64(math.Float32frombits(r.Uint32() >> 2)))
	default:
		panic(v.Kind())
	}
}
