package vk

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// elements are the elements of a vertex buffer that a draw accesses: a range, or those that indices name.
type elements struct {
	first, count uint64
	indices      []uint64
	known        bool
}

// attributes checks the alignment of the vertex attributes that the vertex stage reads (Vulkan, Vertex Input Calculation). The arguments
// of an indirect draw are a copy that no later command changes.
func (c *drawCheck) attributes(a *state.Args, indexed bool, indirect *state.Indirect) {
	v := c.stage(ir.Vertex)
	if v == nil {
		return
	}
	if indirect == nil {
		c.attributesOf(v, a, indexed)
		return
	}
	one := *a
	if one.Index = nil; indexed {
		one.Index = []byte{} // not nil: the structures are those of indexed draws
	}
	n, err := indirect.Draws(&one)
	for i := uint32(0); err == nil && i < n && len(c.findings) == 0; i++ { // the draw reports the error
		indirect.Set(&one, i)
		c.attributesOf(v, &one, indexed)
	}
}

// attributesOf checks a draw that is not indirect.
func (c *drawCheck) attributesOf(v *shader.Stage, a *state.Args, indexed bool) {
	legacy := !c.dev.without("legacyVertexAttributes") && c.dev.mayHave("legacyVertexAttributes")
	if a.Count == 0 || a.Instances == 0 {
		return
	}
	read := map[uint32]bool{}
	for i := range v.Program.In {
		if in := &v.Program.In[i]; in.Semantic == ir.Location {
			read[in.Index/4] = true
		}
	}
	for _, x := range c.s.Vertex.Attributes {
		f := format.InfoByName(x.Format)
		if !read[x.Location] || f == nil || len(f.Components) == 0 || x.Binding >= state.MaxBindings || c.graphics.bound.vertices[x.Binding].Bytes == nil {
			continue
		}
		rule, size, of := vuid.VkCmdDraw_format_10390, uint64(f.Bytes/len(f.Components)), "a component"
		if strings.Contains(f.Name, "_PACK") {
			rule, size, of = vuid.VkCmdDraw_format_10389, uint64(f.Bytes), "the format"
		}
		if legacy && !f.Wide || size == 0 {
			continue
		}
		for _, b := range c.s.Vertex.Bindings {
			if b.Binding != x.Binding {
				continue
			}
			place := uint64(c.graphics.bound.places[x.Binding]) + uint64(x.Offset)
			stride := uint64(b.Stride)
			wrong := place%size != 0 // if it is wrong for one element, it is for all
			if stride%size != 0 {
				g := &c.graphics.bound
				index := g.index
				if !indexed {
					index = nil
				} else if index == nil {
					index = []byte{}
				}
				e := accessedElements(&b, a, index, uint64(g.indexBytes), c.s.Assembly.Restart, math.MaxUint32)
				wrong = e.misaligned(place, stride, size)
			}
			if wrong {
				c.find(rule, "the attribute at location %d of the format %s is read at an address that is no multiple of %d, the size of %s; must be without the feature legacyVertexAttributes", x.Location, f.Name, size, of)
			}
		}
	}
}

// accessedElements returns the elements of a binding that a draw accesses. Its indices have size bytes each; they are nil in a draw
// without indices. Of more than most indices it has the first ones.
func accessedElements(b *state.VertexBinding, a *state.Args, index []byte, size uint64, restart bool, most uint64) (e elements) {
	switch {
	case b.Instance && b.Divisor == 0:
		return elements{first: uint64(a.FirstInstance), count: 1, known: true}
	case b.Instance:
		return elements{first: uint64(a.FirstInstance), count: (uint64(a.Instances)-1)/uint64(b.Divisor) + 1, known: true}
	case index == nil:
		return elements{first: uint64(a.First), count: uint64(a.Count), known: true}
	case size == 0:
		return e
	}
	end := min(uint64(len(index))/size, uint64(a.First)+min(uint64(a.Count), most))
	for i := uint64(a.First); i < end; i++ {
		var word [8]byte
		copy(word[:], index[i*size:][:size])
		n := binary.LittleEndian.Uint64(word[:])
		if restart && n == 1<<(8*size)-1 {
			continue
		}
		e.indices = append(e.indices, n+uint64(int64(a.BaseVertex)))
	}
	return e
}

// misaligned reports whether the attribute of an accessed element is at no multiple of a size, a power of two that the stride is no
// multiple of. It is false if the elements are not known.
func (e *elements) misaligned(place, stride, size uint64) bool {
	at := func(n uint64) bool { return (place+n*stride)%size != 0 }
	for _, n := range e.indices {
		if at(n) {
			return true
		}
	}
	return e.known && (e.count > 1 || at(e.first)) // of two neighbours one is misaligned
}
