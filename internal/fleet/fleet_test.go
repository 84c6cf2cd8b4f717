package fleet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// answerVariable makes the test's binary a process that answers.
const answerVariable = "FLEET_TEST_VERSION"

func TestMain(m *testing.M) {
	if version := os.Getenv(answerVariable); version != "" {
		answerItems(version)
		return
	}
	if role := os.Getenv(roleVariable); role != "" {
		playRole(role)
		return
	}
	os.Exit(m.Run())
}

// answerItems is a tool without shaders: its result is the name and the hash of the files of an item. The first word of
// an item's kind says what else it does.
func answerItems(version string) {
	w, r := wire.NewWriter(os.Stdout), wire.NewReader(os.Stdin)
	_ = w.Write(wire.Hello{Version: version})
	var options string
	for {
		var x wire.Work
		if r.Read(&x) != nil {
			return
		}
		if x.Head != nil {
			options = string(x.Head.Options)
			continue
		}
		kind, argument, _ := strings.Cut(x.Item.Kind, " ")
		switch kind {
		case "poison":
			fmt.Fprintln(os.Stderr, "the last words")
			os.Exit(9)
		case "parent": // ends the worker
			_ = syscall.Kill(os.Getppid(), syscall.SIGKILL)
			select {}
		case "sleep":
			d, _ := time.ParseDuration(argument)
			time.Sleep(d)
		case "long":
			_ = w.Write(wire.Answer{Index: x.Item.Index, Result: json.RawMessage(`"` + strings.Repeat("x", wire.MaxLine) + `"`)})
			continue
		case "large":
			_ = w.Write(wire.Answer{Index: x.Item.Index, Result: json.RawMessage(`"` + strings.Repeat("x", 2<<20) + `"`)})
			continue
		case "flood": // of standard output, without an end, or of the other stream with a number of MB
			text, out, n := bytes.Repeat([]byte("x"), 1<<20), os.Stdout, -1
			if argument != "" {
				out = os.Stderr
				n, _ = strconv.Atoi(argument)
			}
			for ; n != 0; n-- {
				_, _ = out.Write(text)
			}
		case "trespass":
			text, _ := json.Marshal(trespass(argument))
			_ = w.Write(wire.Answer{Index: x.Item.Index, Result: text})
			continue
		case "memory":
			for hold := [][]byte(nil); len(hold) < 1<<20; {
				hold = append(hold, bytes.Repeat([]byte{1}, 16<<20))
			}
		}
		sum := sha256.New()
		for _, f := range x.Item.Files {
			data, err := os.ReadFile(f.Path)
			fmt.Fprintf(sum, "%s %v %x\n", f.Name, err, data)
		}
		text, _ := json.Marshal(fmt.Sprintf("%s %s %x", x.Item.Name, options, sum.Sum(nil)[:8]))
		_ = w.Write(wire.Answer{Index: x.Item.Index, Result: text})
	}
}

// command returns the command of a process that answers with a version.
func command(t testing.TB, version string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{"/usr/bin/env", answerVariable + "=" + version, self}
}

// serve starts a server for the time of a test.
func serve(t testing.TB) *Embedded {
	t.Helper()
	e, err := Serve(Serving{Store: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	return e
}

// startWorker starts a worker for the time of a test, or until stop is called.
func startWorker(t testing.TB, w *Worker) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	if w.Dir == "" {
		w.Dir = t.TempDir()
	}
	go func() { done <- w.Run(ctx) }()
	ended := false
	stop = func() {
		cancel()
		if !ended {
			ended = true
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(stop)
	return stop
}

// makeItems writes n files and returns an item for each.
func makeItems(t testing.TB, n int) (items []wire.Item) {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		path := filepath.Join(dir, fmt.Sprintf("%d.txt", i))
		if err := os.WriteFile(path, fmt.Appendf(nil, "file %d", i), 0o600); err != nil {
			t.Fatal(err)
		}
		items = append(items, wire.Item{Index: i, Name: fmt.Sprintf("item/%d", i), Kind: "plain", Files: []wire.File{{Name: "main", Path: path}}})
	}
	return items
}

// input returns what chiaro writes to a submitter.
func input(t testing.TB, head wire.Head, items []wire.Item) io.Reader {
	t.Helper()
	var b bytes.Buffer
	w := wire.NewWriter(&b)
	head.Total = max(head.Total, len(items))
	if err := w.Write(&head); err != nil {
		t.Fatal(err)
	}
	for i := range items {
		if err := w.Write(&items[i]); err != nil {
			t.Fatal(err)
		}
	}
	return &b
}

// answersOf reads the output of a submitter. It fails the test if an item does not have exactly one answer.
func answersOf(t testing.TB, out io.Reader, n int) (answers []wire.Answer, notices []string) {
	t.Helper()
	answers = make([]wire.Answer, n)
	seen := make([]int, n)
	for r := wire.NewReader(out); ; {
		var x wire.Report
		if err := r.Read(&x); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		switch {
		case x.Answer != nil:
			seen[x.Answer.Index]++
			answers[x.Answer.Index] = *x.Answer
		case x.Notice != "":
			notices = append(notices, x.Notice)
		}
	}
	for i := range seen {
		if seen[i] != 1 {
			t.Fatalf("item %d has %d answers; want 1", i, seen[i])
		}
	}
	return answers, notices
}

// submitAll submits items and returns the answer to each.
func submitAll(t testing.TB, s Submission, head wire.Head, items []wire.Item) []wire.Answer {
	t.Helper()
	var out bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	if err := s.Submit(ctx, input(t, head, items), &out); err != nil {
		t.Fatal(err)
	}
	answers, _ := answersOf(t, &out, len(items))
	return answers
}

// wantResults compares the answers with what the tool computes.
func wantResults(t testing.TB, items []wire.Item, answers []wire.Answer, options string) {
	t.Helper()
	for i := range items {
		sum := sha256.New()
		for _, f := range items[i].Files {
			data, err := os.ReadFile(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(sum, "%s <nil> %x\n", f.Name, data)
		}
		want, _ := json.Marshal(fmt.Sprintf("%s %s %x", items[i].Name, options, sum.Sum(nil)[:8]))
		if string(answers[i].Result) != string(want) || answers[i].Status != "" {
			t.Fatalf("item %d: answer %+v; want %s", i, answers[i], want)
		}
	}
}

// TestSubmit checks that each item has its answer, that a second run repeats no work, and that other options do.
func TestSubmit(t *testing.T) {
	e := serve(t)
	w := &Worker{Server: e.Server(), Command: command(t, "v1"), Slots: 2}
	startWorker(t, w)
	items := makeItems(t, 50)
	items = append(items, items[7]) // twice in the list
	items[50].Index = 50
	big := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(big, bytes.Repeat([]byte("0123456789abcdef"), 100000), 0o600); err != nil {
		t.Fatal(err)
	}
	items[3].Files = append(items[3].Files, wire.File{Name: "big", Path: big})
	items[4].Files = append(items[4].Files, wire.File{Name: "big", Path: big})
	head := wire.Head{Version: "v1", Verb: "check", Options: json.RawMessage(`{"a": 1}`)}
	s := Submission{Server: e.Server(), Audit: time.Second}
	wantResults(t, items, submitAll(t, s, head, items), `{"a":1}`)
	if n := w.done.Load(); n != 50 {
		t.Errorf("the worker answered %d items; want 50, as one is in the list twice", n)
	}
	wantResults(t, items, submitAll(t, s, head, items), `{"a":1}`)
	if n := w.done.Load(); n != 50 {
		t.Errorf("after the second run the worker has answered %d items; want 50", n)
	}
	head.Options = json.RawMessage(`2`)
	wantResults(t, items, submitAll(t, s, head, items), "2")
	if n := w.done.Load(); n != 100 {
		t.Errorf("after a run with other options the worker has answered %d items; want 100", n)
	}
}
