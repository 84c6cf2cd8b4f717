package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// contents is a set of kinds of parts in the values of a type, at any depth, the
// type itself included. The pointee of a pointer is not a part.
type contents uint32

const (
	holds8           contents = 1 << iota // values of 8 bits without arithmetic
	holds16                               // values of 16 bits without arithmetic
	holdsRuntime                          // runtime arrays
	holdsMatrix                           // matrices, cooperative ones excluded
	holdsBool                             // Booleans
	holdsPointer                          // pointers
	holdsPhysical                         // pointers into physical storage buffers
	holdsCooperative                      // cooperative matrices
	holdsOpaque                           // images, samplers, acceleration structures, tensors
	holdsFP8                              // floats of the encodings E4M3 and E5M2
	holdsBF16                             // floats of the encoding BFloat16
	holdsMicro                            // floats of the OCP microscaling encodings
	holdsTiny                             // microscaling floats of 4 and 6 bits
	holdsLong                             // vectors of more than four components
	holdsSized                            // arrays with a specialization constant as length
	holdsSizedVector                      // vectors with a specialization constant as length
	holdsByte                             // integers of 8 bits
	holdsHalf                             // integers and floats of 16 bits
	holdsStored                           // pointers to StorageBuffer
	holdsWorkgroup                        // pointers to Workgroup
	holdsLocal                            // pointers to other logical memory
	holdsLengthless                       // vectors of OpTypeVectorIdEXT
	holdsBlock                            // structs decorated Block
)

// contentState holds the contents of each type, by type number, and of all types together, so that a check of
// rare types costs nothing in a module without them.
type contentState struct {
	of     []content
	all    contents
	texels bool // there are pointers to texels
}

// content is the contents of a type, the size in bytes of its widest scalar or
// physical pointer, and the total size of its scalars without padding.
type content struct {
	what   contents
	widest uint8
	bytes  uint64
}

// contents computes the contents of all types in one pass: parts are declared
// before the whole.
func (c *checker) contents() {
	of := c.memory.contents.Alloc(len(c.m.Types))
	c.content.of = of
	for n := range c.m.Types {
		t := &c.m.Types[n]
		k := &of[n]
		k.what, k.widest = c.contentsOf(t)
		part := func(p *facts.Type) {
			switch {
			case p == nil:
			case p.IsPointer(): // it may be declared later
				held, wide := c.contentsOf(p)
				k.what |= held
				k.widest = max(k.widest, wide)
			case p.Number < n:
				k.what |= of[p.Number].what
				k.widest = max(k.widest, of[p.Number].widest)
				k.bytes = saturate(k.bytes + of[p.Number].bytes)
			}
		}
		c.content.all |= k.what
		c.content.texels = c.content.texels || t.Storage == spirv.StorageClassImage
		switch {
		case t.IsStruct():
			for k := range t.Members {
				part(t.Members[k].Type)
			}
		case t.IsComposite():
			part(t.Elem)
			k.bytes = saturate(k.bytes * min(t.Count, maxBytes))
		case t.IsScalar():
			k.bytes = 4 // a Boolean has no size; every device stores it in 4 bytes or more
			if !t.IsBool() {
				k.bytes = uint64(min(t.Width, 64) / 8)
			}
		}
	}
}

// maxBytes is the value at which sizes saturate: above all limits, and small enough that a
// product of two does not overflow.
const maxBytes = 1 << 31

func saturate(n uint64) uint64 { return min(n, maxBytes) }

// contentsOf returns the contents of a type itself, without its parts, and the
// size in bytes of a scalar or physical pointer.
func (c *subject) contentsOf(t *facts.Type) (contents, uint8) {
	switch t.Op {
	case spirv.OpTypeBool:
		return holdsBool, 0
	case spirv.OpTypeInt, spirv.OpTypeFloat:
		out := encodingContents(t)
		switch {
		case t.Width == 8 && t.IsInt():
			out |= holdsByte
		case t.Width == 16:
			out |= holdsHalf
		}
		if c.limited(t) {
			out |= holds8 << (t.Width / 16)
		}
		return out, uint8(min(t.Width/8, 8))
	case spirv.OpTypeMatrix:
		return holdsMatrix, 0
	case spirv.OpTypeRuntimeArray:
		return holdsRuntime, 0
	case spirv.OpTypeStruct:
		if c.m.Has(t.ID, spirv.DecorationBlock) {
			return holdsBlock, 0
		}
	case spirv.OpTypeVector, spirv.OpTypeVectorIdEXT:
		var out contents
		if t.Count > 4 {
			out |= holdsLong
		}
		if t.Length != nil && t.Length.Spec {
			out |= holdsSizedVector
		}
		if t.Op == spirv.OpTypeVectorIdEXT {
			out |= holdsLengthless
		}
		return out, 0
	case spirv.OpTypeArray:
		if t.Length != nil && t.Length.Spec {
			return holdsSized, 0
		}
	case spirv.OpTypePointer, spirv.OpTypeUntypedPointerKHR:
		switch t.Storage {
		case spirv.StorageClassPhysicalStorageBuffer:
			return holdsPointer | holdsPhysical, 8
		case spirv.StorageClassStorageBuffer:
			return holdsPointer | holdsStored, 0
		case spirv.StorageClassWorkgroup:
			return holdsPointer | holdsWorkgroup, 0
		}
		return holdsPointer | holdsLocal, 0
	case spirv.OpTypeCooperativeMatrixKHR, spirv.OpTypeCooperativeMatrixNV:
		return holdsCooperative, 0
	case spirv.OpTypeImage, spirv.OpTypeSampler, spirv.OpTypeSampledImage, spirv.OpTypeAccelerationStructureKHR, spirv.OpTypeTensorARM:
		return holdsOpaque, 0
	}
	return 0, 0
}

// encodingContents returns the contents of a float by its encoding.
func encodingContents(t *facts.Type) contents {
	if !t.Encoded {
		return 0
	}
	switch t.Encoding {
	case spirv.FPEncodingBFloat16KHR:
		return holdsBF16
	case spirv.FPEncodingFloat8E4M3EXT, spirv.FPEncodingFloat8E5M2EXT:
		return holdsFP8
	case spirv.FPEncodingFloat6E2M3EXT, spirv.FPEncodingFloat6E3M2EXT, spirv.FPEncodingFloat4E2M1EXT:
		return holdsMicro | holdsTiny
	case spirv.FPEncodingFloat8UnsignedE8M0EXT, spirv.FPEncodingMXInt8EXT:
		return holdsMicro
	}
	return 0
}

// contains reports whether a type has any of the contents; false for nil.
func (c *subject) contains(t *facts.Type, what contents) bool {
	return t != nil && c.content.of[t.Number].what&what != 0
}

// widest returns the size in bytes of the widest scalar in a type.
func (c *subject) widest(t *facts.Type) uint32 {
	if t == nil {
		return 0
	}
	return uint32(c.content.of[t.Number].widest)
}
