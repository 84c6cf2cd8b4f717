package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxPage bounds the items of an answer.
const maxPage = 500

// runRow is a run as a list shows it.
type runRow struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Modified time.Time      `json:"modified"`
	Total    int            `json:"total"`
	Over     int            `json:"over,omitempty"` // items that the page does not show
	Counts   map[string]int `json:"counts"`
	Causes   int            `json:"causes"`
}

// itemRow is an item as a list shows it.
type itemRow struct {
	N       int     `json:"n"`
	File    string  `json:"file"`
	Test    string  `json:"test,omitempty"`
	State   string  `json:"state"`
	Seconds float32 `json:"seconds"`
	Cause   string  `json:"cause,omitempty"` // the first
	Causes  int     `json:"causes"`
}

// rows returns the runs, the newest first. The counts are copied: an answer is written without the lock.
func (rs *reports) rows() []runRow {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	list := []runRow{}
	for _, r := range rs.all {
		if !r.wrong {
			counts := map[string]int{}
			for k, n := range r.counts {
				counts[k] = n
			}
			list = append(list, runRow{r.id, r.name, r.modified, len(r.items), r.over, counts, len(r.causes)})
		}
	}
	slices.SortFunc(list, func(a, b runRow) int {
		return cmp.Or(b.Modified.Compare(a.Modified), strings.Compare(a.Name, b.Name))
	})
	return list
}

func (s *Server) runs(w http.ResponseWriter, _ *http.Request) {
	s.reports.refresh()
	writeJSON(w, s.reports.rows())
}

// withRun calls do with the run that a request names, under the lock of the reports: it writes no answer but errors.
func (s *Server) withRun(w http.ResponseWriter, req *http.Request, do func(r *report)) (ok bool) {
	s.reports.mu.Lock()
	known := len(s.reports.all) > 0
	s.reports.mu.Unlock()
	if !known {
		s.reports.refresh()
	}
	s.reports.mu.Lock()
	defer s.reports.mu.Unlock()
	r := s.reports.all[req.PathValue("run")]
	if r == nil || r.wrong {
		http.Error(w, "no such run", http.StatusNotFound)
		return false
	}
	do(r)
	return true
}

// causes lists the causes of a run, the most frequent first.
func (s *Server) causes(w http.ResponseWriter, req *http.Request) {
	type row struct {
		N int `json:"n"`
		cause
	}
	list := []row{}
	if !s.withRun(w, req, func(r *report) {
		for i, c := range r.causes {
			list = append(list, row{i, c})
		}
		slices.SortStableFunc(list, func(a, b row) int { return cmp.Compare(b.Items, a.Items) })
	}) {
		return
	}
	writeJSON(w, list[:min(len(list), maxPage)])
}

// items lists the items of a run that have a state, a cause and a part of their name. All items are searched for the total, which the
// list shows.
func (s *Server) items(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	from, _ := strconv.Atoi(q.Get("from"))
	most, err := strconv.Atoi(q.Get("most"))
	if err != nil || most < 1 || most > maxPage {
		most = maxPage
	}
	reason := int32(-1)
	if n, err := strconv.ParseInt(q.Get("cause"), 10, 32); err == nil {
		reason = int32(n)
	}
	state, part := q.Get("state"), strings.ToLower(q.Get("q"))
	list, total := []itemRow{}, 0
	if s.withRun(w, req, func(r *report) {
		for n := range r.items {
			i := &r.items[n]
			if state != "" && states[i.state] != state || reason >= 0 && !slices.Contains(r.reasons[i.reasons], reason) ||
				part != "" && !strings.Contains(strings.ToLower(i.name), part) {
				continue
			}
			if total++; total > from && len(list) < most {
				list = append(list, r.row(n))
			}
		}
	}) {
		writeJSON(w, map[string]any{"total": total, "from": from, "items": list})
	}
}

// row returns the row of an item.
func (r *report) row(n int) itemRow {
	i := &r.items[n]
	reasons := r.reasons[i.reasons]
	row := itemRow{N: n, State: states[i.state], Seconds: i.seconds, Causes: len(reasons)}
	row.File, row.Test = i.split()
	if len(reasons) > 0 {
		row.Cause = r.causes[reasons[0]].Title
	}
	return row
}

// shown is an item that a request names, as it is in its file: it stays whole when the report changes.
type shown struct {
	run    string
	row    itemRow
	total  int // of the run
	data   []byte
	record record
}

// shown returns the item of a request; nil after an answer that says why there is none.
func (s *Server) shown(w http.ResponseWriter, req *http.Request) (x *shown) {
	s.withRun(w, req, func(r *report) {
		n, err := strconv.Atoi(req.PathValue("item"))
		if err != nil || n < 0 || n >= len(r.items) {
			http.Error(w, "no such item", http.StatusNotFound)
			return
		}
		data, rec, err := s.reports.record(r, n)
		if err != nil {
			code := http.StatusInternalServerError
			if errors.Is(err, errChanged) {
				code = http.StatusConflict
			}
			http.Error(w, err.Error(), code)
			return
		}
		x = &shown{r.name, r.row(n), len(r.items), data, rec}
	})
	return x
}

// item answers with a record, the sources that it names, and its pictures.
func (s *Server) item(w http.ResponseWriter, req *http.Request) {
	x := s.shown(w, req)
	if x == nil {
		return
	}
	names, pictures := []string{}, []string{}
	if s.sources != nil {
		for _, f := range s.sourcesOf(&x.record) {
			names = append(names, f.name)
		}
		pictures = append(pictures, differencesOf(&x.record)...)
	}
	writeJSON(w, map[string]any{"run": x.run, "total": x.total, "row": x.row, "record": json.RawMessage(x.data), "sources": names,
		"pictures": pictures, "runnable": len(names) > 0 && runnable(names[0]), "listable": len(names) > 0 && listable(names[0])})
}
