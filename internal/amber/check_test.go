package amber

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/interp"
)

func runText(t *testing.T, text string) Result {
	t.Helper()
	return Run(context.Background(), mustParse(t, text), Options{Engine: interp.Engine{}, Digest: true})
}

// TestExpectations runs scripts without shaders: expectations on data.
func TestExpectations(t *testing.T) {
	const nan = "BUFFER f DATA_TYPE float DATA nan 1 END\n"
	for _, c := range []struct{ name, text, says string }{
		{"integers", "BUFFER b DATA_TYPE int32 DATA -1 2 END\nEXPECT b IDX 0 EQ -1 2", ""},
		{"hexadecimal", "BUFFER b DATA_TYPE int32 DATA -1 END\nEXPECT b IDX 0 EQ 0xffffffff", ""},
		{"wrong", "BUFFER b DATA_TYPE int32 DATA 1 2 END\nEXPECT b IDX 4 EQ 3", "3:1: buffer b, index 4 (value 0): got 2, expected == 3"},
		{"past the end", "BUFFER b DATA_TYPE int32 DATA 1 2 END\nEXPECT b IDX 4 EQ 2 3", "ends at byte 8"},
		{"not equal", "BUFFER b DATA_TYPE uint8 DATA 1 2 END\nEXPECT b IDX 0 NE 2 1", ""},
		{"not equal, wrong", "BUFFER b DATA_TYPE uint8 DATA 1 2 END\nEXPECT b IDX 1 NE 2", "got 2, expected != 2"},
		{"signed order", "BUFFER b DATA_TYPE int8 DATA -3 END\nEXPECT b IDX 0 LT -2\nEXPECT b IDX 0 LE -3\nEXPECT b IDX 0 GT -4\nEXPECT b IDX 0 GE -3", ""},
		{"unsigned order", "BUFFER b DATA_TYPE uint64 DATA 0xffffffffffffffff END\nEXPECT b IDX 0 GT 0xfffffffffffffffe", ""},
		{"order, wrong", "BUFFER b DATA_TYPE int32 DATA 5 END\nEXPECT b IDX 0 LT 5", "got 5, expected < 5"},
		{"float rounds the expected", "BUFFER b DATA_TYPE float DATA 4.7 END\nEXPECT b IDX 0 EQ 4.7", ""},
		{"float one step off", "BUFFER b DATA_TYPE uint32 DATA 0x40966667 END\nBUFFER c DATA_TYPE float DATA 4.7000003 END\nEXPECT c IDX 0 EQ 4.7", "expected == 4.7"},
		{"half", "BUFFER b DATA_TYPE float16 DATA 0.1 END\nEXPECT b IDX 0 EQ 0.1", ""},
		{"half of either rounding", "BUFFER b DATA_TYPE uint16 DATA 0x2e66 END\nBUFFER c DATA_TYPE float16 DATA 0.09998 0.09991 END\nEXPECT c IDX 0 EQ 0.1 0.09991", ""},
		{"half, near", "BUFFER b DATA_TYPE float16 DATA 1.5 END\nEXPECT b IDX 0 TOLERANCE 0.11 EQ 1.4", ""},
		{"half, wrong", "BUFFER b DATA_TYPE float16 DATA 0.5 END\nEXPECT b IDX 0 EQ 0.501", "got 0.5, expected == 0.501"},
		{"double", "BUFFER b DATA_TYPE double DATA 0.1 END\nEXPECT b IDX 0 EQ 0.1", ""},
		{"double, wrong", "BUFFER b DATA_TYPE double DATA 0.1 END\nEXPECT b IDX 0 EQ 0.1000001", "expected =="},
		{"infinity", "BUFFER b DATA_TYPE float DATA inf END\nEXPECT b IDX 0 EQ inf\nEXPECT b IDX 0 GT 1", ""},
		{"NaN equals nothing", nan + "EXPECT f IDX 0 EQ nan", "got NaN"},
		{"NaN is not less", nan + "EXPECT f IDX 0 LT 1", "got NaN"},
		{"NaN is unequal", nan + "EXPECT f IDX 0 NE 1", ""},
		{"NaN is near to nothing", nan + "EXPECT f IDX 0 TOLERANCE 100 EQ 0", "got NaN"},
		{"tolerance", "BUFFER b DATA_TYPE float DATA 1.5 END\nEXPECT b IDX 0 TOLERANCE 0.5 EQ 2", ""},
		{"tolerance, wrong", "BUFFER b DATA_TYPE float DATA 1.4 END\nEXPECT b IDX 0 TOLERANCE 0.5 EQ 2", "got 1.4, expected ~= 2"},
		{"percent", "BUFFER b DATA_TYPE float DATA 101 END\nEXPECT b IDX 0 TOLERANCE 1% EQ 100", ""},
		{"percent, wrong", "BUFFER b DATA_TYPE float DATA 102 END\nEXPECT b IDX 0 TOLERANCE 1% EQ 100", "expected ~= 100"},
		{"percent apart", "BUFFER b DATA_TYPE float DATA 102 END\nEXPECT b IDX 0 TOLERANCE 2 % EQ 100", ""},
		{"tolerance of integers", "BUFFER b DATA_TYPE int32 DATA 7 END\nEXPECT b IDX 0 TOLERANCE 1 EQ 8", ""},
		{"vectors skip padding", "BUFFER b DATA_TYPE vec3<float> DATA 1 2 3 4 5 6 END\nEXPECT b IDX 4 EQ 2 3 4 5 6", ""},
		{"second element", "BUFFER b DATA_TYPE vec3<float> DATA 1 2 3 4 5 6 END\nEXPECT b IDX 16 EQ 4", ""},
		{"std140 array", "BUFFER b DATA_TYPE float[] STD140 DATA 1 2 END\nEXPECT b IDX 0 EQ 1 2\nEXPECT b IDX 16 EQ 2", ""},
		{"struct", "STRUCT s\n  float x\n  int32 y\nEND\nBUFFER b DATA_TYPE s DATA 1.5 2 3.5 4 END\nEXPECT b IDX 4 EQ 2 3.5 4", ""},
		{"normalized as stored", "BUFFER b DATA_TYPE R8G8_SNORM DATA -128 127 END\nEXPECT b IDX 0 EQ -128 127", ""},
		{"series", "BUFFER b DATA_TYPE vec2<float> SIZE 2 SERIES_FROM 1 INC_BY 0.5\nEXPECT b IDX 0 EQ 1 1.5 2 2.5", ""},
		{"series of integers", "BUFFER b DATA_TYPE uint8 SIZE 3 SERIES_FROM 254 INC_BY 1\nEXPECT b IDX 0 EQ 254 255 0", ""},
		{"fill", "BUFFER b DATA_TYPE int16 WIDTH 2 HEIGHT 2 FILL 9\nEXPECT b IDX 0 EQ 9 9 9 9", ""},
		{"same", "BUFFER b DATA_TYPE int32 DATA 1 2 END\nBUFFER c DATA_TYPE int32 DATA 1 2 END\nEXPECT b EQ_BUFFER c", ""},
		{"not same", "BUFFER b DATA_TYPE int32 DATA 1 2 END\nBUFFER c DATA_TYPE int32 DATA 1 3 END\nEXPECT b EQ_BUFFER c", "index 4: got 2, buffer c has 3; 1 bytes differ"},
		{"other size", "BUFFER b DATA_TYPE int32 DATA 1 2 END\nBUFFER c DATA_TYPE int32 DATA 1 END\nEXPECT b EQ_BUFFER c", "has 8 bytes, buffer c 4"},
		{"other type", "BUFFER b DATA_TYPE int32 DATA 1 END\nBUFFER c DATA_TYPE uint32 DATA 1 END\nEXPECT b EQ_BUFFER c", "type int32, buffer c of uint32"},
		// Differences 3 and 4 of two numbers: the root of 25/2 is 3.5355….
		{"rmse", "BUFFER b DATA_TYPE float DATA 0 0 END\nBUFFER c DATA_TYPE float DATA 3 4 END\nEXPECT b RMSE_BUFFER c TOLERANCE 3.54", ""},
		{"rmse, wrong", "BUFFER b DATA_TYPE float DATA 0 0 END\nBUFFER c DATA_TYPE float DATA 3 4 END\nEXPECT b RMSE_BUFFER c TOLERANCE 3.53", "error is 3.5355"},
		// All of the earth moves 64 of 256 bins: 0.25.
		{"histogram", "BUFFER b DATA_TYPE R8_UNORM DATA 0 0 END\nBUFFER c DATA_TYPE R8_UNORM DATA 64 64 END\nEXPECT b EQ_HISTOGRAM_EMD_BUFFER c TOLERANCE 0.25", ""},
		{"histogram, wrong", "BUFFER b DATA_TYPE R8_UNORM DATA 0 0 END\nBUFFER c DATA_TYPE R8_UNORM DATA 64 64 END\nEXPECT b EQ_HISTOGRAM_EMD_BUFFER c TOLERANCE 0.24", "is 0.25"},
		{"histogram is blind to places", "BUFFER b DATA_TYPE R8_UNORM DATA 9 5 END\nBUFFER c DATA_TYPE R8_UNORM DATA 5 9 END\nEXPECT b EQ_HISTOGRAM_EMD_BUFFER c TOLERANCE 0", ""},
		{"texels", "IMAGE i FORMAT B8G8R8A8_UNORM DIM_2D WIDTH 2 HEIGHT 1 DATA 30 20 10 255 0 0 0 0 END\nEXPECT i IDX 0 0 SIZE 1 1 EQ_RGBA 10 20 30 255\nEXPECT i IDX 1 0 SIZE 1 1 EQ_RGB 0 0 0", ""},
		{"texels, wrong", "IMAGE i FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 2 HEIGHT 1 FILL 255\nEXPECT i IDX 0 0 SIZE 2 1 EQ_RGB 255 0 255", "texel 0, 0: got (1, 1, 1), expected (1, 0, 1); 2 of 2 texels differ"},
		{"texels within 1", "IMAGE i FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 1 HEIGHT 1 FILL 254\nEXPECT i IDX 0 0 SIZE 1 1 EQ_RGBA 255 255 255 255 TOLERANCE 1", ""},
		{"texels of a vector type", "IMAGE i DATA_TYPE vec3<float> DIM_2D WIDTH 2 HEIGHT 1 DATA 1 0 0 0 1 0 END\nEXPECT i IDX 12 EQ 0 1 0\nEXPECT i IDX 1 0 SIZE 1 1 EQ_RGB 0 255 0", ""},
		{"texels of depth", "IMAGE i FORMAT D16_UNORM DIM_2D WIDTH 2 HEIGHT 2 FILL 0\nEXPECT i IDX 0 0 SIZE 1 1 EQ_RGB 0 0 0", "has no color"},
		{"texels outside", "IMAGE i FORMAT R8_UNORM DIM_2D WIDTH 2 HEIGHT 2 FILL 0\nEXPECT i IDX 1 1 SIZE 2 1 EQ_RGB 0 0 0", "outside of 2×2"},
		{"srgb texels are linear", "IMAGE i FORMAT R8_SRGB DIM_2D WIDTH 1 HEIGHT 1 FILL 188\nEXPECT i IDX 0 0 SIZE 1 1 EQ_RGB 128 0 0 TOLERANCE 1", ""},
		{"copy", "BUFFER b DATA_TYPE int32 DATA 1 2 END\nBUFFER c DATA_TYPE int32 SIZE 2 FILL 0\nCOPY b TO c\nEXPECT c EQ_BUFFER b", ""},
		{"repeat", "BUFFER b DATA_TYPE int32 DATA 1 END\nREPEAT 3\nEXPECT b IDX 0 EQ 1\nEND", ""},
		{"repeat, wrong", "BUFFER b DATA_TYPE int32 DATA 1 END\nREPEAT 3\nEXPECT b IDX 0 EQ 2\nEND", "4:1: buffer b"},
	} {
		r := runText(t, "#!amber\n"+c.text+"\n")
		if want := map[bool]Status{true: Pass, false: Fail}[c.says == ""]; r.Status != want || !strings.Contains(r.Message, c.says) {
			t.Errorf("%s: %s %s, want %s %q", c.name, r.Status, r.Message, want, c.says)
		}
	}
}

func TestVkScriptMemory(t *testing.T) {
	r := runText(t, `[compute shader]
[test]
ssbo 1 2
ssbo 1 subdata ivec3 16 5 6 7
ssbo 1 subdata int 12 9
ssbo 1 subdata ivec3 0 1 2 3
probe ssbo int 1 0 == 1 2 3 9 5 6 7
probe ssbo ivec3 1 16 == 5 6 7
tolerance 10% 0 0 0
ssbo 2 subdata float 0 110
probe ssbo float 2 0 ~= 100
uniform ubo 3 mat2 0 1 2 3 4
`)
	if r.Status != Pass {
		t.Errorf("%s %s", r.Status, r.Message)
	}
	// std140 puts the columns of a matrix 16 bytes apart; 2 is 0x40000000.
	if got := r.Contents["ubo 0:3"]; len(got) != 32 || got[7] != 0x40 || got[19] != 0x40 {
		t.Errorf("ubo % x", got)
	}
}

// TestStatuses checks the status of scripts that cannot run.
func TestStatuses(t *testing.T) {
	const graphics = "#!amber\nSHADER vertex v PASSTHROUGH\nPIPELINE graphics g\n  ATTACH v\nEND\nCLEAR g\n"
	for _, c := range []struct {
		name, text string
		status     Status
		says       string
	}{
		{"feature", "#!amber\nDEVICE_FEATURE sparseBinding\n", NotSupported, "device feature sparseBinding"},
		{"known feature", "#!amber\nDEVICE_FEATURE shaderInt64\n", Pass, ""},
		{"extension", "#!amber\nDEVICE_EXTENSION VK_NV_none\n", NotSupported, "device extension VK_NV_none"},
		{"property", "#!amber\nDEVICE_PROPERTY FloatControlsProperties.denormBehaviorIndependence\n", NotSupported, "device property"},
		{"instance extension", "#!amber\nINSTANCE_EXTENSION VK_KHR_display\n", NotSupported, "instance extension"},
		{"either extension", "[require]\nVK_KHR_get_physical_device_properties2\nVK_KHR_spirv_1_4\n[compute shader]\n", Pass, ""},
		{"nothing to clear", graphics, Pass, ""},
		{"debugger", tiny + "PIPELINE compute p\n  ATTACH one\nEND\nDEBUG p 0 0 0\n  THREAD GLOBAL_INVOCATION_ID 0 0 0\n    STEP_IN\n  END\nEND\n", NotSupported, "DEBUG blocks"},
		{"descriptor", tiny + "PIPELINE compute p\n  ATTACH one\n  BIND BUFFER a DESCRIPTOR_SET 0 BINDING 0\nEND\nRUN p 1 1 1\n", NotSupported, "descriptors of kind untyped"},
		{"language", "#!amber\nSHADER compute s OPENCL-C\nEND\nPIPELINE compute p\n  ATTACH s\nEND\nRUN p 1 1 1\n", NotSupported, "shaders in OPENCL-C"},
		{"optimization", tiny + "PIPELINE compute p\n  ATTACH one\n  SHADER_OPTIMIZATION one\n    --graphics-robust-access\n  END\nEND\nRUN p 1 1 1\n", NotSupported, "--graphics-robust-access"},
		{"assembly", "#!amber\nSHADER compute s SPIRV-ASM\n\nOpFrob\nEND\nPIPELINE compute p\n  ATTACH s\nEND\nRUN p 1 1 1\n", Failed, "test.amber:4:1: shader s: "},
		{"hexadecimal", "#!amber\nSHADER compute s SPIRV-HEX\n0x07230203 zz\nEND\nPIPELINE compute p\n  ATTACH s\nEND\nRUN p 1 1 1\n", Failed, "3:12: \"zz\"; must be a number"},
		{"environment", "#!amber\nSHADER compute s SPIRV-ASM TARGET_ENV moon\nEND\nPIPELINE compute p\n  ATTACH s\nEND\nRUN p 1 1 1\n", Failed, `"moon"`},
		{"copy of another size", tiny + "BUFFER c DATA_TYPE uint32 SIZE 9 FILL 0\nCOPY a TO c\n", Failed, "same size"},
	} {
		if r := runText(t, c.text); r.Status != c.status || !strings.Contains(r.Message, c.says) {
			t.Errorf("%s: %s %s, want %s %q", c.name, r.Status, r.Message, c.status, c.says)
		}
	}
}

func TestDigests(t *testing.T) {
	r := runText(t, "#!amber\nBUFFER b DATA_TYPE uint8 DATA 97 98 99 END\nEXPECT b IDX 0 EQ 0\n")
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, of "abc"
	if r.Status != Fail || r.Digests["b"] != abc || string(r.Contents["b"]) != "abc" {
		t.Errorf("%s %v", r.Status, r.Digests)
	}
}

func TestTimeout(t *testing.T) {
	text := "#!amber\n" + strings.Repeat("REPEAT 4294967295\n", 8) + strings.Repeat("END\n", 8)
	r := Run(context.Background(), mustParse(t, text), Options{Engine: interp.Engine{}, Timeout: 20 * time.Millisecond})
	if r.Status != RanOutOfTime || !errors.Is(r.Err, context.DeadlineExceeded) {
		t.Errorf("%s %v", r.Status, r.Err)
	}
}

func TestDescriptorParts(t *testing.T) {
	r := &runner{script: &Script{File: "x"}}
	data := make([]byte, 64)
	b := Binding{Kind: StorageDynamic, Buffers: []*Buffer{{Name: "b"}, {Name: "b"}}, Offsets: []int64{8, 16}, DynamicOffsets: []int64{8}, Ranges: []int64{16, WholeBuffer}}
	for i, want := range []uint64{16, 48} {
		if from, got, err := r.slice(&b, i, data); err != nil || got != want || from != 16 {
			t.Errorf("descriptor %d: %d bytes from %d, %v; want %d from 16", i, got, from, err, want)
		}
	}
	for _, b := range []Binding{{Offsets: []int64{65}}, {Ranges: []int64{65}}, {Offsets: []int64{8}, Ranges: []int64{64}}, {Offsets: []int64{-1}}} {
		b.Buffers = []*Buffer{{Name: "b"}}
		if _, _, err := r.slice(&b, 0, data); err == nil {
			t.Errorf("no fault for %+v", b)
		}
	}
}
