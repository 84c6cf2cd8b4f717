package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// soup writes modules from random instructions. It declares the capabilities and the
// extensions that their operands need.
type soup struct {
	*rand.Rand
	version spirv.Version
	usable  map[string]bool // capabilities that both sides accept

	declared []string // capabilities and extensions, in the order of the text
	modes    []string
	notes    []string // annotations
	types    []string // types, constants and variables
	body     []string // of main
	ids      []string // for operands
}

// newSoup judges each capability alone, because a module with one that the environment
// does not have is of no use.
func newSoup(t *tool) *soup {
	version, _ := asm.Target(t.env)
	g := &soup{Rand: t.changer.Rand, version: version, usable: map[string]bool{}}
	all := spirv.KindCapability.Enumerants()
	for i := range all {
		g.reset()
		// A module with execution graphs has no other entry points.
		if g.declare(&all[i]); all[i].Name() != "ShaderEnqueueAMDX" && t.quiet(g.text("OpEntryPoint GLCompute %main \"main\"", "OpExecutionMode %main LocalSize 1 1 1")) {
			g.usable[all[i].Name()] = true
		}
	}
	return g
}

// quiet reports whether both accept a module, and counts nothing.
func (t *tool) quiet(text string) bool {
	words, err := t.assemble(text)
	return err == nil && t.agree(words)
}

// agree reports whether both accept a module, and counts nothing.
func (t *tool) agree(words []uint32) bool {
	if t.peer.ask(words) != nil {
		return false
	}
	theirs, err := t.peer.answer()
	ours, _ := t.own(words)
	return err == nil && !theirs.rejected && ours == ""
}

func (g *soup) reset() {
	g.declared, g.modes, g.notes, g.types, g.body, g.ids = nil, nil, nil, nil, nil, nil
}

// declare declares a capability with its extension.
func (g *soup) declare(capability *spirv.Row) {
	g.extend(capability)
	g.line(&g.declared, "OpCapability "+capability.Name())
}

// extend declares an extension that a row needs.
func (g *soup) extend(r *spirv.Row) {
	if list := r.Extensions(); len(list) > 0 && (r.Version() == 0 || r.Version() > g.version) {
		g.line(&g.declared, fmt.Sprintf("OpExtension %q", list[g.IntN(len(list))]))
	}
}

// line adds a line once.
func (g *soup) line(to *[]string, line string) {
	if !slices.Contains(*to, line) {
		*to = append(*to, line)
	}
}

// enable declares what an opcode or enumerant needs. It reports whether the environment
// has it.
func (g *soup) enable(r *spirv.Row) bool {
	if r == nil {
		return false
	}
	list := r.Capabilities()
	if len(list) == 0 {
		if r.Version() > g.version && len(r.Extensions()) == 0 {
			return false
		}
		g.extend(r)
		return true
	}
	for n := range list {
		c := spirv.KindCapability.Enumerant(uint32(list[(n+g.IntN(len(list)))%len(list)]))
		if c != nil && g.usable[c.Name()] {
			g.declare(c)
			g.extend(r)
			return true
		}
	}
	return false
}

// pick returns a random enumerant of a kind that the environment has.
func (g *soup) pick(k spirv.Kind) *spirv.Row {
	list := k.Enumerants()
	for range 100 {
		declared := slices.Clone(g.declared)
		if r := &list[g.IntN(len(list))]; g.enable(r) {
			return r
		}
		g.declared = declared
	}
	return &list[0]
}

// operands returns the text of operands.
func (g *soup) operands(list []spirv.Operand) string {
	var t strings.Builder
	for _, o := range list {
		n := 1
		switch o.Quant {
		case spirv.Optional:
			n = g.IntN(2)
		case spirv.Repeated:
			n = g.IntN(4)
		}
		for range n {
			t.WriteString(" " + g.operand(o.Kind))
		}
	}
	return t.String()
}

// numbers are literals of operands.
var numbers = []uint32{0, 0, 0, 1, 1, 2, 3, 4, 4, 8, 16, 16, 31, 32, 64, 100, 4095, 0xffffffff}

func (g *soup) number() uint32 { return numbers[g.IntN(len(numbers))] }

func (g *soup) operand(k spirv.Kind) string {
	switch k.Category() {
	case spirv.CategoryValue:
		r := g.pick(k)
		return r.Name() + g.operands(r.Operands())
	case spirv.CategoryMask:
		if g.IntN(3) == 0 {
			return "None"
		}
		r := g.pick(k)
		return r.Name() + g.operands(r.Operands())
	case spirv.CategoryPair:
		x, y := k.Pair()
		return g.operand(x) + " " + g.operand(y)
	case spirv.CategoryID:
		return g.id()
	}
	if k == spirv.KindLiteralString {
		return `"a"`
	}
	return fmt.Sprint(g.number())
}

func (g *soup) id() string { return g.ids[g.IntN(len(g.ids))] }

// text writes the module with an entry point and its modes.
func (g *soup) text(entry string, modes ...string) string {
	var t strings.Builder
	add := func(list ...string) {
		for _, l := range list {
			t.WriteString(l + "\n")
		}
	}
	add("OpCapability Shader")
	for _, prefix := range []string{"OpCapability", "OpExtension"} {
		for _, l := range g.declared {
			if strings.HasPrefix(l, prefix) && l != "OpCapability Shader" {
				add(l)
			}
		}
	}
	model := "Logical GLSL450"
	if slices.Contains(g.declared, "OpCapability VulkanMemoryModel") {
		model = "Logical Vulkan"
	}
	if slices.Contains(g.declared, "OpCapability PhysicalStorageBufferAddresses") {
		model = "PhysicalStorageBuffer64" + strings.TrimPrefix(model, "Logical")
		if g.version < 1<<16|5<<8 && !strings.Contains(t.String(), "physical_storage") {
			add(`OpExtension "SPV_KHR_physical_storage_buffer"`)
		}
	}
	add("OpMemoryModel " + model)
	add(entry)
	add(modes...)
	add(g.modes...)
	add(g.notes...)
	add("%void = OpTypeVoid", "%fn = OpTypeFunction %void")
	add(g.types...)
	add("%main = OpFunction %void None %fn", "%start = OpLabel")
	add(g.body...)
	add("OpReturn", "OpFunctionEnd")
	return t.String()
}
