package main

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// instructions generates modules of many kinds of objects with random instructions. Their
// operands fit the grammar; most are values of one type, which is often the result's too.
type instructions struct{ decorations }

// outside reports whether instructions of an opcode have no place within a block.
func outside(op spirv.Op) bool {
	switch op.Class() {
	case spirv.ClassArithmetic, spirv.ClassBit, spirv.ClassComposite, spirv.ClassConversion, spirv.ClassDerivative, spirv.ClassImage,
		spirv.ClassMemory, spirv.ClassRelationalAndLogical, spirv.ClassAtomic, spirv.ClassBarrier, spirv.ClassNonUniform, spirv.ClassPrimitive:
		return op == spirv.OpVariable
	}
	return true
}

// values are further values of instructions.
const values = `%i1 = OpBitcast %int %lu
%i2 = OpSNegate %int %i1
%vec2 = OpVectorShuffle %v2 %ld %ld 0 1
%uvec = OpCompositeConstruct %uv3 %lu %c1 %c2
%im = OpImage %image %smp
%fl1 = OpCompositeExtract %float %ld 0
%fl2 = OpFNegate %float %fl1
%not = OpLogicalNot %bool %cmp
%inv = OpLoad %v4 %vpriv`

// typed are values by type.
var typed = map[string][]string{
	"%float": {"%f1", "%fl1", "%fl2", "%cast"},
	"%v4":    {"%ld", "%add", "%mul", "%fv", "%null", "%cc", "%inv"},
	"%uint":  {"%lu", "%iadd", "%c0", "%c1", "%c2", "%c3", "%spec"},
	"%int":   {"%i1", "%i2"},
	"%bool":  {"%cmp", "%not"},
	"%v2":    {"%vec2"},
	"%uv3":   {"%uvec"},
}

var typeNames = []string{"%float", "%v4", "%uint", "%int", "%bool", "%v2", "%uv3", "%mat"}

// pointers and images are operands of other instructions than arithmetic.
var (
	pointers = []string{"%acs", "%ac", "%local", "%vpriv", "%vssbo", "%vubo", "%vpush", "%vstorage"}
	images   = []string{"%smp", "%img", "%im"}
)

// generate returns the text of a module.
func (g *instructions) generate() string {
	end := g.base(strings.Split(values, "\n")...)
	all := g.ids
	ops := spirv.Ops()
	for n := range 1 + g.IntN(2) {
		row := &ops[g.IntN(len(ops))]
		for try := 0; try < 1000 && (outside(spirv.Op(row.Value())) || !g.enable(row)); try++ {
			row = &ops[g.IntN(len(ops))]
		}
		class := spirv.Op(row.Value()).Class()
		family := typeNames[g.IntN(len(typeNames)-1)]
		result, line := "", ""
		for k, o := range row.Operands() {
			switch {
			case o.Kind == spirv.KindIdResult:
				result = fmt.Sprintf("%%new%d = ", n)
				continue
			case o.Kind == spirv.KindIdResultType:
				if t := family; g.IntN(3) != 0 {
					line += " " + t
				} else {
					line += " " + typeNames[g.IntN(len(typeNames))]
				}
				continue
			}
			switch j := g.IntN(20); {
			case j == 0:
				g.ids = all
			case class == spirv.ClassImage && k < 3:
				g.ids = images
			case (class == spirv.ClassMemory || class == spirv.ClassAtomic) && k < 3:
				g.ids = pointers
			case o.Kind == spirv.KindIdScope || o.Kind == spirv.KindIdMemorySemantics || j < 5:
				g.ids = typed["%uint"]
			case j < 8:
				g.ids = typed[typeNames[g.IntN(len(typeNames)-1)]]
			default:
				g.ids = typed[family]
			}
			line += g.operands([]spirv.Operand{o})
		}
		g.body = append(g.body, result+"Op"+row.Name()+line)
	}
	return end()
}
