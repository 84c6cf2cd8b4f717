package modgen

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// kind is the kind of a type.
type kind uint8

const (
	number kind = iota // scalar or vector, the Boolean ones too
	matrix
	array
	structure
)

// typ is a type without layout. Types are compared by name.
type typ struct {
	kind  kind
	shape typing.Shape // of a number
	elem  []*typ       // column, element, or members
	n     int          // columns or elements
}

func scalar(c typing.Class, width int) *typ { return vector(c, width, 1) }

func vector(c typing.Class, width, n int) *typ {
	return &typ{shape: typing.Shape{Class: c, Width: uint8(width), Count: uint8(n)}}
}

var (
	boolean = scalar(typing.Bool, 1)
	u32     = scalar(typing.UInt, 32)
	i32     = scalar(typing.Int, 32)
	u64     = scalar(typing.UInt, 64)
	f32     = scalar(typing.Float, 32)
)

// component returns the type of one component of a number.
func (t *typ) component() *typ { return t.times(1) }

// times returns the type with so many components.
func (t *typ) times(n int) *typ {
	return vector(t.shape.Class, int(t.shape.Width), n)
}

// class returns the type with components of another class.
func (t *typ) class(c typing.Class) *typ { return vector(c, int(t.shape.Width), int(t.shape.Count)) }

func (t *typ) is(c typing.Class) bool { return t.kind == number && t.shape.Class == c }

// id returns the type's id, which tells types apart.
func (t *typ) id() string {
	switch t.kind {
	case matrix:
		return fmt.Sprintf("%%mat%d_%s", t.n, t.elem[0].id()[1:])
	case array:
		return fmt.Sprintf("%%arr%d_%s", t.n, t.elem[0].id()[1:])
	case structure:
		b := strings.Builder{}
		b.WriteString("%st")
		for _, e := range t.elem {
			b.WriteString("_" + e.id()[1:])
		}
		return b.String() + "_e"
	}
	s := t.shape
	name := fmt.Sprintf("%s%d", [...]string{"bool", "i", "u", "f"}[s.Class], s.Width)
	if s.Class == typing.Bool {
		name = "bool"
	}
	if s.Count > 1 {
		name = fmt.Sprintf("v%d%s", s.Count, name)
	}
	return "%" + name
}

// typeOf declares a type and returns its id.
func (g *maker) typeOf(t *typ) string {
	id := t.id()
	if g.known[id] {
		return id
	}
	var form string
	switch {
	case t.kind == matrix:
		form = fmt.Sprintf("OpTypeMatrix %s %d", g.typeOf(t.elem[0]), t.n)
	case t.kind == array:
		form = fmt.Sprintf("OpTypeArray %s %s", g.typeOf(t.elem[0]), g.constant(u32, fmt.Sprint(t.n)))
	case t.kind == structure:
		form = "OpTypeStruct"
		for _, e := range t.elem {
			form += " " + g.typeOf(e)
		}
	case t.shape.Count > 1:
		form = fmt.Sprintf("OpTypeVector %s %d", g.typeOf(t.component()), t.shape.Count)
	case t.shape.Class == typing.Bool:
		form = "OpTypeBool"
	case t.shape.Class == typing.Float:
		form = fmt.Sprintf("OpTypeFloat %d", t.shape.Width)
	case t.shape.Class == typing.Int:
		form = fmt.Sprintf("OpTypeInt %d 1", t.shape.Width)
	default:
		form = fmt.Sprintf("OpTypeInt %d 0", t.shape.Width)
	}
	g.declare(id, form)
	return id
}

// declare writes a declaration once and returns its id.
func (g *maker) declare(id, form string) string {
	if !g.known[id] {
		g.known[id] = true
		fmt.Fprintf(&g.globals, "%s = %s\n", id, form)
	}
	return id
}

// pointer declares a pointer type.
func (g *maker) pointer(class string, to string) string {
	return g.declare("%p"+class+"_"+to[1:], "OpTypePointer "+class+" "+to)
}

// width chooses one of some widths of numbers, the first of which is 32.
func (g *maker) width(list ...int) int {
	if g.o.Words {
		list = list[:1]
	}
	return choose(g.source, list...)
}

// long is the unsigned integer of 64 bits, or of as many as there are.
func (g *maker) long() *typ {
	if g.o.Words {
		return u32
	}
	return u64
}

// number chooses a scalar or vector type of a class.
func (g *maker) number(c typing.Class) *typ {
	width := 1
	switch c {
	case typing.Int:
		if g.chance(2) {
			c = typing.UInt
		}
		width = g.width(32, 32, 32, 32, 32, 8, 16, 64)
	case typing.UInt:
		width = g.width(32, 32, 32, 32, 8, 16, 64)
	case typing.Float:
		width = g.width(32, 32, 32, 16, 64)
	}
	return vector(c, width, choose(g.source, 1, 1, 1, 1, 2, 3, 4))
}

// any chooses a type of any kind.
func (g *maker) any(depth int) *typ {
	switch k := g.intn(12); {
	case k < 8 || depth > 1:
		return g.number(choose(g.source, typing.Bool, typing.Int, typing.Int, typing.Int, typing.Float, typing.Float))
	case k == 8:
		column := vector(typing.Float, g.width(32, 32, 16, 64), 2+g.intn(3))
		return &typ{kind: matrix, elem: []*typ{column}, n: 2 + g.intn(3)}
	case k == 9:
		return &typ{kind: array, elem: []*typ{g.any(depth + 1)}, n: choose(g.source, 1, 2, 4)}
	}
	t := &typ{kind: structure}
	for range 1 + g.intn(3) {
		t.elem = append(t.elem, g.any(depth+1))
	}
	return t
}
