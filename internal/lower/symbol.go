package lower

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Symbols has the places of the module's values in the program that Stage made, for a debugger. They hold for the program as it was
// lowered: passes move values.
type Symbols struct {
	scopes []*scope // by function of the program
}

// scope has the values of one function of the program.
type scope struct {
	*function
	values map[spirv.ID]value
}

// Place is where one scalar is.
type Place struct {
	Kind PlaceKind
	Type ir.Type

	Value    ir.V   // InRegister: the value; else the addend of Offset while running, such as the address; 0 for nothing: then Offset is an address
	Variable uint64 // InVariable, InBytes: index in Program.Vars
	Resource uint64 // InBuffer: index in Program.Res
	Offset   uint64 // in slots or bytes
}

// PlaceKind is the kind of memory of a scalar.
type PlaceKind uint8

// The kinds of places.
const (
	InRegister  PlaceKind = iota // a value of the function
	InVariable                   // a slot of a variable in private memory
	InPrivate                    // a slot of the private memory of the invocation
	InWorkgroup                  // a byte of workgroup memory
	InPush                       // a byte of the push constants
	InBuffer                     // a byte of descriptor 0 of a resource
	InAddress                    // a byte at a device address
	InFrame                      // a slot of the frame of the ray that runs the shader
	InPayload                    // a slot of the payload or the callable data that the shader is run with
	InRecord                     // a byte of the data of the shader record
	InBytes                      // a byte of a variable in private memory, which has four in a slot
	InLaunch                     // word Offset of the id of the launch's invocation, after it of the size of the launch
	InTable                      // a byte of a constant table, the handle of which is Value
)

// note records the value of an id.
func (s *Symbols) note(f *function, id spirv.ID, v value) {
	for len(s.scopes) <= f.number {
		s.scopes = append(s.scopes, nil)
	}
	at := s.scopes[f.number]
	if at == nil || at.function != f {
		at = &scope{f, map[spirv.ID]value{}}
		s.scopes[f.number] = at
	}
	at.values[id] = v
}

// scope returns the values of function n of the program; nil if the module has no such function.
func (s *Symbols) scope(n int) *scope {
	if n < 0 || n >= len(s.scopes) {
		return nil
	}
	return s.scopes[n]
}

// Function returns the module's function from which function n of the program was made; nil if there is none.
func (s *Symbols) Function(n int) *facts.Function {
	if at := s.scope(n); at != nil {
		return at.fn
	}
	return nil
}

// lookup returns the value of an id in function n, and the scope that has it: of another function for a variable of the module that n does
// not use.
func (s *Symbols) lookup(n int, id spirv.ID) (*scope, value, bool) {
	at := s.scope(n)
	if at == nil {
		return nil, value{}, false
	}
	if v, ok := at.values[id]; ok {
		return at, v, true
	}
	if v := at.facts.Variable(id); v == nil || v.Func != nil {
		return nil, value{}, false
	}
	for _, other := range s.scopes {
		if other == nil {
			continue
		}
		if v, ok := other.values[id]; ok {
			return other, v, true
		}
	}
	return nil, value{}, false
}

// Type returns the type of an id in function n, and of what it points to if it is a pointer whose place is known; nil if the id has
// no value there.
func (s *Symbols) Type(n int, id spirv.ID) *facts.Type {
	_, v, ok := s.lookup(n, id)
	if !ok {
		return nil
	}
	if v.ptr != nil && v.typ.IsPointer() {
		return v.ptr.typ
	}
	return v.typ
}

// Places returns the type and the places of the scalars of a part of a value: of a member of a member, as the path says. A pointer
// stands for what it points to.
func (s *Symbols) Places(n int, id spirv.ID, path ...uint64) (t *facts.Type, list []Place, err error) {
	at, v, ok := s.lookup(n, id)
	if !ok {
		return nil, nil, fmt.Errorf("%%%d has no value here", id)
	}
	defer catch(&err)
	if v.ptr == nil {
		return at.part(v, path)
	}
	t, list, err = at.pointee(*v.ptr, path)
	if at != s.scope(n) && slices.ContainsFunc(list, func(p Place) bool { return p.Value != 0 }) {
		return t, nil, errors.New("the function does not use it; a frame of a function that does has its value")
	}
	return t, list, err
}

// part returns the places of a part of a value in registers.
func (s *scope) part(v value, path []uint64) (*facts.Type, []Place, error) {
	t, parts := v.typ, v.parts
	for _, i := range path {
		if !t.IsComposite() || i >= t.Parts() {
			return nil, nil, fmt.Errorf("there is no part %d", i)
		}
		for k := range i {
			parts = parts[len(s.flat(t.Part(k))):]
		}
		t = t.Part(i)
		parts = parts[:len(s.flat(t))]
	}
	list := make([]Place, len(parts))
	for i, p := range parts {
		list[i] = Place{Kind: InRegister, Type: s.b.Func.Type(p), Value: p}
	}
	return t, list, nil
}

// pointee returns the places of a part of what a pointer points to.
func (s *scope) pointee(p pointer, path []uint64) (*facts.Type, []Place, error) {
	for _, i := range path {
		switch t := p.typ; {
		case t.IsStruct() && i < uint64(len(t.Members)):
			s.toMember(&p, int(i))
		case t.IsComposite() && t.Elem != nil && (i < t.Count || t.IsRuntimeArray()):
			s.stepElement(&p, operand{bits: i})
		default:
			return nil, nil, fmt.Errorf("there is no part %d", i)
		}
	}
	if (isRay(p.typ) || isHitObject(p.typ)) && p.memory == inSlots {
		return p.typ, rayPlaces(&p), nil
	}
	if p.typ.Leaves == 0 && p.typ.IsComposite() { // a runtime array, or a structure with one
		return p.typ, nil, nil
	}
	code, vals := s.b.Func.Code, s.b.Func.Vals
	defer func() { s.b.Func.Code, s.b.Func.Vals = code, vals }() // the program does not change if a place needs operations
	var list []Place
	known := true
	s.scalarsAt(p, func(at *pointer, t ir.Type) {
		place, ok := s.placeOf(at, t)
		known = known && ok && int(place.Value) < len(vals)
		list = append(list, place)
	})
	if !known {
		return p.typ, nil, fmt.Errorf("%v has no place in memory", p.class)
	}
	return p.typ, list, nil
}

// rayPlaces returns the places of the slots of a ray query, or of the ray of a hit object.
func rayPlaces(p *pointer) []Place {
	list := make([]Place, ir.RaySlots)
	for i := range list {
		list[i] = Place{Kind: InVariable, Type: ir.I32, Value: p.offset.dyn, Variable: p.number, Offset: p.offset.imm + uint64(i)}
	}
	return list
}

// placeOf returns the place of a scalar in memory; false if it has none.
func (s *scope) placeOf(p *pointer, t ir.Type) (Place, bool) {
	x := Place{Type: t, Value: p.offset.dyn, Offset: p.offset.imm}
	switch {
	case p.memory == inPrivate && s.isInput(p.offset.dyn):
		x.Kind, x.Value = InPayload, 0
		if p.class == spirv.StorageClassHitAttributeKHR {
			x.Kind = InFrame
		}
	case p.memory == physical && s.isInput(p.address) && p.offset.dyn == 0:
		x.Kind, x.Type = InRecord, bufferType(t)
	case p.memory == physical && p.address != 0 && p.offset.dyn == 0:
		x.Kind, x.Type, x.Value = InAddress, bufferType(t), p.address
	case p.memory == inInput && p.io != nil && !p.io.copied && x.Value == 0 && x.Offset < uint64(len(p.io.scalars)) && p.io.scalars[x.Offset].ofRay:
		return s.placeOfRay(&p.io.scalars[x.Offset])
	case p.memory == inSlots:
		x.Kind, x.Variable = InVariable, p.number
	case p.memory == inInput && p.io != nil && p.io.copied && !p.io.arrayed: // its copy, whose scalars and slots are the same
		x.Kind, x.Variable = InVariable, p.io.number
	case p.memory == inPrivate:
		x.Kind = InPrivate
	case p.memory == inBuffer && p.checked && p.offset.dyn == 0:
		x.Kind, x.Type, x.Value = InTable, bufferType(t), p.handle
	case p.memory != inBuffer || p.checked || p.heap || p.banked || p.ofTask:
		return x, false
	case p.class == spirv.StorageClassWorkgroup:
		x.Kind, x.Type = InWorkgroup, bufferType(t)
	case p.class == spirv.StorageClassPushConstant:
		x.Kind, x.Type = InPush, bufferType(t)
	case p.class == spirv.StorageClassStorageBuffer, p.class == spirv.StorageClassUniform:
		x.Kind, x.Type, x.Resource = InBuffer, bufferType(t), p.number
	default:
		return x, false
	}
	return x, true
}

// isInput reports whether a value is an input of the program.
func (s *scope) isInput(v ir.V) bool { return v != 0 && s.b.Func.Val(v).Op == ir.In }

// placeOfRay returns the place of a scalar of a built-in of ray tracing stages.
func (s *scope) placeOfRay(l *ioScalar) (Place, bool) {
	r := rayBuiltIns[l.known]
	x := Place{Kind: InFrame, Type: r.typ, Offset: r.at + uint64(l.index)}
	switch r.place {
	case ofRay:
	case ofHit:
		x.Offset += s.hitOfStage()
	case ofLimit:
		x.Offset = s.rayLimit()
	case ofMask:
		x.Type = ir.I8
	case ofLaunch:
		x.Kind, x.Offset = InLaunch, uint64(l.index)
		if ir.Semantic(r.at) == ir.LaunchSize {
			x.Offset += 3
		}
	case ofAnswer:
		list := s.answers[l.known]
		if int(l.index) >= len(list) {
			return x, false
		}
		return Place{Kind: InRegister, Type: r.typ, Value: list[l.index]}, true
	default:
		return x, false
	}
	return x, true
}

// Values returns the ids with a value in function n, and the variables of the module that other functions use, ascending.
func (s *Symbols) Values(n int) []spirv.ID {
	at := s.scope(n)
	if at == nil {
		return nil
	}
	all := maps.Clone(at.values)
	for _, other := range s.scopes {
		if other == nil || other == at {
			continue
		}
		for id, value := range other.values {
			if v := at.facts.Variable(id); v != nil && v.Func == nil {
				all[id] = value
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}
