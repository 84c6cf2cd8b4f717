package web

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write writes a file of a folder.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// answer decodes the answer to a GET request.
func answer[T any](t *testing.T, s *Server, path string) (v T) {
	t.Helper()
	w := ask(s, "GET", path, "")
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%s: status %d: %s", path, w.Code, w.Body)
	}
	return v
}

const (
	passed  = `{"file":"a.amber","status":"pass","message":"","seconds":0.5}`
	failed  = `{"file":"b.amber","status":"fail","message":"b.amber:7:1: buffer \"x\", index 3: got 1, expected == 2","seconds":0.25}`
	failed2 = `{"file":"c.amber","status":"fail","message":"c.amber:19:1: buffer \"y\", index 0: got 0x10, expected == 2.5","seconds":0.25}`
	checked = `{"file":"d.spvasm","verdict":"findings","findings":[{"code":"SPV-A","severity":"error","message":"m"},{"code":"SPV-A","severity":"error","message":"m"},{"code":"SPV-B","severity":"warning","message":"n"}]}`
	warned  = `{"file":"e.spvasm","verdict":"findings","findings":[{"code":"SPV-B","severity":"warning","message":"n"}]}`
	clean   = `{"file":"f.spvasm","verdict":"clean","findings":[]}`
	raced   = `{"file":"g.amber","status":"fail","message":"m","seconds":1,"reports":[{"sanitizer":"race","rule":"data races","message":"m","stage":"compute"}]}`
)

// TestReports reads reports of both forms, and others that are none, while they grow.
func TestReports(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "run.jsonl", passed+"\n"+failed+"\n"+failed2[:20])
	write(t, dir, "sub/check.json", `{"errors": 1, "files": [`+checked+","+warned+","+clean+`], "total": 3}`)
	write(t, dir, "package.json", `{"name": "none", "files": ["x"]}`)
	write(t, dir, "other.json", `[1, 2`)
	write(t, dir, "note.txt", passed)
	s := newServer(t, Config{Reports: dir})
	rows := answer[[]runRow](t, s, "/api/runs")
	by := map[string]runRow{}
	for _, r := range rows {
		by[r.Name] = r
	}
	if len(rows) != 2 || fmt.Sprint(by["run.jsonl"].Counts) != "map[fail:1 pass:1]" || fmt.Sprint(by["sub/check.json"].Counts) != "map[clean:1 error:1 warning:1]" {
		t.Fatalf("runs are %+v", rows)
	}
	write(t, dir, "run.jsonl", passed+"\n"+failed+"\n"+failed2+"\n"+raced+"\n")
	rows = answer[[]runRow](t, s, "/api/runs")
	id := by["run.jsonl"].ID
	if rows[0].ID != id || rows[0].Total != 4 {
		t.Fatalf("after it has grown: %+v", rows)
	}
	causes := answer[[]struct {
		N, Items int
		Title    string
	}](t, s, "/api/runs/"+id+"/causes")
	if len(causes) != 2 || causes[0].Items != 2 || causes[0].Title != "fail: buffer “…”, index #: got #, expected == #" || causes[1].Title != "race: data races" {
		t.Errorf("causes are %+v", causes)
	}
	list := answer[struct {
		Total int
		Items []itemRow
	}](t, s, fmt.Sprintf("/api/runs/%s/items?cause=%d&from=1&most=1", id, causes[0].N))
	if list.Total != 2 || len(list.Items) != 1 || list.Items[0].File != "c.amber" {
		t.Errorf("items of a cause are %+v", list)
	}
	x := answer[struct{ Record record }](t, s, "/api/runs/"+id+"/items/2")
	if x.Record.File != "c.amber" || x.Record.Status != "fail" {
		t.Errorf("item 2 is %+v", x)
	}
	id = by["sub/check.json"].ID
	if x := answer[struct{ Record record }](t, s, "/api/runs/"+id+"/items/1"); x.Record.File != "e.spvasm" {
		t.Errorf("item 1 of a list is %+v", x)
	}
	if causes := answer[[]cause](t, s, "/api/runs/"+id+"/causes"); len(causes) != 2 || causes[0].Title != "SPV-B" || causes[0].Items != 2 || causes[1].Items != 1 {
		t.Errorf("causes of a check are %+v", causes)
	}
	write(t, dir, "run.jsonl", clean+"\n")
	if rows = answer[[]runRow](t, s, "/api/runs"); rows[0].Total != 1 || rows[0].Counts["clean"] != 1 {
		t.Errorf("after another report has its name: %+v", rows)
	}
	for _, path := range []string{"/api/runs/zz/items", "/api/runs/" + id + "/items/3", "/api/runs/" + id + "/items/-1", "/api/runs/" + id + "/items/x"} {
		if w := ask(s, "GET", path, ""); w.Code != 404 {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
}

// TestSources checks that a report can name files of the folder of sources and no others.
func TestSources(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	write(t, outside, "secret", "secret")
	write(t, dir, "shaders/a.comp", "line 1\nline 2\n")
	write(t, dir, "shaders/b.glsl", "included\n")
	write(t, dir, "binary.comp", "a\x00b")
	if err := os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "link.comp")); err != nil {
		t.Skip("symbolic links: ", err)
	}
	names := []string{"shaders/a.comp", filepath.Join(dir, "shaders/a.comp"), "../" + filepath.Base(outside) + "/secret", filepath.Join(outside, "secret"), "link.comp", "shaders", "binary.comp", "-x"}
	var lines []string
	for _, n := range names {
		line, err := json.Marshal(map[string]any{"file": n, "verdict": "findings", "findings": []any{map[string]any{"code": "A", "severity": "error", "source": map[string]any{"file": "b.glsl", "line": 1}}}})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	reports := t.TempDir()
	write(t, reports, "r.jsonl", strings.Join(lines, "\n")+"\n")
	s := newServer(t, Config{Reports: reports, Sources: dir})
	id := idOf("r.jsonl")
	for n, want := range [][]string{{names[0], "b.glsl"}, {names[1], "b.glsl"}, nil, nil, nil, nil, {"binary.comp"}, nil} {
		x := answer[struct{ Sources []string }](t, s, fmt.Sprintf("/api/runs/%s/items/%d", id, n))
		if fmt.Sprint(x.Sources) != fmt.Sprint(want) {
			t.Errorf("%s: sources are %q; want %q", names[n], x.Sources, want)
		}
	}
	if x := answer[struct{ Lines []string }](t, s, "/api/runs/"+id+"/items/0/sources/0"); fmt.Sprint(x.Lines) != "[line 1 line 2]" {
		t.Errorf("the source is %q", x.Lines)
	}
	for path, code := range map[string]int{"2/sources/0": 404, "0/sources/7": 404, "0/sources/..": 307, "6/sources/0": 422} {
		if w := ask(s, "GET", "/api/runs/"+id+"/items/"+path, ""); w.Code != code && w.Code != 301 || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: status %d; want %d: %s", path, w.Code, code, w.Body)
		}
	}
	if w := ask(s, "POST", "/api/runs/"+id+"/items/4/listing", "{}"); w.Code != 404 {
		t.Errorf("a listing of a link that leads outside: status %d", w.Code)
	}
}

// TestGeneral checks that messages with one cause are equal without their names and numbers.
func TestGeneral(t *testing.T) {
	for _, c := range [][3]string{
		{"a b.amber", "a b.amber:3:14: error: file \"x/y.spv\" cannot be read: statat x/y.spv: no such file", "file “…” cannot be read: statat …: no such file"},
		{"a", "budget of 16777216 steps exhausted at instruction 40 of %loop", "budget of # steps exhausted at instruction # of #"},
		{"a", "vec4 of 32-bit floats, 1.5e-3", "vec4 of #-bit floats, #"},
	} {
		if got := general(c[1], &record{File: c[0]}); got != c[2] {
			t.Errorf("%s: %s; want %s", c[1], got, c[2])
		}
	}
}
