package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bounds of the folder of reports.
const (
	maxReports = 1000
	maxDepth   = 4       // of folders
	maxEntries = 100000  // of the folders, of all kinds
	maxItems   = 2 << 20 // of a report
	maxCauses  = 10000   // of a report
)

// reports are the reports of a folder. A mutex guards them.
type reports struct {
	root *os.Root // nil for none
	mu   sync.Mutex
	all  map[string]*report // by id
}

// report is a file with records.
type report struct {
	id, name string
	size     int64
	modified time.Time
	read     int64       // the records up to here are known
	tail     []byte      // the bytes before read, at most tailBytes
	file     fs.FileInfo // of the file that was read
	wrong    bool        // it is no report
	over     int         // items beyond the bound
	items    []item
	counts   map[string]int // by state
	causes   []cause
	byTitle  map[string]int
	reasons  [][]int32 // the sets of causes of the items
	bySet    map[string]int32
}

// item is a record: its place in the file, and the columns of lists. It is small, because a report may have a million.
type item struct {
	name    string // its file and its test
	at      int64
	length  uint32
	file    uint32 // bytes of the name
	reasons int32  // of the report
	seconds float32
	state   uint8 // of states
}

func (i *item) split() (file, test string) { return i.name[:i.file], i.name[i.file:] }

// openReports opens a folder; "" for none.
func openReports(dir string) (*reports, error) {
	rs := &reports{all: map[string]*report{}}
	if dir == "" {
		return rs, nil
	}
	var err error
	rs.root, err = os.OpenRoot(dir)
	return rs, err
}

func (rs *reports) close() {
	if rs.root != nil {
		_ = rs.root.Close()
	}
}

// idOf returns the name of a file in addresses. A hash has no character that an address or a path treats specially, and a request
// with it cannot name a file that no list has.
func idOf(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:8])
}

// list returns the regular files of the folder with one of the endings. Hidden folders are left out, and symbolic links too: a link
// to a folder above would have all reports twice.
func (rs *reports) list(endings ...string) (names []string) {
	if rs.root == nil {
		return nil
	}
	entries := 0
	_ = fs.WalkDir(rs.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch entries++; {
		case err != nil:
			return nil // a folder that cannot be read has no reports
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || strings.Count(name, "/") >= maxDepth):
			return fs.SkipDir
		case len(names) >= maxReports || entries > maxEntries:
			return fs.SkipAll
		case d.Type().IsRegular() && slices.Contains(endings, path.Ext(name)):
			names = append(names, name)
		}
		return nil
	})
	return names
}

// refresh reads new and changed reports of the folder and forgets deleted ones. A file that is no report is remembered, so
// that it is read once and not at each look.
func (rs *reports) refresh() {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	there := map[string]bool{}
	for _, name := range rs.list(".json", ".jsonl") {
		id := idOf(name)
		there[id] = true
		r := rs.all[id]
		if r == nil {
			r = &report{id: id, name: name}
			rs.all[id] = r
		}
		rs.update(r)
	}
	for id := range rs.all {
		if !there[id] {
			delete(rs.all, id)
		}
	}
}

// update reads the new records of a report: from its last whole line on if it has grown, else all. Equal size and time mean that
// nothing is new.
func (rs *reports) update(r *report) {
	info, err := rs.root.Stat(r.name)
	if err != nil || info.Size() == r.size && info.ModTime().Equal(r.modified) {
		return
	}
	f, err := rs.root.Open(r.name)
	if err != nil {
		return
	}
	defer f.Close()
	lines := path.Ext(r.name) == ".jsonl"
	if !lines || r.wrong || !r.grows(f, info) {
		*r = report{id: r.id, name: r.name}
	}
	if r.counts == nil {
		r.counts, r.byTitle, r.bySet = map[string]int{}, map[string]int{}, map[string]int32{}
	}
	r.size, r.modified, r.file = info.Size(), info.ModTime(), info
	if lines {
		if r.read, err = readLines(f, r.read, r.size, r.add); err == nil {
			r.tail, err = tailOf(f, r.read)
		}
	} else {
		err = readObject(f, r.size, r.add)
	}
	r.wrong = err != nil
}

// tailBytes is enough for the seconds of several records, which differ from run to run.
const tailBytes = 4 << 10

// tailOf returns the bytes of a file before an offset, at most tailBytes.
func tailOf(f io.ReaderAt, end int64) ([]byte, error) {
	tail := make([]byte, min(end, tailBytes))
	_, err := f.ReadAt(tail, end-int64(len(tail)))
	return tail, err
}

// grows reports whether a file that has changed is the one that was read, with more at its end. A run that is repeated writes
// another report under the same name, perhaps a longer one, between two looks.
func (r *report) grows(f io.ReaderAt, info fs.FileInfo) bool {
	if r.file == nil || !os.SameFile(r.file, info) || info.Size() <= r.size {
		return false
	}
	tail, err := tailOf(f, r.read)
	return err == nil && bytes.Equal(tail, r.tail)
}

// states are the states of records, by the number in an item. The first one is for all others.
var states = []string{"unknown", "pass", "fail", "unsupported", "error", "timeout", "internal", "not run", "clean", "warning", "unreadable"}

// add adds a record. Items beyond the bound are counted, causes beyond theirs are not.
func (r *report) add(x *record, at, end int64) {
	if len(r.items) >= maxItems {
		r.over++
		return
	}
	i := item{name: x.File + x.Test, file: uint32(len(x.File)), state: uint8(max(slices.Index(states, x.state()), 0)), seconds: float32(x.Seconds), at: at, length: uint32(end - at)}
	var set []int32
	for _, c := range causesOf(x) {
		n, known := r.byTitle[c.Title]
		if !known {
			if len(r.causes) >= maxCauses {
				continue
			}
			n = len(r.causes)
			r.byTitle[c.Title] = n
			r.causes = append(r.causes, c)
		}
		r.causes[n].Items++
		set = append(set, int32(n))
	}
	i.reasons = r.set(set)
	r.items = append(r.items, i)
	r.counts[states[i.state]]++
}

// set returns the number of a set of causes. Most items share one of a few sets, so that an item needs four bytes for its own.
func (r *report) set(causes []int32) int32 {
	key := fmt.Sprint(causes)
	n, known := r.bySet[key]
	if !known {
		n = int32(len(r.reasons))
		r.bySet[key] = n
		r.reasons = append(r.reasons, causes)
	}
	return n
}

// errChanged is the error of an item that is no longer at its place, because another run has written the file.
var errChanged = errors.New("the report has changed; reload the page")

// record returns the record of an item as it is in its file.
func (rs *reports) record(r *report, n int) (data []byte, x record, err error) {
	f, err := rs.root.Open(r.name)
	if err != nil {
		return nil, x, err
	}
	defer f.Close()
	i := &r.items[n]
	data = make([]byte, i.length)
	if _, err = f.ReadAt(data, i.at); err == nil {
		err = x.decode(data)
	}
	if err != nil || x.File+x.Test != i.name {
		r.size, r.file = -1, nil // the next look reads all of it
		return nil, x, errChanged
	}
	return data, x, nil
}
