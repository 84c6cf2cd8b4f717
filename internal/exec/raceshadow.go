package exec

import "github.com/chiaro-gpu/chiaro/internal/ir"

// shadow has the accesses of each word of memory, in pages (shadow memory, as in ThreadSanitizer, Serebryany & Iskhodzhanov 2009).
// Cells refer to records and histories by number, and both count their references: what no cell names is used again, so that
// memory grows with the words that are accessed and not with the accesses. races.full ends the detection when the memory for it is used up.
type shadow struct {
	pages         map[pageOf]*page
	recent        [16]*page  // by the numbers of the message and of the page
	near          *page      // of the last access
	records       []*record  // from 1
	idle          []*record  // of them
	histories     []*history // from 1
	idleHistories []*history // of them
	idlePages     []*page
	idleRows      []*row
	spare         []thread // of a workgroup that has ended
}

func newShadow() shadow {
	return shadow{pages: map[pageOf]*page{}, records: []*record{nil}, histories: []*history{nil}}
}

// space is memory with numbers for its words: of the process, of a workgroup, or of a descriptor without bytes.
type space struct {
	stage   ir.Stage // the order of task and mesh shaders is not followed: their accesses are not compared
	memory  uint32   // the number of its name; 0 for the memory of the process
	element uint32   // of an array of descriptors
	group   uint32   // of workgroup memory: 1 + its number
}

// pageWords is the number of words of a page.
const pageWords = 128

// pageOf identifies a page.
type pageOf struct {
	space
	number uint64 // of the first word / pageWords
}

// rowWords is the number of words of a row, those that a subgroup of 16 invocations accesses at once.
const rowWords = 16

const pageRows = pageWords / rowWords

// row has the words of a part of a page.
type row [rowWords]cell

// page has the words of a page in rows. Most accesses are of whole rows by consecutive invocations: then the row has one cell,
// and the lanes in it are those of the accesses of the first word. The pointers are first, so that the garbage collector scans no further.
type page struct {
	notes *[pageWords]note // nil without Log.Commands
	words [pageRows]*row   // nil for a row that has one cell
	at    pageOf
	whole [pageRows]cell
}

// cell returns the cell of a word, which then has one of its own.
func (r *races) cell(p *page, word uint64) *cell {
	w := p.words[word/rowWords]
	if w == nil {
		w = r.split(p, word/rowWords)
	}
	return &w[word%rowWords]
}

// split gives the words of a row cells of their own. Lane i of the row's accesses is that of word i, and all of them refer to the
// same records. The row remains split until its page is dropped.
func (r *races) split(p *page, n uint64) *row {
	var w *row
	if n := len(r.idleRows); n > 0 {
		w, r.idleRows = r.idleRows[n-1], r.idleRows[:n-1]
	} else {
		w = &row{}
	}
	all := p.whole[n]
	p.whole[n], p.words[n] = cell{}, w
	r.kept += rowBytes
	for i := range w {
		w[i] = cell{written: all.written}
	}
	switch {
	case all.history != 0:
		h := r.histories[all.history]
		for i := range w {
			own := r.newHistory(&w[i])
			own.known = h.known
			own.known.thread += uint32(i)
			for _, a := range h.list {
				a.lane += uint8(i)
				own.list = append(own.list, a)
			}
			r.kept += accessBytes * uint64(len(h.list))
		}
		for _, a := range h.list {
			r.records[a.record].refs += rowWords - 1
		}
		r.dropHistory(&all)
	case all.record != 0:
		for i := range w {
			w[i] = all
			w[i].lane += uint8(i)
		}
		r.records[all.record].refs += rowWords - 1
	}
	return w
}

// free releases the accesses of a cell.
func (r *races) free(c *cell) {
	if c.record != 0 {
		r.release(r.records[c.record])
	}
	if c.history != 0 {
		for _, a := range r.histories[c.history].list {
			r.release(r.records[a.record])
		}
		r.dropHistory(c)
	}
}

// pageAt returns a page for an access by a message; nil if the memory for it is used up.
func (r *races) pageAt(at pageOf, x *record) *page {
	// An instruction often accesses pages again that it accessed in the subgroup before. Neighboring pages have places of their own, so
	// that a table of several pages which lanes access at random stays there.
	last := &r.recent[(uint64(x.number)+at.number)%uint64(len(r.recent))]
	if *last != nil && (*last).at == at {
		r.near = *last
		return r.near
	}
	p := r.pages[at]
	if p == nil {
		if r.kept+r.bytes > r.limit {
			return nil
		}
		if n := len(r.idlePages); n > 0 {
			p, r.idlePages = r.idlePages[n-1], r.idlePages[:n-1]
		} else {
			p = &page{}
		}
		p.at = at
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
	*last, r.near = p, p
	return p
}

// drop forgets a page.
func (r *races) drop(at pageOf) {
	p := r.pages[at]
	delete(r.pages, at)
	r.near = nil
	for i := range r.recent {
		if r.recent[i] == p {
			r.recent[i] = nil
		}
	}
	for i, w := range p.words {
		r.free(&p.whole[i])
		if w != nil {
			for k := range w {
				r.free(&w[k])
			}
			r.kept -= rowBytes
			r.idleRows = append(r.idleRows, w)
		}
	}
	r.kept -= pageBytes
	if p.notes != nil {
		for i := range p.notes {
			for _, first := range p.notes[i].first {
				if first.record != 0 {
					r.release(r.records[first.record])
				}
			}
		}
		r.kept -= noteBytes
	}
	*p = page{}
	r.idlePages = append(r.idlePages, p)
}
