package exec

import "github.com/chiaro-gpu/chiaro/internal/ir"

// shadow is what the detector knows of each word of memory that was accessed, in pages.
type shadow struct {
	pages     map[pageOf]*page
	recent    [16]recentPage // by the number of the message of the access
	idle      []*record
	histories []*history
	spare     []thread // of a workgroup that has ended
}

func newShadow() shadow { return shadow{pages: map[pageOf]*page{}} }

// space is memory whose words have numbers of their own: that of the process, of a workgroup, or of a descriptor without bytes.
type space struct {
	stage   ir.Stage // the order of task and mesh shaders is not followed: their accesses are not compared
	memory  string   // empty for the memory of the process
	element uint32
	group   uint32 // of workgroup memory: 1 + its number
}

// pageWords is the number of words of a page: no more than a small buffer has.
const pageWords = 64

// pageOf identifies a page.
type pageOf struct {
	space
	number uint64 // of the first word / pageWords
}

type page struct {
	cells [pageWords]cell
	notes *[pageWords]note // nil without Log.Commands
}

type recentPage struct {
	at   pageOf
	page *page
}

// pageAt returns a page for an access by a message; nil if the memory for it is used up.
func (r *races) pageAt(at pageOf, x *record) *page {
	last := &r.recent[x.number%uint32(len(r.recent))]
	if last.page != nil && last.at == at {
		return last.page
	}
	p := r.pages[at]
	if p == nil {
		if r.kept+r.bytes > r.limit {
			return nil
		}
		p = &page{}
		r.kept += pageBytes
		if r.commands {
			p.notes = &[pageWords]note{}
			r.kept += noteBytes
		}
		r.pages[at] = p
		if at.group != 0 {
			r.latest.pages = append(r.latest.pages, at)
		}
	}
	*last = recentPage{at, p}
	return p
}

// drop forgets a page.
func (r *races) drop(at pageOf) {
	p := r.pages[at]
	delete(r.pages, at)
	for i := range r.recent {
		if r.recent[i].page == p {
			r.recent[i] = recentPage{}
		}
	}
	for i := range p.cells {
		c := &p.cells[i]
		if c.record != nil {
			r.release(c.record)
		}
		if c.history != nil {
			for _, a := range c.history.list {
				r.release(a.record)
			}
			r.kept -= c.history.bytes()
		}
	}
	r.kept -= pageBytes
	if p.notes != nil {
		for i := range p.notes {
			for _, first := range p.notes[i].first {
				if first.record != nil {
					r.release(first.record)
				}
			}
		}
		r.kept -= noteBytes
	}
}
