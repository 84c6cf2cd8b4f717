package main

import (
	"fmt"
	"strconv"
	"strings"
)

// primitive is a type of C: its Go type, its C type in shims, and its size on 64-bit hosts.
type primitive struct {
	goType, c string
	size      int
}

var primitives = map[string]primitive{
	"uint8_t": {"uint8", "uint8_t", 1}, "uint16_t": {"uint16", "uint16_t", 2}, "uint32_t": {"uint32", "uint32_t", 4}, "uint64_t": {"uint64", "uint64_t", 8},
	"int8_t": {"int8", "int8_t", 1}, "int16_t": {"int16", "int16_t", 2}, "int32_t": {"int32", "int32_t", 4}, "int64_t": {"int64", "int64_t", 8},
	"int": {"int32", "int", 4}, "float": {"float32", "float", 4}, "double": {"float64", "double", 8}, "size_t": {"uint", "size_t", 8}, "char": {"byte", "char", 1},
	"xcb_window_t": {"uint32", "uint32_t", 4}, "xcb_visualid_t": {"uint32", "uint32_t", 4}, "Window": {"uint", "unsigned long", 8}, "VisualID": {"uint", "unsigned long", 8},
}

var (
	pointer    = primitive{"unsafe.Pointer", "void *", 8}
	enumerant  = primitive{"uint32", "uint32_t", 4}
	resultType = primitive{"Result", "int32_t", 4}
	dispatch   = primitive{"*Dispatch", "struct dispatch *", 8}
)

// resolve follows aliases and returns the type with a name, or nil.
func (r *registry) resolve(name string) *typ {
	t := r.types[name]
	for t != nil && t.alias != "" {
		t = r.types[t.alias]
	}
	return t
}

// scalar returns the form of a type that is no struct and no union.
func (r *registry) scalar(name string) (primitive, bool) {
	if p, ok := primitives[name]; ok {
		return p, true
	}
	if name == "VkResult" {
		return resultType, true
	}
	t := r.resolve(name)
	if t == nil {
		return primitive{}, false
	}
	switch t.category {
	case "enum":
		return enumerant, true
	case "bitmask", "basetype":
		return r.scalar(t.base)
	case "handle":
		if t.dispatchable {
			return dispatch, true
		}
		return primitive{bare(t.name), "uint64_t", 8}, true
	case "funcpointer":
		return pointer, true
	}
	return primitive{}, false
}

// number returns the value of a dimension.
func (r *registry) number(dim string) int {
	if v, ok := r.constants[dim]; ok {
		return r.number(v)
	}
	n, _ := strconv.Atoi(strings.TrimSuffix(dim, "U"))
	return n
}

// fieldLayout returns the size and the alignment of a member, and whether its type is known.
func (r *registry) fieldLayout(f field) (size, align int, ok bool) {
	if f.pointers > 0 {
		size, align = 8, 8
	} else if p, ok := r.scalar(f.typ); ok {
		size, align = p.size, p.size
	} else if t := r.resolve(f.typ); t != nil && t.known {
		size, align = t.size, t.align
	} else {
		return 0, 0, false
	}
	for _, d := range f.dims {
		size *= r.number(d)
	}
	return size, align, true
}

// layout computes the layout of all structs and unions by the rules of the System V ABI for 64 bits, and puts each after the
// structs that it contains. It drops structs with types of other platforms.
func (r *registry) layout() error {
	var done []*typ
	for left := r.structs; len(left) > 0; {
		var next []*typ
		for _, t := range left {
			if t.alias != "" {
				continue
			}
			if t.known = r.structLayout(t); t.known {
				done = append(done, t)
			} else {
				next = append(next, t)
			}
		}
		if len(next) == len(left) {
			break
		}
		left = next
	}
	r.structs = done
	if len(done) == 0 {
		return fmt.Errorf("the registry has no structs")
	}
	return nil
}

// structLayout computes the layout of a struct or union, if all its types are known.
func (r *registry) structLayout(t *typ) bool {
	size, align, bits := 0, 1, 0
	for i := range t.fields {
		f := &t.fields[i]
		if f.bits > 0 { // bit-fields of 32-bit words that no member straddles
			if bits == 0 {
				size, align = (size+3)&^3+4, max(align, 4)
			}
			f.offset = size - 4
			bits = (bits + f.bits) % 32
			continue
		}
		s, a, ok := r.fieldLayout(*f)
		if !ok {
			return false
		}
		align = max(align, a)
		if t.category == "union" {
			size = max(size, s)
			continue
		}
		f.offset = (size + a - 1) / a * a
		size = f.offset + s
	}
	t.size, t.align = (size+align-1)/align*align, align
	return true
}

// plain reports whether a value of a type has no pointers, so that its bytes are a copy of it.
func (r *registry) plain(name string) bool {
	if p, ok := r.scalar(name); ok {
		return p != pointer
	}
	t := r.resolve(name)
	if t == nil || !t.known {
		return false
	}
	for _, f := range t.fields {
		if f.pointers > 0 || !r.plain(f.typ) {
			return false
		}
	}
	return true
}
