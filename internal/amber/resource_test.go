package amber

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/interp"
)

// shadersOf returns the part of a script of testdata before its first buffer: the shaders.
func shadersOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".amber")
	if err != nil {
		t.Fatal(err)
	}
	head, _, ok := strings.Cut(string(text), "\nBUFFER ")
	if !ok {
		t.Fatalf("%s has no buffer", name)
	}
	return head + "\n"
}

// TestResourceFaults checks that statements for resources with wrong operands are faults with a position, and
// that the same statements with right ones are not.
func TestResourceFaults(t *testing.T) {
	const declared = `BUFFER b DATA_TYPE uint32 SIZE 4 FILL 0
BUFFER h DATA_TYPE uint64 SIZE 8 FILL 0
IMAGE im DATA_TYPE uint32 DIM_2D WIDTH 4 HEIGHT 4 FILL 0
BUFFER fb FORMAT R8_UNORM
SAMPLER s
`
	pipeline := func(lines string) string {
		return declared + "PIPELINE compute p\nATTACH ids\n" + lines + "\nEND\n"
	}
	const bound = "BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0"
	for _, c := range []struct{ right, wrong, want string }{
		{pipeline(bound) + "RUN p INDIRECT b OFFSET 4", pipeline(bound) + "RUN p INDIRECT b OFFSET 8", "12 bytes from 8; buffer b has 16"},
		{pipeline(bound) + "RUN p INDIRECT b", pipeline(bound) + "RUN p INDIRECT b OFFSET 2", "multiple of 4"},
		{pipeline(bound) + "RUN p INDIRECT b", pipeline(bound) + "RUN p INDIRECT im", "is an image"},
		{pipeline(bound) + "RUN p INDIRECT b", pipeline(bound) + "RUN p INDIRECT fb", "is an image"},
		{pipeline(bound) + "RUN p INDIRECT b", pipeline(bound) + "RUN p INDIRECT b 1", "the line must end"},
		{pipeline(bound) + "RUN p 1 1 1 BASE 0 0 0", pipeline(bound) + "RUN p INDIRECT b BASE 0 0 0", "the line must end"},
		{declared + "WRITE h IDX 8 ADDRESS b", declared + "WRITE h IDX 4 ADDRESS b", "multiple of 8"},
		{declared + "WRITE h IDX 56 ADDRESS b OFFSET 0x7fffffffffffffff", declared + "WRITE h IDX 64 ADDRESS b", "buffer h has 64"},
		{declared + "WRITE h IDX 0 ADDRESS b OFFSET 0", declared + "WRITE h IDX 0 ADDRESS b OFFSET -1", "from 0"},
		{declared + "WRITE h IDX 0 ADDRESS b", declared + "WRITE h IDX 0 ADDRESS im", "is an image"},
		{declared + "WRITE h IDX 0 ADDRESS b", declared + "WRITE im IDX 0 ADDRESS b", "is an image"},
		{declared + "WRITE h IDX 0 ADDRESS b", declared + "WRITE h IDX 0 VALUE b", "must be a kind of reference"},
		{declared + "WRITE h IDX 16 DESCRIPTOR BUFFER b", declared + "WRITE h IDX 8 DESCRIPTOR BUFFER b", "multiple of 16"},
		{declared + "WRITE h IDX 32 DESCRIPTOR IMAGE im", declared + "WRITE h IDX 16 DESCRIPTOR IMAGE im", "multiple of 32"},
		{declared + "WRITE h IDX 32 DESCRIPTOR SAMPLER s", declared + "WRITE h IDX 64 DESCRIPTOR SAMPLER s", "buffer h has 64"},
		{declared + "WRITE h IDX 48 DESCRIPTOR NULL", declared + "WRITE h IDX 64 DESCRIPTOR NULL", "buffer h has 64"},
		{declared + "WRITE h IDX 0 DESCRIPTOR BUFFER b OFFSET 8 RANGE 8", declared + "WRITE h IDX 0 DESCRIPTOR BUFFER b OFFSET 8 RANGE 9", "buffer b has 16"},
		{declared + "WRITE h IDX 0 DESCRIPTOR BUFFER b OFFSET 16", declared + "WRITE h IDX 0 DESCRIPTOR BUFFER b OFFSET 24", "buffer b has 16"},
		{declared + "WRITE h IDX 0 DESCRIPTOR BUFFER b OFFSET 8", declared + "WRITE h IDX 0 DESCRIPTOR BUFFER b OFFSET 4", "multiple of 8"},
		{declared + "REPEAT 2\nWRITE h IDX 0 DESCRIPTOR NULL\nEND", declared + "REPEAT 2\nBUFFER x DATA_TYPE uint32 DATA 1 END\nEND", "in REPEAT; must be outside"},
		{pipeline("BIND BUFFER h AS resource_heap"), pipeline("BIND BUFFER im AS resource_heap"), "cannot be a heap"},
		{pipeline("BIND BUFFER h AS sampler_heap"), pipeline("BIND BUFFER NULL AS sampler_heap"), "only a descriptor can be null"},
		{pipeline("BIND BUFFER b AS push_constant BANK 3"), pipeline(bound + " BANK 3"), "only push constants have a BANK"},
		{pipeline("BIND BUFFER b AS push_constant BANK 3"), pipeline("BIND BUFFER NULL AS push_constant BANK 3"), "only a descriptor can be null"},
		{pipeline("BIND BUFFER b AS inline_uniform DESCRIPTOR_SET 0 BINDING 0"), pipeline("BIND BUFFER_ARRAY b b AS inline_uniform DESCRIPTOR_SET 0 BINDING 0"), "must have one buffer"},
		{pipeline("BIND BUFFER NULL AS uniform DESCRIPTOR_SET 0 BINDING 0"), pipeline("BIND BUFFER NULL AS inline_uniform DESCRIPTOR_SET 0 BINDING 0"), "must have one buffer"},
		{pipeline("BIND BUFFER_ARRAY NULL b AS storage DESCRIPTOR_SET 0 BINDING 0"), pipeline("BIND BUFFER_ARRAY NULL x AS storage DESCRIPTOR_SET 0 BINDING 0"), "is nothing that a binding has"},
		{pipeline(bound + " ELEMENT 7"), pipeline(bound + " ELEMENT 0x100000000"), "from 0 to"},
		{pipeline(bound + " MUTABLE uniform storage"), pipeline(bound + " MUTABLE uniform sampler"), "not in its list"},
		{pipeline(bound + " MUTABLE storage"), pipeline(bound + " MUTABLE"), "needs the types"},
		{pipeline(bound + " MUTABLE storage uniform"), pipeline(bound + " MUTABLE storage storage"), "twice"},
		{pipeline(bound + " MUTABLE storage"), pipeline(bound + " MUTABLE storage inline_uniform"), "is never \"inline_uniform\""},
		{pipeline(bound + "\n" + bound + " ELEMENT 1"), pipeline(bound + "\nBIND BUFFER b AS uniform DESCRIPTOR_SET 0 BINDING 0 ELEMENT 1"), "only the elements of a MUTABLE binding"},
		{pipeline(bound + "\n" + bound + " ELEMENT 1"), pipeline(bound + "\n" + bound + " ELEMENT 1 MUTABLE storage"), "different lists of MUTABLE"},
		{pipeline(bound + "\nROBUSTNESS\nSTORAGE_BUFFERS robust\nIMAGES robust2\nEND"), pipeline(bound + "\nROBUSTNESS\nBUFFERS robust\nEND"), "is nothing that ROBUSTNESS has"},
		{pipeline(bound + "\nROBUSTNESS ids\nVERTEX_INPUTS disabled\nEND"), pipeline(bound + "\nROBUSTNESS ids\nVERTEX_INPUTS strict\nEND"), "default, disabled, robust, robust2"},
		{pipeline(bound + "\nROBUSTNESS ids\nEND"), pipeline(bound + "\nROBUSTNESS others\nEND"), "is no shader attached"},
		{pipeline(bound + "\nROBUSTNESS\nEND"), pipeline(bound + "\nROBUSTNESS ids robust\nEND"), "the line must end"},
		{pipeline("MAP DESCRIPTOR_SET 0 BINDING 0 AS push_data PUSH_OFFSET 4"), pipeline("MAP DESCRIPTOR_SET 0 BINDING 0 AS push_data OFFSET 4"), "is nothing that MAP has"},
		{pipeline("MAP DESCRIPTOR_SET 0 BINDING 0 AS push_address"), pipeline("MAP DESCRIPTOR_SET 0 BINDING 0 AS shader_record_data"), "heap_with_constant_offset, "},
		{pipeline("MAP DESCRIPTOR_SET 0 BINDING 0 AS push_address PUSH_OFFSET 0xffffffff"), pipeline("MAP DESCRIPTOR_SET 0 BINDING 0 AS push_address PUSH_OFFSET 0x100000000"), "from 0 to"},
	} {
		head := shadersOf(t, "dispatch")
		if _, err := Parse("x.amber", []byte(head+c.right+"\n"), nil); err != nil {
			t.Errorf("%s\n%v", c.right, err)
		}
		_, err := Parse("x.amber", []byte(head+c.wrong+"\n"), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "x.amber:") {
			t.Errorf("%s\n%v; want %s", c.wrong, err, c.want)
		}
	}
}

// TestHostileResources runs scripts with meaningless groups, addresses and descriptors: each ends soon, with a
// status and a message, or with the result of an access outside of all memory.
func TestHostileResources(t *testing.T) {
	const one = "PIPELINE compute p\nATTACH ids\nBIND BUFFER o AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\n"
	counts := func(n string) string {
		return "BUFFER o DATA_TYPE uint32 SIZE 8 FILL 0\nBUFFER n DATA_TYPE uint32 DATA " + n + " END\n" + one + "RUN p INDIRECT n\n"
	}
	walk := func(write string) string {
		return `BUFFER push DATA_TYPE uint64 DATA 0 END
BUFFER a DATA_TYPE uint32 DATA 0 0 1 0 END
BUFFER end DATA_TYPE uint32 DATA 0 0 2 0 END
BUFFER o DATA_TYPE uint32 SIZE 3 FILL 77
PIPELINE compute p
ATTACH walk
BIND BUFFER push AS push_constant
BIND BUFFER o AS storage DESCRIPTOR_SET 0 BINDING 0
END
` + write + "\nRUN p 1 1 1\n"
	}
	heaped := func(lines, write string) string {
		return `BUFFER heap DATA_TYPE uint64 SIZE 4 SERIES_FROM 0x7ffffffffffffff0 INC_BY 0x100000000
BUFFER o DATA_TYPE uint32 SIZE 8 FILL 77
IMAGE im DATA_TYPE uint32 DIM_2D WIDTH 4 HEIGHT 4 FILL 0
PIPELINE compute p
ATTACH heaped
` + lines + "\nEND\n" + write + "\nRUN p 1 1 1\nEXPECT o IDX 0 EQ 77 77 77 77 77 77 77 77\n"
	}
	maps := func(lines string) string {
		return `BUFFER heap DATA_TYPE uint64 SIZE 8 FILL 16
BUFFER push DATA_TYPE uint32 SIZE 4 FILL 0xffffffff
PIPELINE compute p
ATTACH mapped
BIND BUFFER heap AS resource_heap
BIND BUFFER heap AS sampler_heap
BIND BUFFER push AS push_constant
` + lines + "\nEND\nRUN p 1 1 1\n"
	}
	every := func(operands string) string {
		lines := ""
		for _, s := range mappingSources {
			for binding := range 5 {
				lines += fmt.Sprintf("MAP DESCRIPTOR_SET 0 BINDING %d AS %s %s\n", binding, s, operands)
			}
			lines += "END\nRUN p 1 1 1\nDERIVE_PIPELINE " + s.String() + " FROM p\n"
		}
		return lines
	}
	for _, c := range []struct {
		name, shaders, script string
		want                  Status
	}{
		{"mappings without operands", "mapping", maps(every("")), Pass},
		{"mappings out of range", "mapping", maps(every("HEAP_OFFSET 0xffffffff HEAP_INDEX_STRIDE 0xffffffff HEAP_ARRAY_STRIDE 0xffffffff PUSH_OFFSET 13 ADDRESS_OFFSET 0xffffffff SAMPLER_HEAP_OFFSET 0xffffffff")), Pass},
		{"mappings at an index out of range", "mapping", maps(every("HEAP_OFFSET 0xffffffff HEAP_INDEX_STRIDE 0xffffffff HEAP_ARRAY_STRIDE 0xffffffff PUSH_OFFSET 12 ADDRESS_OFFSET 4")), Pass},
		{"misaligned mappings", "mapping", maps(every("HEAP_OFFSET 1 HEAP_ARRAY_STRIDE 1 PUSH_OFFSET 1")), Pass},
		{"the most groups", "dispatch", counts("0x7fffffff 0xffff 0xffff"), Failed}, // more than 2⁶²
		{"endless groups", "dispatch", counts("0x7fffffff 0xffff 1"), RanOutOfTime},
		{"too many groups", "dispatch", counts("0xffffffff 1 1"), NotSupported},
		{"too many and none", "dispatch", counts("0 0x10000 1"), NotSupported},
		{"no groups", "dispatch", counts("0 0 0"), Pass},
		{"address 0", "address", walk("EXPECT o IDX 0 EQ 77"), Pass},
		{"an address just before a buffer", "address", walk("WRITE push IDX 0 ADDRESS a\nWRITE a IDX 0 ADDRESS a OFFSET 0x7ffffffffffffff8"), Pass},
		{"an address at the end of a buffer", "address", walk("WRITE push IDX 0 ADDRESS end OFFSET 16"), Pass},
		{"a misaligned address", "address", walk("WRITE push IDX 0 ADDRESS a OFFSET 1"), Pass},
		{"a wild heap", "heap", heaped("BIND BUFFER heap AS resource_heap\nBIND BUFFER heap AS sampler_heap", ""), Pass},
		{"no heaps", "heap", heaped("", ""), Pass},
		{"a heap among its own resources", "heap", heaped("BIND BUFFER heap AS resource_heap", "WRITE heap IDX 0 DESCRIPTOR BUFFER heap"), Pass},
		{"descriptors of another kind", "heap", heaped("BIND BUFFER heap AS resource_heap", "WRITE heap IDX 0 DESCRIPTOR IMAGE im"), Pass},
		{"a mip level that is not there", "heap", heaped("BIND BUFFER heap AS resource_heap", "WRITE heap IDX 0 DESCRIPTOR IMAGE im BASE_MIP_LEVEL 9"), Failed},
		{"texels that are none", "heap", heaped("BIND BUFFER heap AS resource_heap", "WRITE heap IDX 0 DESCRIPTOR IMAGE o"), Failed},
		{"a bank that is too large", "descriptors", `BUFFER o DATA_TYPE uint32 SIZE 8 FILL 77
BUFFER large DATA_TYPE uint32 SIZE 65 FILL 0
PIPELINE compute p
ATTACH banks
BIND BUFFER o AS storage DESCRIPTOR_SET 0 BINDING 0
BIND BUFFER o AS push_constant
BIND BUFFER large AS push_constant BANK 1
END
RUN p 1 1 1
`, NotSupported},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Parse("x.amber", []byte(shadersOf(t, c.shaders)+c.script), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range bothEngines() {
				start := time.Now()
				r := Run(context.Background(), s, Options{Engine: e, Timeout: time.Second / 2})
				if r.Status != c.want || r.Status != Pass && r.Message == "" {
					t.Errorf("%s: %s: %s; want %s", e.Name(), r.Status, r.Message, c.want)
				}
				if d := time.Since(start); d > 20*time.Second {
					t.Errorf("%s: %v", e.Name(), d)
				}
			}
		})
	}
}

// TestViewNumbers checks that a view whose numbers are not those of the shader's Sampled Type is a fault that names the
// format (VUID-vkCmdDispatch-format-07753), unless it is null, mutable, or bound to another kind of number as well.
func TestViewNumbers(t *testing.T) {
	bound := func(format, binding string) string {
		return "IMAGE im FORMAT " + format + ` DIM_2D WIDTH 2 HEIGHT 2 FILL 0
BUFFER o DATA_TYPE uint32 SIZE 8 FILL 77
SAMPLER s
PIPELINE compute p
ATTACH mapped
BIND BUFFER o AS storage DESCRIPTOR_SET 0 BINDING 0
` + binding + `
END
RUN p 1 1 1
`
	}
	const combined = "BIND BUFFER im AS combined_image_sampler SAMPLER s DESCRIPTOR_SET 0 BINDING 3"
	for _, c := range []struct {
		script string
		want   Status
	}{
		{bound("R8_UNORM", combined), Pass}, {bound("R16_SFLOAT", combined), Pass}, {bound("D32_SFLOAT", combined), Pass},
		{bound("R8_UINT", combined), Failed}, {bound("R32G32_SINT", combined), Failed},
		{bound("R8_UINT", combined+" MUTABLE combined_image_sampler storage_image"), Pass},
		{bound("R8_UINT", "BIND BUFFER NULL AS combined_image_sampler SAMPLER s DESCRIPTOR_SET 0 BINDING 3"), Pass},
	} {
		status, message := runStatus(t, shadersOf(t, "mapping")+c.script)
		if status != c.want || status == Failed && !strings.Contains(message, "; the shader reads floating-point numbers") {
			t.Errorf("%s\n%s: %s; want %s", c.script, status, message, c.want)
		}
	}
}

// TestHostileSets binds at the greatest numbers of descriptor sets.
func TestHostileSets(t *testing.T) {
	for _, set := range []string{"32", "4294967294", "4294967295"} {
		s := mustParse(t, tiny+"PIPELINE compute p\n  ATTACH one\n  BIND BUFFER a AS storage DESCRIPTOR_SET "+set+" BINDING 0\nEND\nRUN p 1 1 1\n")
		if r := Run(t.Context(), s, Options{Engine: interp.Engine{}}); r.Status == Pass || !strings.Contains(r.Message, "descriptor sets") {
			t.Errorf("set %s: %s %s; must name the descriptor sets", set, r.Status, r.Message)
		}
	}
}
