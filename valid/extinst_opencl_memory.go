package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// The storage classes of the pointers of OpenCL.std.
var (
	openCLWritable = []spirv.StorageClass{
		spirv.StorageClassFunction, spirv.StorageClassWorkgroup, spirv.StorageClassCrossWorkgroup, spirv.StorageClassGeneric,
	}
	openCLReadable = append(slices.Clone(openCLWritable), spirv.StorageClassUniformConstant)
)

// openCLRelaxedPrintf is the extension that allows formats outside of
// UniformConstant.
const openCLRelaxedPrintf = "SPV_EXT_relaxed_printf_string_address_space"

// openCLMemory is an instruction that loads or stores a vector, or halves that it
// converts.
type openCLMemory struct {
	store  bool // the first operand has the data; a load results in them
	half   bool // the pointer points to halves
	vector bool // the data are a vector
	count  bool // a load has the number of components as its last operand
}

var openCLMemories = map[spirv.OpenCLOp]openCLMemory{
	spirv.OpenCLVloadn:        {vector: true, count: true},
	spirv.OpenCLVloadHalf:     {half: true},
	spirv.OpenCLVloadHalfn:    {half: true, vector: true, count: true},
	spirv.OpenCLVloadaHalfn:   {half: true, vector: true, count: true},
	spirv.OpenCLVstoren:       {store: true, vector: true},
	spirv.OpenCLVstoreHalf:    {store: true, half: true},
	spirv.OpenCLVstoreHalfR:   {store: true, half: true},
	spirv.OpenCLVstoreHalfn:   {store: true, half: true, vector: true},
	spirv.OpenCLVstoreHalfnR:  {store: true, half: true, vector: true},
	spirv.OpenCLVstoreaHalfn:  {store: true, half: true, vector: true},
	spirv.OpenCLVstoreaHalfnR: {store: true, half: true, vector: true},
}

// fails reports that operand n, from 0, is not as the instruction wants it; it
// returns ok.
func (o *openCLCall) fails(ok bool, n int, want string) bool {
	if !ok {
		o.c.fail(o.i, "SPV-OpenCL-Operand", "operand %d of %s is %s; must be %s", n+1, o.op, o.c.name(o.args[n]), want)
	}
	return ok
}

// failsResult reports that the result is not as the instruction wants it; it
// returns ok.
func (o *openCLCall) failsResult(ok bool, want string) bool {
	if !ok {
		o.c.fail(o.i, "SPV-OpenCL-Result", "%s is %s; must be %s", o.op, o.c.typeName(o.t), want)
	}
	return ok
}

// operandType returns the type of operand n, nil if there is none.
func (o *openCLCall) operandType(n int) *facts.Type {
	if n >= len(o.args) {
		return nil
	}
	return o.c.m.TypeOf(o.args[n])
}

// vectorMemory checks a load or a store of a vector, or of halves.
func (o *openCLCall) vectorMemory(f openCLMemory) {
	data, n := o.t, 0
	if f.store {
		data, n = o.operandType(0), 1
		if data == nil || !o.failsResult(o.t.IsVoid(), "void") {
			return
		}
	}
	ok, want := openCLData(f, data)
	if f.store {
		if !o.fails(ok, 0, want) {
			return
		}
	} else if !o.failsResult(ok, want) {
		return
	}
	pointer := o.operandType(n + 1)
	if pointer == nil || !o.isSize(n) {
		return
	}
	classes := openCLReadable
	if f.store {
		classes = openCLWritable
	}
	switch elem := pointer.Elem; {
	case !o.isPointer(n+1, classes) || elem == nil:
	case f.half:
		o.fails(isFloats(elem, 16) && !elem.IsVector(), n+1, "a pointer to a float of 16 bits")
	default:
		o.fails(elem == data.Elem, n+1, "a pointer to the component type of the vector")
	}
	if f.count && n+2 < len(o.args) && uint64(o.args[n+2]) != data.Count {
		o.c.fail(o.i, "SPV-OpenCL-Operand", "%s has the number %d and loads %s; must be the number of components", o.op, o.args[n+2], o.c.typeName(data))
	}
}

// openCLData reports whether an instruction can load or store a type.
func openCLData(f openCLMemory, t *facts.Type) (ok bool, want string) {
	widths, words := []uint32{16, 32, 64}, ""
	if f.half && f.store {
		widths, words = widths[1:], " of 32 or 64 bits"
	}
	float := isFloats(t, widths...)
	switch {
	case f.vector && f.half:
		return float && openCLVector(t), "a vector of 2, 3, 4, 8 or 16 floats" + words
	case f.vector:
		return (float || isInts(t)) && openCLVector(t), "a vector of 2, 3, 4, 8 or 16 numbers"
	}
	return float && !t.IsVector(), "a float" + words
}

// openCLVector reports whether a type is a vector of a length of OpenCL.
func openCLVector(t *facts.Type) bool {
	return t.IsVector() && (t.Count <= 4 || t.Count == 8 || t.Count == 16)
}

// isSize checks that operand n is as wide as an address.
func (o *openCLCall) isSize(n int) bool {
	t := o.operandType(n)
	switch o.c.m.Addressing {
	case spirv.AddressingModelPhysical32:
		return o.fails(t == nil || t.IsInt() && t.Width == 32, n, "an integer of 32 bits, as addresses are")
	case spirv.AddressingModelPhysical64:
		return o.fails(t == nil || t.IsInt() && t.Width == 64, n, "an integer of 64 bits, as addresses are")
	}
	return o.fails(false, n, "as wide as an address of physical addressing")
}

// isPointer checks that operand n is a pointer to one of the storage classes.
func (o *openCLCall) isPointer(n int, classes []spirv.StorageClass) bool {
	t := o.operandType(n)
	if t == nil {
		return true
	}
	return o.fails(t.IsPointer(), n, "a pointer") && o.fails(slices.Contains(classes, t.Storage), n, "a pointer to "+classNames(classes))
}

// classNames lists storage classes.
func classNames(classes []spirv.StorageClass) string {
	out := ""
	for i, s := range classes {
		switch {
		case i == 0:
		case i == len(classes)-1:
			out += " or "
		default:
			out += ", "
		}
		out += s.String()
	}
	return out
}

// shuffle checks shuffle and shuffle2.
func (o *openCLCall) shuffle() {
	numbers := func(t *facts.Type) bool {
		return (isFloats(t, 16, 32, 64) || isInts(t)) && openCLVector(t) && t.Count != 3
	}
	const want = "a vector of 2, 4, 8 or 16 numbers"
	last := len(o.args) - 1
	x, mask := o.operandType(0), o.operandType(last)
	if x == nil || mask == nil || !o.failsResult(numbers(o.t), want) || !o.fails(numbers(x), 0, want) ||
		!o.fails(x.Elem == o.t.Elem, 0, "a vector of the components of the result") {
		return
	}
	if y := o.operandType(1); o.op == spirv.OpenCLShuffle2 && y != nil && !o.fails(y == x, 1, "of the type of the first vector") {
		return
	}
	o.fails(isInts(mask) && mask.IsVector() && mask.Count == o.t.Count && mask.Elem.Width == o.t.Elem.Width, last,
		"a vector of as many integers as the result has components, of the same width")
}

// printf checks the format of printf.
func (o *openCLCall) printf() {
	t := o.operandType(0)
	if t == nil || !o.failsResult(o.t.IsInt() && o.t.Width == 32, "an integer of 32 bits") {
		return
	}
	classes := openCLReadable[len(openCLReadable)-1:]
	if o.c.m.Extension(openCLRelaxedPrintf) {
		classes = openCLReadable
	}
	if !o.isPointer(0, classes) || t.Elem == nil {
		return
	}
	elem := t.Elem
	if elem.IsArray() {
		elem = elem.Elem
	}
	o.fails(elem.IsInt() && elem.Width == 8, 0, "a pointer to integers of 8 bits")
}

// prefetch checks the pointer and the number of elements of prefetch.
func (o *openCLCall) prefetch() {
	t := o.operandType(0)
	if t == nil || !o.failsResult(o.t.IsVoid(), "void") || !o.isPointer(0, []spirv.StorageClass{spirv.StorageClassCrossWorkgroup}) {
		return
	}
	if e := t.Elem; e == nil || o.fails((isFloats(e, 16, 32, 64) || isInts(e)) && (!e.IsVector() || openCLVector(e)), 0, "a pointer to a number or a vector of numbers") {
		o.isSize(1)
	}
}
