package asm

import (
	"hash/maphash"
	"strconv"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// maxName is the largest name in bytes that an id gets. Types of types of types
// could otherwise have names as long as the module, and a long name that every
// instruction mentions would make text without proportion to the words.
const maxName = 256

// Names of types and constants that contain other names: one of more than
// shortName bytes counts as long, and no id gets a long name after the ones of the module
// have longNames bytes: such an id keeps its number. Else 10⁶ nested types would have
// hundreds of megabytes of names. Modules that compilers make stay far below.
const (
	shortName = 48
	longNames = 1 << 20
)

// names are readable names for the ids of a module: the OpName,
// else the built-in in a decoration, else a name made of the type or
// the constant, else the number. Two ids never have the same name: the second
// gets _0 appended, the third _1, and so on. Letters that an id cannot have
// become underscores.
type names struct {
	m     *spirv.Module
	text  []byte // the concatenated names
	dense []nameRef
	rest  map[spirv.ID]nameRef // ids that dense does not reach
	seed  maphash.Seed
	table []nameUse // open addressing; half empty
	used  int
	buf   []byte
	long  int // bytes of the long names that contain other names

	// Numbers need not be in the table as long as no name consists of
	// digits alone; digits is set if one does.
	digits bool
}

// nameRef is a place in text. size numbered selects the id's number, 0 means
// no name yet.
type nameRef struct{ at, size uint32 }

const numbered = 1<<32 - 1

// nameUse is a name that is taken; next is the first suffix that may be free.
type nameUse struct{ at, size, hash, next uint32 }

// nameModule names all ids of a module.
func nameModule(m *spirv.Module, stop func() error) (*names, error) {
	n := &names{m: m, seed: maphash.MakeSeed()}
	n.dense = make([]nameRef, min(int64(m.Bound), int64(len(m.Words))))
	size := 64
	for size < m.Len()/3 {
		size *= 2
	}
	n.table = make([]nameUse, size)
	n.text = make([]byte, 0, len(m.Words))
	for i := range m.Len() {
		if err := stopped(i, stop); err != nil {
			return nil, err
		}
		if m.Known(i) {
			n.instruction(m.Inst(i))
		}
	}
	return n, nil
}

// ref returns the place of an id's name.
func (n *names) ref(id spirv.ID) nameRef {
	if int(id) < len(n.dense) {
		return n.dense[id]
	}
	return n.rest[id]
}

// append appends the name of an id.
func (n *names) append(dst []byte, id spirv.ID) []byte {
	if r := n.ref(id); r.size != 0 && r.size != numbered {
		return append(dst, n.text[r.at:r.at+r.size]...)
	}
	return appendUint(dst, uint32(id))
}

// set enters the name of an id that has none.
func (n *names) set(id spirv.ID, r nameRef) {
	if int(id) < len(n.dense) {
		n.dense[id] = r
		return
	}
	if n.rest == nil {
		n.rest = map[spirv.ID]nameRef{}
	}
	n.rest[id] = r
}

// number names an id by its number.
func (n *names) number(id spirv.ID) {
	if n.ref(id).size != 0 {
		return
	}
	if !n.digits {
		n.set(id, nameRef{size: numbered})
		return
	}
	n.buf = appendUint(n.buf[:0], uint32(id))
	n.save(id, n.buf)
}

// enterNumbers enters the numbers that serve as names into the table.
func (n *names) enterNumbers() {
	n.digits = true
	for id, r := range n.dense {
		if r.size == numbered {
			n.enter(strconv.AppendInt(nil, int64(id), 10))
		}
	}
	for id, r := range n.rest {
		if r.size == numbered {
			n.enter(appendUint(nil, uint32(id)))
		}
	}
}

// save names an id, unless it has a name. It changes and may keep name.
func (n *names) save(id spirv.ID, name []byte) {
	if n.ref(id).size != 0 {
		return
	}
	if len(name) > maxName {
		n.number(id)
		return
	}
	allDigits := true
	for i, c := range name {
		if !identifiers[c] {
			name[i] = '_'
		}
		allDigits = allDigits && isDigit(c)
	}
	if len(name) == 0 {
		name = append(name, '_')
	}
	if allDigits && !n.digits {
		n.enterNumbers()
	}
	r, use := n.enter(name)
	if use != nil {
		r = n.suffix(name, use)
	}
	n.set(id, r)
}

// suffix finds a free name for one that is taken.
func (n *names) suffix(name []byte, use *nameUse) nameRef {
	base := append(name, '_')
	k := use.next
	for ; ; k++ {
		r, taken := n.enterAt(appendUint(base, k), use, k+1)
		if taken == nil {
			n.buf = base[:0]
			return r
		}
	}
}

// enterAt is enter, and notes the next suffix of a base before the table, and
// with it the base, may move.
func (n *names) enterAt(name []byte, base *nameUse, next uint32) (nameRef, *nameUse) {
	base.next = next
	return n.enter(name)
}

// enter puts a name into the table and the text. If it is there already, it
// returns its entry instead.
func (n *names) enter(name []byte) (nameRef, *nameUse) {
	if 2*n.used >= len(n.table) {
		n.grow()
	}
	h := uint32(maphash.Bytes(n.seed, name))
	mask := uint32(len(n.table) - 1)
	i := h & mask
	for ; n.table[i].size != 0; i = (i + 1) & mask {
		u := &n.table[i]
		if u.hash == h && int(u.size) == len(name) && string(n.text[u.at:u.at+u.size]) == string(name) {
			return nameRef{}, u
		}
	}
	r := nameRef{at: uint32(len(n.text)), size: uint32(len(name))}
	n.text = append(n.text, name...)
	n.table[i] = nameUse{at: r.at, size: r.size, hash: h}
	n.used++
	return r, nil
}

func (n *names) grow() {
	old := n.table
	n.table = make([]nameUse, 2*len(old))
	mask := uint32(len(n.table) - 1)
	for _, u := range old {
		if u.size == 0 {
			continue
		}
		i := u.hash & mask
		for n.table[i].size != 0 {
			i = (i + 1) & mask
		}
		n.table[i] = u
	}
}
