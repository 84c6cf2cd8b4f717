package spirv

import (
	"fmt"
	"strings"
	"unsafe"
)

// ExtSet is an extended instruction set, as an OpExtInstImport names one.
type ExtSet uint8

// setRow is the grammar's entry of a set. The name of a versioned set in a module
// ends with a number.
type setRow struct {
	name      text
	at, n     uint16
	versioned bool
}

// ExtSetByName returns the set with a name in OpExtInstImport. It returns
// ExtSetUnknown for an unknown name that begins with NonSemantic., and ExtSetNone
// and false for any other unknown name.
func ExtSetByName(name string) (ExtSet, bool) {
	for i := 1; i < len(sets); i++ {
		n := sets[i].name.String()
		if name == n || sets[i].versioned && strings.HasPrefix(name, n) {
			return ExtSet(i), true
		}
	}
	if strings.HasPrefix(name, "NonSemantic.") {
		return ExtSetUnknown, true
	}
	return ExtSetNone, false
}

// String returns the name of import; of a versioned set, the part before the
// number.
func (s ExtSet) String() string {
	switch {
	case s == ExtSetNone:
		return "none"
	case s == ExtSetUnknown:
		return "unknown"
	case int(s) < len(sets):
		return sets[s].name.String()
	}
	return fmt.Sprintf("ExtSet(%d)", uint8(s))
}

// NonSemantic reports whether the set's instructions have no effect on the results
// of a shader. The operands of unknown ones are ids.
func (s ExtSet) NonSemantic() bool {
	return s >= ExtSetNonSemanticClspvReflection
}

// Insts returns the rows of the set's instructions in order of their numbers.
// The slice is shared and must not be changed.
func (s ExtSet) Insts() []Row {
	if int(s) >= len(sets) {
		return nil
	}
	r := &sets[s]
	return rows[r.at : r.at+r.n]
}

// Inst returns the row of an instruction, nil if the set does not have it.
func (s ExtSet) Inst(number uint32) *Row {
	list := s.Insts()
	if len(list) == 0 {
		return nil
	}
	if i := number - list[0].value; i < uint32(len(list)) && list[i].value == number {
		return &list[i]
	}
	return find(list, number)
}

// InstByName returns the row of the instruction with a name, nil if the set
// does not have it.
func (s ExtSet) InstByName(name string) *Row { return lookup(setSpace+uint8(s)-1, name) }

func (s ExtSet) instName(number uint32) string {
	if r := s.Inst(number); r != nil {
		return r.Name()
	}
	return fmt.Sprintf("%s(%d)", s, number)
}

// importedSet is ExtSetByName for the words of a literal string. It reads no
// more of them than the longest name has.
func importedSet(words []uint32) ExtSet {
	var buf [64]byte
	b := buf[:0]
	for _, w := range words[:min(len(words), len(buf)/4)] {
		for range 4 {
			if byte(w) == 0 {
				break
			}
			b = append(b, byte(w))
			w >>= 8
		}
	}
	s, _ := ExtSetByName(unsafe.String(&buf[0], len(b)))
	return s
}

// imports remembers the first imported sets of a module, so that few
// instructions need to look at a name.
type imports struct {
	ids  [4]ID
	sets [4]ExtSet
	n    int
}

func (m *imports) add(id ID, s ExtSet) {
	if m.n < len(m.ids) {
		m.ids[m.n], m.sets[m.n] = id, s
		m.n++
	}
}

func (m *imports) find(id ID) ExtSet {
	for i := range m.n {
		if m.ids[i] == id {
			return m.sets[i]
		}
	}
	return ExtSetNone
}
