package lower

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// model is an instruction and what it must give, computed from the
// specification's definition by other means than those of package scalar.
type model struct {
	name    string // OpIAdd, or FMin of GLSL.std.450; ".1" behind it is member 1 of the result
	args    int
	boolean bool                                   // the result
	value   func(w uint, x []uint64) (bits uint64) // of bits of width w
	domain  func(w uint) (operand [4][]uint64)     // nil for the edges of the kind
	float   bool
	widths  []uint // nil for all

	// convert is value of a conversion from a type of width from, a float where
	// fromFloat.
	convert   func(w, from uint, x uint64) uint64
	fromFloat bool
}

// operands returns the values of each operand.
func (m *model) operands(w uint) [4][]uint64 {
	if m.domain != nil {
		return m.domain(w)
	}
	e := intEdges(w)
	if m.float && m.convert == nil || m.fromFloat {
		e = floatEdges(w)
	}
	if m.args > 2 {
		e = e[:min(len(e), 14)]
	}
	return [4][]uint64{e, e, e, e}
}

// TestModels runs each instruction at each width on all combinations of edge
// values, as it is lowered and behind the passes' constants, on every engine.
func TestModels(t *testing.T) {
	for _, list := range [][]model{intModels(), floatModels(), conversionModels()} {
		for _, m := range list {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				widths := m.widths
				if widths == nil {
					widths = widthsOf(m.float)
				}
				for _, w := range widths {
					if m.convert == nil {
						m.check(t, w, w)
						continue
					}
					for _, from := range widthsOf(m.fromFloat) {
						if from != w || m.float != m.fromFloat {
							m.check(t, w, from)
						}
					}
				}
			})
		}
	}
}

// widthsOf are the widths that integers, or floats, have.
func widthsOf(float bool) []uint {
	if float {
		return []uint{16, 32, 64}
	}
	return []uint{8, 16, 32, 64}
}

func (m *model) check(t *testing.T, w, from uint) {
	domain := m.operands(from)
	tuples := [][]uint64{nil}
	for i := range m.args {
		var next [][]uint64
		for _, x := range tuples {
			for _, v := range domain[i] {
				next = append(next, append(x[:len(x):len(x)], v))
			}
		}
		tuples = next
	}
	size, read := int(w/8), int(from/8)
	bind := map[compute.Binding][]exec.Buffer{}
	for i := range m.args {
		var b []byte
		for _, x := range tuples {
			b = append(b, binary.LittleEndian.AppendUint64(nil, x[i])[:read]...)
		}
		bind[compute.Binding{Binding: uint32(i)}] = []exec.Buffer{{Bytes: aligned(b)}}
	}
	var want []byte
	for _, x := range tuples {
		v := m.expect(w, from, x)
		if m.boolean && m.float {
			v *= round(w, big.NewRat(1, 1), false) // the shader chooses 1 or 0
		}
		want = append(want, binary.LittleEndian.AppendUint64(nil, v)[:size]...)
	}
	out := aligned(make([]byte, len(want)))
	bind[compute.Binding{Binding: 9}] = []exec.Buffer{{Bytes: out}}
	p := lowered(t, []byte(m.module(w, from)), nil, Options{})
	for _, engine := range engines() {
		clear(out)
		prog, err := engine.Compile(p, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = compute.Dispatch(context.Background(), prog, compute.Args{Groups: [3]uint32{uint32(len(tuples)+63) / 64, 1, 1}, Bindings: bind})
		prog.Close()
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range tuples {
			if got := out[i*size:][:size]; !bytes.Equal(got, want[i*size:][:size]) {
				t.Errorf("%s: %s of %d bits from %d, %#x: %x; want %x (low byte first)", engine.Name(), m.name, w, from, x, got, want[i*size:][:size])
				return
			}
		}
	}
}

func (m *model) expect(w, from uint, x []uint64) uint64 {
	if m.convert != nil {
		return m.convert(w, from, x[0])
	}
	return m.value(w, x)
}

// aligned returns the bytes at a place that buffers may begin at.
func aligned(b []byte) []byte {
	out := make([]byte, len(b), len(b)+16)
	copy(out, b)
	return out
}

// module is a shader that applies the instruction to element i of buffers 0, 1
// and so on, of type A, and stores to element i of buffer 9, of type T.
func (m *model) module(w, from uint) string {
	var s strings.Builder
	s.WriteString("OpCapability Shader\n%glsl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Logical GLSL450\n" +
		"OpEntryPoint GLCompute %main \"main\" %id\nOpExecutionMode %main LocalSize 64 1 1\nOpDecorate %id BuiltIn GlobalInvocationId\n")
	for _, b := range []int{0, 1, 2, 3, 9} {
		fmt.Fprintf(&s, "OpDecorate %%b%d DescriptorSet 0\nOpDecorate %%b%d Binding %d\n", b, b, b)
	}
	kinds := []struct {
		name  string
		width uint
	}{{"T", w}, {"A", from}}
	if m.convert == nil { // A is T
		kinds = kinds[:1]
	}
	for _, k := range kinds {
		fmt.Fprintf(&s, "OpDecorate %%ra%s ArrayStride %d\nOpDecorate %%S%s Block\nOpMemberDecorate %%S%s 0 Offset 0\n", k.name, k.width/8, k.name, k.name)
	}
	s.WriteString("%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n%v3 = OpTypeVector %uint 3\n" +
		"%pin = OpTypePointer Input %v3\n%id = OpVariable %pin Input\n%z = OpConstant %uint 0\n")
	for _, k := range kinds {
		float := m.float
		if k.name == "A" && m.convert != nil {
			float = m.fromFloat
		}
		typ := fmt.Sprintf("OpTypeInt %d 0", k.width)
		if float {
			typ = fmt.Sprintf("OpTypeFloat %d", k.width)
		}
		n := k.name
		fmt.Fprintf(&s, "%%%s = %s\n%%ra%s = OpTypeRuntimeArray %%%s\n%%S%s = OpTypeStruct %%ra%s\n%%pS%s = OpTypePointer StorageBuffer %%S%s\n"+
			"%%p%s = OpTypePointer StorageBuffer %%%s\n", n, typ, n, n, n, n, n, n, n, n)
	}
	s.WriteString("%pair = OpTypeStruct %T %T\n%one = OpConstant %T 1\n%nul = OpConstantNull %T\n%b9 = OpVariable %pST StorageBuffer\n")
	for b := range 4 {
		fmt.Fprintf(&s, "%%b%d = OpVariable %%pSA StorageBuffer\n", b)
	}
	s.WriteString("%main = OpFunction %void None %fn\n%entry = OpLabel\n%i3 = OpLoad %v3 %id\n%i = OpCompositeExtract %uint %i3 0\n" + m.apply() +
		"%po = OpAccessChain %pT %b9 %z %i\nOpStore %po %r\nOpReturn\nOpFunctionEnd\n")
	text := s.String()
	if m.convert == nil {
		text = strings.NewReplacer("%pSA", "%pST", "%pA", "%pT", "%A", "%T").Replace(text)
	}
	return once(text)
}

// once leaves out the declarations of types that were made before, and names
// the first ones instead.
func once(text string) string {
	names, made := map[string]string{}, map[string]string{}
	name := regexp.MustCompile(`%\w+`)
	var out strings.Builder
	for _, line := range strings.SplitAfter(text, "\n") {
		line = name.ReplaceAllStringFunc(line, func(n string) string {
			if first, ok := names[n]; ok {
				return first
			}
			return n
		})
		id, what, ok := strings.Cut(line, " = ")
		if ok && strings.HasPrefix(what, "OpType") {
			if first, ok := made[what]; ok {
				names[id] = first
				continue
			}
			made[what] = id
		}
		out.WriteString(line)
	}
	return out.String()
}

// apply is the code from the operands to the result.
func (m *model) apply() string {
	var s strings.Builder
	args := ""
	for i := range m.args {
		fmt.Fprintf(&s, "%%p%d = OpAccessChain %%pA %%b%d %%z %%i\n%%x%d = OpLoad %%A %%p%d\n", i, i, i, i)
		args += fmt.Sprintf(" %%x%d", i)
	}
	op, member, two := strings.Cut(m.name, ".")
	switch {
	case two:
		fmt.Fprintf(&s, "%%s = %s %%pair%s\n%%r = OpCompositeExtract %%T %%s %s\n", op, args, member)
	case m.boolean:
		fmt.Fprintf(&s, "%%c = %s %%bool%s\n%%r = OpSelect %%T %%c %%one %%nul\n", op, args)
	case strings.HasPrefix(op, "Op"):
		fmt.Fprintf(&s, "%%r = %s %%T%s\n", op, args)
	default:
		fmt.Fprintf(&s, "%%r = OpExtInst %%T %%glsl %s%s\n", op, args)
	}
	return s.String()
}
