package ptxlower

import (
	"math"

	"github.com/chiaro-gpu/chiaro/ptx"
)

// Image is what the kernels of a module share: the memory of its .global and .const variables, which live at device addresses, and its
// functions.
type Image struct {
	Bytes     []byte // with the initial values, but for addresses; the variables of .const are last
	constants uint64 // where they begin
	offsets   map[string]uint64
	fixes     []fix
	functions map[string]*ptx.Function // by name: the definition, or the last declaration
	opaque    map[string]string        // the types of the variables with handles
	samplers  []StaticSampler
	files     map[string]string // by number in .loc
	addresses map[string]uint64 // of the device functions
	taken     []*ptx.Function   // with an address in use
	heap      bool              // the module calls malloc or free
	locks     bool              // the module has indivisible accesses of 128 bits
}

// fix is an initial value that has the address of a variable or a function.
type fix struct {
	at   uint64
	size int
	name string
	add  uint64
}

// MaxImageBytes bounds the image of a module.
const MaxImageBytes = 256 << 20

// NewImage places the variables of a module.
func NewImage(m *ptx.Module) (image *Image, err error) {
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(fault)
			if !ok {
				panic(r)
			}
			image, err = nil, f.error
		}
	}()
	image = &Image{offsets: map[string]uint64{}, functions: map[string]*ptx.Function{}, opaque: map[string]string{}}
	for _, x := range m.Items {
		if f, ok := x.(*ptx.Function); ok && (image.functions[f.Name] == nil || f.Body != nil) {
			image.functions[f.Name] = f
		}
	}
	image.numberFunctions(m)
	image.addHeap()
	image.files = sourceFiles(m)
	image.findLocked(m)
	image.place(globals(m))
	initialized := map[string]bool{}
	for _, v := range globals(m) {
		if t := opaqueType(v); t != "" {
			image.opaque[v.Name] = t
			image.initializeHandle(v)
			continue
		}
		if v.Init != nil && !initialized[v.Name] {
			initialized[v.Name] = true
			image.initialize(v)
		}
	}
	image.findTaken(m)
	return image, nil
}

// place gives each name a place for the greatest of its declarations: one may leave the size of an array to another.
func (m *Image) place(list []*ptx.Variable) {
	type extent struct {
		size  uint64
		align int
	}
	extents := map[string]extent{}
	for _, v := range list {
		x := extents[v.Name]
		size := uint64(v.Size())
		if opaqueType(v) != "" {
			size = handleBytes
		}
		extents[v.Name] = extent{max(x.size, size), max(x.align, v.Alignment(), 8)}
	}
	var first, constants []*ptx.Variable
	for _, v := range list {
		if v.Space == ".const" {
			constants = append(constants, v)
		} else {
			first = append(first, v)
		}
	}
	end := uint64(0)
	for i, v := range append(first, constants...) {
		if i == len(first) {
			end = alignUp(end, 8)
			m.constants = end
		}
		if _, ok := m.offsets[v.Name]; ok {
			continue
		}
		x := extents[v.Name]
		at := alignUp(end, x.align)
		if end = at + x.size; end > MaxImageBytes {
			unsupported(v.Pos, "a module with more than %d bytes of variables", MaxImageBytes)
		}
		m.offsets[v.Name] = at
	}
	m.Bytes = make([]byte, alignUp(end, 8))
	if len(constants) == 0 {
		m.constants = uint64(len(m.Bytes))
	}
}

// globals returns the variables of the image. One of a function has the name of the function before its own.
func globals(m *ptx.Module) (list []*ptx.Variable) {
	for _, x := range m.Items {
		switch x := x.(type) {
		case *ptx.Variable:
			if inImage(x) {
				list = append(list, x)
			}
		case *ptx.Function:
			seen := map[string]bool{}
			forVariables(x.Body, func(v *ptx.Variable) {
				if !inImage(v) {
					return
				}
				if seen[v.Name] {
					unsupported(v.Pos, "a second variable %s of a function in %s", v.Name, v.Space)
				}
				seen[v.Name] = true
				own := *v
				own.Name = ownName(x, v)
				list = append(list, &own)
			})
		}
	}
	return list
}

// inImage reports whether a variable is one of the image.
func inImage(v *ptx.Variable) bool {
	return v.Space == ".global" || v.Space == ".const" || v.Space == ".tex"
}

// ownName is the name of a variable of a function in the image.
func ownName(f *ptx.Function, v *ptx.Variable) string { return f.Name + "::" + v.Name }

// initialize writes the initial value of a variable.
func (m *Image) initialize(v *ptx.Variable) {
	size := ptx.TypeSize(v.Type)
	at, end := m.offsets[v.Name], m.offsets[v.Name]+uint64(v.Size())
	dims := v.Dims
	if v.Vector > 1 {
		dims = append(dims[:len(dims):len(dims)], v.Vector)
	}
	m.fill(v, v.Init, at, end, size, dims)
}

// fill writes the values of a list, which has the dimensions dims.
func (m *Image) fill(v *ptx.Variable, x *ptx.Value, at, end uint64, size int, dims []int) {
	if x.Expr != nil {
		m.scalar(v, x.Expr, at, end, size)
		return
	}
	step := uint64(size)
	if len(dims) > 1 {
		for _, d := range dims[1:] {
			step *= uint64(max(d, 0))
		}
	}
	for i := range x.List {
		if at >= end {
			malformed(x.Pos, "%s has more initial values than elements", v.Name)
		}
		m.fill(v, &x.List[i], at, end, size, dims[min(1, len(dims)):])
		at += step
		if x.List[i].Expr != nil && len(dims) > 1 { // a flat list
			at += uint64(size) - step
		}
	}
}

// scalar writes one value.
func (m *Image) scalar(v *ptx.Variable, e *ptx.Expr, at, end uint64, size int) {
	if at+uint64(size) > end {
		malformed(e.Pos, "%s has more initial values than elements", v.Name)
	}
	bits, ok := constantBits(e, v.Type)
	if !ok {
		f := fix{at: at, size: size}
		if !m.address(e, &f) {
			unsupported(e.Pos, "the initial value of %s", v.Name)
		}
		if _, ok := m.offsets[f.name]; !ok && m.addresses[f.name] == 0 {
			if m.functions[f.name] != nil {
				return // one without a body has the address 0, which no call reaches
			}
			unsupported(e.Pos, "the address of %s as an initial value", f.name)
		}
		m.fixes = append(m.fixes, f)
		return
	}
	put(m.Bytes[at:], size, bits)
}

// put stores the low bytes of a value.
func put(b []byte, size int, bits uint64) {
	for i := range min(size, 8) {
		b[i] = byte(bits >> (8 * i))
	}
}

// address finds the name and the offset in the initial value of a pointer: a, a+4, or generic(a).
func (m *Image) address(e *ptx.Expr, f *fix) bool {
	switch {
	case e.Op == "name":
		f.name = e.Text
		return true
	case e.Op == "call" && len(e.Args) == 1 && e.Text == "generic":
		return m.address(e.Args[0], f)
	case (e.Op == "+" || e.Op == "-") && len(e.Args) == 2:
		n, ok := e.Args[1].Int()
		if e.Op == "-" {
			n = -n
		}
		f.add += n
		return ok && m.address(e.Args[0], f)
	}
	return false
}

// Place returns the bytes of an image at a device address.
func (m *Image) Place(base uint64) []byte {
	out := append([]byte(nil), m.Bytes...)
	for _, f := range m.fixes {
		address, function := m.addresses[f.name]
		if at, ok := m.offsets[f.name]; ok || !function {
			address = base + at
		}
		put(out[f.at:], f.size, address+f.add)
	}
	return out
}

// constantBits returns a constant expression as the bits of a type.
func constantBits(e *ptx.Expr, t string) (uint64, bool) {
	switch t {
	case ".f32", ".b32", ".tf32":
		if e.IsFloat() {
			return f32Bits(e)
		}
		if t != ".b32" {
			v, ok := e.Int()
			return uint64(math.Float32bits(float32(int64(v)))), ok
		}
	case ".f64", ".b64":
		if e.IsFloat() {
			v, ok := e.Float()
			return math.Float64bits(v), ok
		}
		if t == ".f64" {
			v, ok := e.Int()
			return math.Float64bits(float64(int64(v))), ok
		}
	}
	if e.IsFloat() {
		return 0, false
	}
	return e.Int()
}

// f32Bits returns a constant as a float of 32 bits. A literal 0f… keeps its bits, those of a NaN too.
func f32Bits(e *ptx.Expr) (uint64, bool) {
	if e.Op == "float32" {
		return e.Bits, true
	}
	if e.Op == "-" && len(e.Args) == 1 {
		v, ok := f32Bits(e.Args[0])
		return v ^ 1<<31, ok
	}
	v, ok := e.Float()
	return uint64(math.Float32bits(float32(v))), ok
}
