package lower

import (
	"fmt"
	"strings"
)

// outBinding is where the module of a truth line stores the result.
const outBinding = 9

// module is the text of a module that is being written: a compute shader whose
// one function loads values, does something and stores what comes of it.
type module struct {
	decorations, types, body strings.Builder
	declared                 map[string]bool
	n                        int
}

func newModule() *module { return &module{declared: map[string]bool{}} }

// text returns the whole module.
func (m *module) text() string {
	return `OpCapability Shader
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
` + m.decorations.String() + m.types.String() + `%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
` + m.body.String() + `OpReturn
OpFunctionEnd
`
}

// declare writes a type or constant once.
func (m *module) declare(name, format string, args ...any) string {
	if !m.declared[name] {
		m.declared[name] = true
		fmt.Fprintf(&m.types, "%s = %s\n", name, fmt.Sprintf(format, args...))
	}
	return name
}

// do writes an instruction with a result.
func (m *module) do(format string, args ...any) string {
	m.n++
	name := fmt.Sprintf("%%t%d", m.n)
	fmt.Fprintf(&m.body, "%s = %s\n", name, fmt.Sprintf(format, args...))
	return name
}

// id declares a type.
func (m *module) id(s shape) string {
	switch {
	case s.members != nil:
		var ids []string
		name := "%s"
		for _, x := range s.members {
			ids = append(ids, m.id(x))
			name += "_" + x.name
		}
		return m.declare(name, "OpTypeStruct %s", strings.Join(ids, " "))
	case s.columns > 0:
		col := m.id(shape{scalar: s.scalar, rows: s.rows})
		return m.declare(fmt.Sprintf("%%%sm%dx%d", s.scalar, s.columns, s.rows), "OpTypeMatrix %s %d", col, s.columns)
	case s.rows > 1:
		one := m.id(shape{scalar: s.scalar, rows: 1})
		return m.declare(fmt.Sprintf("%%%sx%d", s.scalar, s.rows), "OpTypeVector %s %d", one, s.rows)
	case s.scalar == "bool":
		return m.declare("%bool", "OpTypeBool")
	case encodingNames[s.scalar] != "":
		return m.declare("%"+s.scalar, "OpTypeFloat %d %s", s.width(), encodingNames[s.scalar])
	case s.scalar[0] == 'f':
		return m.declare("%"+s.scalar, "OpTypeFloat %d", s.width())
	}
	sign := 0
	if s.scalar[0] == 'i' {
		sign = 1
	}
	return m.declare("%"+s.scalar, "OpTypeInt %d %d", s.width(), sign)
}

func (m *module) constant(s shape, v string) string {
	return m.declare(fmt.Sprintf("%%c_%s_%s", s.name, strings.ReplaceAll(v, "-", "n")), "OpConstant %s %s", m.id(s), v)
}

// stored is the type that a value has in a buffer: booleans are u32.
func (s shape) stored() shape {
	if s.scalar == "bool" {
		s.scalar = "u32"
	}
	return s
}

// buffer declares a buffer of one value at an offset and returns a pointer to
// the value.
func (m *module) buffer(s shape, binding, offset int) string {
	typ := m.id(s)
	block := fmt.Sprintf("%%Block%d_%d", binding, offset)
	fmt.Fprintf(&m.decorations, "OpDecorate %s Block\nOpMemberDecorate %s 0 Offset %d\n", block, block, offset)
	if s.columns > 0 {
		fmt.Fprintf(&m.decorations, "OpMemberDecorate %s 0 ColMajor\nOpMemberDecorate %s 0 MatrixStride %d\n", block, block, s.rows*s.width()/8)
	}
	v := fmt.Sprintf("%%buf%d_%d", binding, offset)
	fmt.Fprintf(&m.decorations, "OpDecorate %s DescriptorSet 0\nOpDecorate %s Binding %d\n", v, v, binding)
	m.declare(block, "OpTypeStruct %s", typ)
	p := m.declare(block+"_p", "OpTypePointer StorageBuffer %s", block)
	m.declare(v, "OpVariable %s StorageBuffer", p)
	q := m.declare("%p_"+typ[1:], "OpTypePointer StorageBuffer %s", typ)
	zero := m.constant(typeOfName("u32"), "0")
	return m.do("OpAccessChain %s %s %s", q, v, zero)
}

// load reads an operand.
func (m *module) load(s shape, binding int) string {
	mem := s.stored()
	v := m.do("OpLoad %s %s", m.id(mem), m.buffer(mem, binding, 0))
	if s.scalar == "bool" {
		return m.do("OpINotEqual %s %s %s", m.id(s), v, m.do("OpCopyObject %s %s", m.id(mem), m.null(mem)))
	}
	return v
}

func (m *module) null(s shape) string {
	return m.declare("%null_"+m.id(s)[1:], "OpConstantNull %s", m.id(s))
}

// apply writes the instruction.
func (m *module) apply(op string, result shape, operands []string) string {
	list := strings.Join(operands, " ")
	if !strings.HasPrefix(op, "Op") {
		return m.do("OpExtInst %s %%glsl %s %s", m.id(result), op, list)
	}
	return m.do("%s %s %s", op, m.id(result), list)
}

// store writes the result, member by member.
func (m *module) store(s shape, v string) {
	if s.members == nil {
		m.storeAt(s, v, 0)
		return
	}
	at := 0
	for i, x := range s.members {
		m.storeAt(x, m.do("OpCompositeExtract %s %s %d", m.id(x), v, i), at)
		at += len(x.flatten()) * x.width() / 8
	}
}

func (m *module) storeAt(s shape, v string, offset int) {
	mem := s.stored()
	if s.scalar == "bool" {
		one := m.constant(typeOfName("u32"), "1")
		var ones []string
		for range s.rows {
			ones = append(ones, one)
		}
		if s.rows > 1 {
			one = m.declare("%ones_"+m.id(mem)[1:], "OpConstantComposite %s %s", m.id(mem), strings.Join(ones, " "))
		}
		v = m.do("OpSelect %s %s %s %s", m.id(mem), v, one, m.null(mem))
	}
	fmt.Fprintf(&m.body, "OpStore %s %s\n", m.buffer(mem, outBinding, offset), v)
}

// encodingNames are the floats that IEEE 754 does not have.
var encodingNames = map[string]string{"b16": "BFloat16KHR", "h8": "Float8E4M3EXT", "g8": "Float8E5M2EXT", "e4": "Float4E2M1EXT"}
