package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRepeatedRun writes another report under the name of one that the page has read: a longer one, one of the same length, and
// one in a new file. The page has the records of the last one alone.
func TestRepeatedRun(t *testing.T) {
	dir := t.TempDir()
	s := newServer(t, Config{Reports: dir})
	first := strings.Repeat(clean+"\n", 3)
	for i, next := range []string{
		strings.Repeat(failed+"\n", 40),             // longer: its line feeds are at other places
		strings.Repeat(passed+"\n", 3) + first,      // longer, whole lines
		strings.Replace(first, "clean", "dirty", 1), // of the same length
	} {
		for _, replace := range []bool{false, true} {
			name := fmt.Sprintf("r%d%v.jsonl", i, replace)
			write(t, dir, name, first)
			answer[[]runRow](t, s, "/api/runs")
			later := time.Now().Add(time.Hour) // as a run would have it
			file := name
			if replace {
				file = "next"
			}
			write(t, dir, file, next)
			if err := os.Chtimes(filepath.Join(dir, file), later, later); err != nil {
				t.Fatal(err)
			}
			if replace {
				if err := os.Rename(filepath.Join(dir, file), filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			other := newServer(t, Config{Reports: dir}) // which has read nothing
			if got, want := rowOf(t, s, name), rowOf(t, other, name); got != want {
				t.Errorf("%s: %s; want %s", name, got, want)
			}
		}
	}
}

// rowOf returns the results of a run in words.
func rowOf(t *testing.T, s *Server, name string) string {
	for _, r := range answer[[]runRow](t, s, "/api/runs") {
		if r.Name == name {
			return fmt.Sprint(r.Total, r.Counts)
		}
	}
	return "absent"
}

// TestChangedItem asks for an item whose record is another one now: the answer says so, and the next look reads the report again.
func TestChangedItem(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "r.jsonl", passed+"\n"+clean+"\n")
	s := newServer(t, Config{Reports: dir})
	answer[[]runRow](t, s, "/api/runs")
	path := filepath.Join(dir, "r.jsonl")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "r.jsonl", strings.Replace(passed, "a.amber", "z.amber", 1)+"\n"+clean+"\n")
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil { // a clock too coarse for the change
		t.Fatal(err)
	}
	item := "/api/runs/" + idOf("r.jsonl") + "/items/0"
	if w := ask(s, "GET", item, ""); w.Code != 409 {
		t.Fatalf("status %d; want 409", w.Code)
	}
	answer[[]runRow](t, s, "/api/runs")
	if x := answer[struct{ Record record }](t, s, item); x.Record.File != "z.amber" {
		t.Errorf("after the next look: %+v", x.Record)
	}
}

// endless is a file of an object whose value does not end.
type endless struct{ read int64 }

func (e *endless) ReadAt(p []byte, at int64) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	if at == 0 {
		copy(p, `{"a": "`)
	}
	e.read = max(e.read, at+int64(len(p)))
	return len(p), nil
}

// TestEndlessObject checks that of a large file that is no report the page reads no more than a record.
func TestEndlessObject(t *testing.T) {
	var e endless
	if err := readObject(&e, 1<<40, func(*record, int64, int64) {}); err == nil || e.read > 1+maxRecord {
		t.Errorf("%v after %d bytes; want an error after at most %d", err, e.read, 1+maxRecord)
	}
}

// TestSlowListener checks that a listener which takes nothing for a while gets the last state of each kind.
func TestSlowListener(t *testing.T) {
	x := newWatcher(&reports{all: map[string]*report{}}, nil)
	l := x.listen()
	defer x.leave(l)
	x.tell(t.Context(), "fleet", "f")
	for i := range 100 {
		x.tell(t.Context(), "runs", i)
	}
	<-l.wake
	if all := x.take(l); string(all["runs"]) != "99" || string(all["fleet"]) != `"f"` {
		t.Errorf("it got %q; want runs 99, fleet f", all)
	}
}

// TestReadByRequest checks that a listener is told of a report that the request of another page has read first.
func TestReadByRequest(t *testing.T) {
	dir := t.TempDir()
	s := newServer(t, Config{Reports: dir})
	l := s.watch.listen()
	defer s.watch.leave(l)
	<-l.wake // the empty list
	s.watch.take(l)
	s.reports.mu.Lock() // until the request has the turn
	write(t, dir, "r.jsonl", passed+"\n")
	for _, name := range s.reports.list(".jsonl") {
		r := &report{id: idOf(name), name: name}
		s.reports.all[r.id] = r
		s.reports.update(r)
	}
	s.reports.mu.Unlock()
	select {
	case <-l.wake:
	case <-time.After(20 * time.Second):
		t.Fatal("no event")
	}
	if all := s.watch.take(l); !strings.Contains(string(all["runs"]), "r.jsonl") {
		t.Errorf("the event is %q", all)
	}
}

// TestEqualTitles checks that causes with one title count an item once.
func TestEqualTitles(t *testing.T) {
	long := strings.Repeat("x", maxTitle)
	r := record{File: "a", Verdict: "findings", Findings: []finding{{Code: long + "1"}, {Code: long + "2"}}}
	if list := causesOf(&r); len(list) != 1 {
		t.Errorf("%d causes; want 1", len(list))
	}
}
