package typing

// Shapes is a set of kinds of types.
type Shapes uint16

// The shapes.
const (
	One    Shapes = 1 << iota // scalar
	Vec                       // vector
	Mat                       // matrix
	Arr                       // array, with a length or not
	Struct                    // structure
	Ptr                       // pointer
	Void                      // no value
	None                      // the operand has no type: a label, a function, a set, a string
	Opaque                    // image, sampler, function, and all else

	Number    = One | Vec
	Composite = Vec | Mat | Arr | Struct
	Data      = One | Composite | Ptr
	Anything  = Data | Void | Opaque
)

// Classes is a set of classes of components.
type Classes uint8

// The sets of classes.
const (
	OfBool  Classes = 1 << iota
	OfInt           // of either signedness
	OfUInt          // of Signedness 0
	OfFloat         // of every encoding

	OfNumber = OfInt | OfFloat
	OfAny    = OfNumber | OfBool
)

// View is the part of a type that a form needs. Two types are the same if the
// interfaces are equal.
type View interface {
	Shape() Shapes // one of them

	// Class returns the class of a scalar, or of the components of a vector or
	// matrix, and their width in bits; 1 for Boolean.
	Class() (c Class, width int)

	// Len returns the number of components, columns, elements or members; 0
	// if it is not known.
	Len() int

	// Part returns a component, column, element or member; for a pointer the
	// pointee, nil if the pointer is untyped.
	Part(i int) View
}

// Link is a relation between the type of an operand and the type of another.
type Link uint8

// The links of x to y.
const (
	Same       Link = iota // x is y
	PointsAt               // x points at y, or is untyped
	PointedAt              // y points at x, or is untyped
	PartOf                 // x is the component, column or element of y
	Whole                  // y is the component, column or element of x
	SameLen                // as many components or columns
	SameWidth              // components of the same width
	SameCount              // a scalar as y, or a vector as long as y
	RowsOf                 // the columns of x are as long as y has columns
	LongAsRows             // x is as long as the columns of y
	SharesPart             // the components, columns or elements are the same
)

// Bond is a link to an operand, by its number; 0 is the result.
type Bond struct {
	Link Link
	To   int
}

// Often is the number of times that an operand may occur.
type Often uint8

// How often.
const (
	Once Often = iota
	Maybe
	Many // any number of times, none included; the last of a form
)

// Pattern is the requirement on the type of one operand.
type Pattern struct {
	Shapes  Shapes
	Classes Classes // of scalars, and of components of vectors and matrices; 0 is any
	Width   int     // in bits; 0 is any
	Count   int     // of the components of a vector; 0 is any
	Bonds   []Bond
	Often   Often
}

// Form is the typing of an instruction that a Row cannot say: the result, and
// the operands that are ids, the parameters of enumerants excluded. An operand
// that names a type counts as a value of it.
type Form struct {
	Result   Pattern
	Operands []Pattern
	Traits   Traits
}

// FormOf returns the form of an instruction; ok is false if it has none.
func FormOf(op Op) (f Form, ok bool) {
	if p := FormAt(op); p != nil {
		return *p, true
	}
	return Form{}, false
}

// FormAt is FormOf without a copy; nil if the instruction has none. The form
// must not be changed.
func FormAt(op Op) *Form {
	if int(op) < len(formAt) {
		return formAt[op]
	}
	return nil
}

// formAt has the form of each opcode.
var formAt = func() []*Form {
	t := make([]*Form, opCount())
	for op, f := range forms {
		t[op] = &f
	}
	return t
}()

// Misfit is the place of the first type that does not fit: 0 for the result, i
// for operand i, and −1 if all fit. The result is nil if there is none, an
// operand without a type is nil. If operands are missing or too many, it is
// the first of them.
func (f *Form) Misfit(result View, operands []View) int {
	at := func(i int) View {
		if i == 0 {
			return result
		}
		if i > len(operands) {
			return nil
		}
		return operands[i-1]
	}
	if result != nil && !f.Result.fits(result, at) {
		return 0
	}
	p := f.Operands
	for i, x := range operands {
		if len(p) == 0 || !p[0].fits(x, at) {
			return i + 1
		}
		if p[0].Often != Many {
			p = p[1:]
		}
	}
	if len(p) > 0 && p[0].Often == Once {
		return len(operands) + 1
	}
	return -1
}

func (p Pattern) fits(x View, at func(int) View) bool {
	if x == nil {
		return p.Shapes&None != 0
	}
	shape := x.Shape()
	if p.Shapes&shape == 0 {
		return false
	}
	if shape&(One|Vec|Mat) != 0 {
		class, width := x.Class()
		if !p.Classes.has(class) || p.Width != 0 && p.Width != width {
			return false
		}
	}
	if n := x.Len(); shape == Vec && p.Count != 0 && n != 0 && p.Count != n {
		return false
	}
	for _, b := range p.Bonds {
		if y := at(b.To); y == nil || !b.Link.holds(x, y) {
			return false
		}
	}
	return true
}

func (s Classes) has(c Class) bool {
	switch c {
	case Bool:
		return s == 0 || s&OfBool != 0
	case Int:
		return s == 0 || s&OfInt != 0
	case UInt:
		return s == 0 || s&(OfInt|OfUInt) != 0
	}
	return s == 0 || s&OfFloat != 0
}

func (l Link) holds(x, y View) bool {
	switch l {
	case Same:
		return x == y
	case PointsAt:
		return x.Shape() == Ptr && (x.Part(0) == nil || x.Part(0) == y)
	case PointedAt:
		return y.Shape() == Ptr && (y.Part(0) == nil || y.Part(0) == x)
	case PartOf:
		return parted(y) && y.Part(0) == x
	case Whole:
		return parted(x) && x.Part(0) == y
	case SameLen:
		return asLong(x, y)
	case SameWidth:
		return width(x) == width(y)
	case SameCount:
		return x.Shape() == y.Shape() && asLong(x, y)
	case RowsOf:
		return parted(x) && asLong(x.Part(0), y)
	case LongAsRows:
		return parted(y) && asLong(x, y.Part(0))
	}
	return parted(x) && parted(y) && x.Part(0) == y.Part(0) // SharesPart
}

// asLong reports whether two types have as many parts, as far as that is known.
func asLong(x, y View) bool {
	n, m := x.Len(), y.Len()
	return n == 0 || m == 0 || n == m
}

// parted reports whether all parts of x have the type of the first.
func parted(x View) bool { return x.Shape()&(Vec|Mat|Arr) != 0 && x.Part(0) != nil }

func width(x View) int {
	_, w := x.Class()
	return w
}
