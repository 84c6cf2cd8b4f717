package fleet

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// TestFaultyItems checks that an item without a result has an answer which says why, and that the others have results.
func TestFaultyItems(t *testing.T) {
	t.Parallel()
	e := serve(t)
	w := &Worker{Server: e.Server(), Command: command(t, "v1"), Slots: 2}
	startWorker(t, w)
	items := makeItems(t, 12)
	items[2].Kind = "poison"
	items[6].Kind = "large"
	answers := submitAll(t, Submission{Server: e.Server()}, wire.Head{Version: "v1", Verb: "check", Options: json.RawMessage(`1`)}, items)
	if a := answers[2]; a.Status != wire.Crash || !strings.Contains(a.Log, "the last words") || !strings.Contains(a.Log, "exit status 9") {
		t.Errorf("an item that ends its process: %+v; want a crash with its log", a)
	}
	if a := answers[6]; len(a.Result) != 2<<20+2 {
		t.Errorf("a result larger than a message has %d bytes; want %d", len(a.Result), 2<<20+2)
	}
	for i := range items {
		if items[i].Kind == "plain" {
			wantResults(t, items[i:i+1], answers[i:i+1], "1")
		}
	}
}

// TestTimeout checks that an item which never ends has an answer.
func TestTimeout(t *testing.T) {
	t.Parallel()
	p := &process{command: command(t, "v1"), limits: Limits{Time: 100 * time.Millisecond}}
	defer p.stop()
	a := p.answer(context.Background(), &wire.Head{Version: "v1"}, &wire.Item{Kind: "sleep 1h"})
	if a.Status != wire.Timeout || !a.Brief {
		t.Errorf("%+v; want a brief timeout", a)
	}
}

// TestBrief checks that an answer which another machine may give otherwise is not kept with the others.
func TestBrief(t *testing.T) {
	t.Parallel()
	e := serve(t)
	startWorker(t, &Worker{Server: e.Server(), Command: command(t, "v1"), Slots: 1})
	items := makeItems(t, 2)
	items[1].Kind = "poison"
	if a := submitAll(t, Submission{Server: e.Server()}, wire.Head{Version: "v1"}, items); !a[1].Brief || a[0].Brief {
		t.Fatalf("%+v; want the second one to be brief", a)
	}
	ctx := context.Background()
	st := connected(t, e)
	info, err := st.results.Info(ctx, jetstream.WithSubjectFilter(">"))
	if err != nil {
		t.Fatal(err)
	}
	ages := map[string]int{}
	for subject := range info.State.Subjects {
		m, err := st.results.GetLastMsgForSubject(ctx, subject)
		if err != nil {
			t.Fatal(err)
		}
		ages[m.Header.Get(jetstream.MsgTTLHeader)]++
	}
	if len(ages) != 2 || ages[""] != 1 || ages[keptBriefly.String()] != 1 {
		t.Errorf("times on the server %v; want one message with %v", ages, keptBriefly)
	}
}

// TestMemory checks that an item over the limit of memory is a crash.
func TestMemory(t *testing.T) {
	t.Parallel()
	if underRace {
		t.Skip("-race: the race detector needs more memory than the limit")
	}
	p := &process{command: command(t, "v1"), limits: Limits{Memory: 160 << 20}}
	defer p.stop()
	if err := p.start(context.Background()); err != nil {
		t.Fatal(err)
	}
	if a := p.answer(context.Background(), &wire.Head{Version: "v1"}, &wire.Item{Kind: "memory"}); a.Status != wire.Crash {
		t.Errorf("%+v; want a crash", a)
	}
}

// TestReplacedTool checks that a worker whose tool has another version than at its start ends, and that no item has a
// crash for it.
func TestReplacedTool(t *testing.T) {
	e := serve(t)
	file := filepath.Join(t.TempDir(), "version")
	tool := filepath.Join(t.TempDir(), "tool")
	script := fmt.Sprintf("#!/bin/sh\n%s=$(cat '%s') exec '%s'\n", answerVariable, file, os.Args[0])
	for name, text := range map[string]string{file: "v1", tool: script} {
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w := &Worker{Server: e.Server(), Command: []string{tool}, Slots: 1, Dir: t.TempDir(), AckWait: time.Second}
	ended := make(chan error, 1)
	go func() { ended <- w.Run(context.Background()) }()
	head := wire.Head{Version: "v1", Verb: "check"}
	items := makeItems(t, 2)
	wantResults(t, items[:1], submitAll(t, Submission{Server: e.Server()}, head, items[:1]), "")
	if err := os.WriteFile(file, []byte("v2"), 0o600); err != nil {
		t.Fatal(err)
	}
	items[1].Kind, items[1].Index = "poison", 0
	answered := make(chan []wire.Answer, 1)
	go func() { answered <- submitAll(t, Submission{Server: e.Server(), Audit: time.Second}, head, items[1:]) }()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "another version") {
		t.Errorf("the worker ends with %v; want that its tool has another version", err)
	}
	startWorker(t, &Worker{Server: e.Server(), Command: command(t, "v1"), Slots: 1})
	if a := (<-answered)[0]; a.Status != wire.Crash || !strings.Contains(a.Log, "the last words") {
		t.Errorf("%+v; want the crash of the item itself", a)
	}
}

// TestLongLine checks that a result over the bound of a line has an answer.
func TestLongLine(t *testing.T) {
	p := &process{command: command(t, "v1")}
	defer p.stop()
	a := p.answer(context.Background(), &wire.Head{Version: "v1"}, &wire.Item{Kind: "long"})
	if a.Status != wire.Large {
		t.Errorf("status %q; want %q", a.Status, wire.Large)
	}
}

// TestVersion checks that work waits for a worker of its version, and that the submitter says so.
func TestVersion(t *testing.T) {
	t.Parallel()
	e := serve(t)
	startWorker(t, &Worker{Server: e.Server(), Command: command(t, "v1"), Slots: 1})
	items := makeItems(t, 3)
	var out bytes.Buffer
	in := input(t, wire.Head{Version: "v2", Verb: "check"}, items)
	done := make(chan error, 1)
	heard := make(chan string, 10)
	go func() {
		s := Submission{Server: e.Server(), Audit: 100 * time.Millisecond}
		done <- s.Submit(context.Background(), in, writerFunc(func(p []byte) (int, error) {
			if bytes.Contains(p, []byte(`"notice"`)) {
				heard <- string(p)
			}
			return out.Write(p)
		}))
	}()
	n := <-heard
	for strings.Contains(n, "no worker is connected") { // the first one is about to
		n = <-heard
	}
	if !strings.Contains(n, "version") || !strings.Contains(n, "v1") || !strings.Contains(n, "v2") {
		t.Errorf("notice %s; want the versions v1 and v2", n)
	}
	startWorker(t, &Worker{Server: e.Server(), Command: command(t, "v2"), Slots: 1})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	answers, _ := answersOf(t, &out, len(items))
	wantResults(t, items, answers, "")
}

// TestReaderGone checks that a submitter ends after its reader was killed, although no worker is there and nothing happens.
func TestReaderGone(t *testing.T) {
	t.Parallel()
	e := serve(t)
	in := input(t, wire.Head{Version: "v1", Verb: "check"}, makeItems(t, 3))
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	gone := errors.New("the reader is gone")
	var told bool
	s := Submission{Server: e.Server(), Audit: 100 * time.Millisecond}
	err := s.Submit(ctx, in, writerFunc(func(p []byte) (int, error) {
		if told {
			return 0, gone
		}
		told = bytes.Contains(p, []byte("no worker is connected"))
		return len(p), nil
	}))
	if !errors.Is(err, gone) {
		t.Errorf("%v; want %v", err, gone)
	}
}

// TestNoticeAfterEnd checks that nothing is written after the last answer: the caller of Submit has its writer back.
func TestNoticeAfterEnd(t *testing.T) {
	var out bytes.Buffer
	x := &submitter{out: wire.NewWriter(&out), noticed: map[string]bool{}, done: make(chan struct{})}
	x.notice("early")
	n := out.Len()
	x.finish()
	x.notice("late")
	if n == 0 || out.Len() != n {
		t.Errorf("%d bytes before the end and %d after it; must be some and none", n, out.Len()-n)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestCancel checks that a canceled run ends with an error and leaves no work.
func TestCancel(t *testing.T) {
	e := serve(t)
	in := input(t, wire.Head{Version: "v1", Verb: "check"}, makeItems(t, 5))
	done := make(chan error, 1)
	go func() {
		s := Submission{Server: e.Server()}
		done <- s.Submit(context.Background(), in, &bytes.Buffer{})
	}()
	ctx := context.Background()
	var run string
	for run == "" {
		st, err := Status(ctx, e.Server())
		if err != nil {
			t.Fatal(err)
		}
		if len(st.Runs) == 1 && st.Runs[0].Waiting == 5 {
			run = st.Runs[0].Run
		}
	}
	if n, err := Cancel(ctx, e.Server(), run); err != nil || n != 5 {
		t.Errorf("%d batches, %v; want 5", n, err)
	}
	if err := <-done; !errors.Is(err, ErrCanceled) {
		t.Errorf("the submitter ends with %v; want %v", err, ErrCanceled)
	}
	if _, err := Cancel(ctx, e.Server(), run); err == nil {
		t.Error("a run without work can be canceled")
	}
}

// TestPrune checks that old results and files are removed, and that the same run then works again.
func TestPrune(t *testing.T) {
	e := serve(t)
	w := &Worker{Server: e.Server(), Command: command(t, "v1"), Slots: 1}
	startWorker(t, w)
	items := makeItems(t, 5)
	if err := os.WriteFile(items[0].Files[0].Path, make([]byte, 100000), 0o600); err != nil {
		t.Fatal(err)
	}
	head := wire.Head{Version: "v1", Verb: "check"}
	submitAll(t, Submission{Server: e.Server()}, head, items)
	ctx := context.Background()
	if results, files, err := Prune(ctx, e.Server(), time.Hour); err != nil || results != 0 || files != 0 {
		t.Errorf("%d results, %d files, %v are removed; want none, since all are new", results, files, err)
	}
	waitForNoJobs(t, e)
	if results, files, err := Prune(ctx, e.Server(), 0); err != nil || results != 5 || files != 1 {
		t.Errorf("%d results, %d files, %v are removed; want 5 and 1", results, files, err)
	}
	wantResults(t, items, submitAll(t, Submission{Server: e.Server()}, head, items), "")
	if n := w.done.Load(); n != 10 {
		t.Errorf("the worker answered %d items; want 10", n)
	}
}

// waitForNoJobs returns when the server has no job. A worker acknowledges a job after its result is published, so the
// job may exist for a moment after the submitter has all results, and the files of its run are needed as long.
func waitForNoJobs(t *testing.T, e *Embedded) {
	t.Helper()
	jobs := connected(t, e).jobs
	for {
		info, err := jobs.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if info.State.Msgs == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// TestHostileJobs checks that messages which no submitter makes have no effect: no result, and no file outside of the
// worker's folder.
func TestHostileJobs(t *testing.T) {
	e := serve(t)
	dir := t.TempDir()
	w := &Worker{Server: e.Server(), Command: command(t, "v1"), Slots: 1, Dir: dir}
	startWorker(t, w)
	ctx := context.Background()
	st := connected(t, e)
	encode := func(h header, tail string) []byte {
		text, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		return append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...), tail...)
	}
	head := wire.Head{Version: "v1", Verb: "check"}
	file := func(hash string) []wire.Item {
		return []wire.Item{{Name: "../../x", Files: []wire.File{{Name: "main", Path: "/etc/passwd", Hash: hash}}}}
	}
	hash := strings.Repeat("0", 64)
	for i, data := range [][]byte{nil, {1, 2}, {0xff, 0xff, 0xff, 0xff}, []byte("\x02\x00\x00\x00{}"),
		encode(header{Head: head, Items: file("../../../etc/passwd")}, ""),
		encode(header{Head: head, Items: file(hash), Inline: []inlineFile{{hash, 4}}}, "text"),
		encode(header{Head: head, Items: file(hash), Inline: []inlineFile{{hash, -1}}}, ""),
		encode(header{Head: head, Items: file(hash), Inline: []inlineFile{{hash, math.MaxInt}}}, ""),
		encode(header{Head: head, Items: make([]wire.Item, maxItems+1)}, ""),
		encode(header{Head: head, Items: file(hash)}, ""), // the subject is not its own
	} {
		if _, err := st.js.Publish(ctx, fmt.Sprintf("%s%s.scope.%d", jobPrefix, versionToken("v1"), i), data); err != nil {
			t.Fatal(err)
		}
	}
	items := makeItems(t, 3)
	items[0].Name = "a\x1b]0;title\x07\u202e"
	wantResults(t, items, submitAll(t, Submission{Server: e.Server()}, head, items), "")
	for {
		info, err := st.jobs.Info(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if info.State.Msgs == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n := w.done.Load(); n != 3 {
		t.Errorf("%d answers; want 3", n)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if !isHash(filepath.Base(f)) {
			t.Errorf("the worker wrote %s", f)
		}
	}
}

// TestServerErrors checks the messages for servers that cannot serve the fleet.
func TestServerErrors(t *testing.T) {
	plain, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	secret, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true, Username: "a", Password: "b"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*server.Server{plain, secret} {
		s.Start()
		defer s.Shutdown()
		if !s.ReadyForConnections(10 * time.Second) {
			t.Fatal("the server does not start")
		}
	}
	for _, c := range []struct{ url, want string }{
		{plain.ClientURL(), "no JetStream"}, {secret.ClientURL(), "rejects the credentials"}, {"nats://127.0.0.1:1", "no server answers"},
	} {
		s := Submission{Server: Server{URL: c.url}}
		err := s.Submit(context.Background(), input(t, wire.Head{Version: "v1"}, nil), &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.url, err, c.want)
		}
	}
	taken := strings.TrimPrefix(plain.ClientURL(), "nats://")
	if _, err := Serve(Serving{Listen: taken, Store: t.TempDir()}); err == nil || !strings.Contains(err.Error(), taken) {
		t.Errorf("at an address in use: %v; want an error that names %s", err, taken)
	}
	if _, err := Serve(Serving{Listen: "0.0.0.0:0", Store: t.TempDir()}); err == nil {
		t.Error("a server without users listens for other machines")
	}
}

// connected returns a connection to a server for the time of the test.
func connected(t *testing.T, e *Embedded) *store {
	t.Helper()
	st, err := connect(context.Background(), e.Server(), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.close)
	return st
}

// hold sets the number of messages that a stream may have; −1 is any number.
func hold(t *testing.T, st *store, stream jetstream.Stream, most int64) {
	t.Helper()
	cfg := stream.CachedInfo().Config
	cfg.MaxMsgs = most
	if _, err := st.js.UpdateStream(context.Background(), cfg); err != nil {
		t.Fatal(err)
	}
}

// TestFullStream checks that a submitter waits for room in a full stream, and ends if there is none.
func TestFullStream(t *testing.T) {
	t.Parallel()
	e := serve(t)
	ctx := context.Background()
	st := connected(t, e)
	hold(t, st, st.jobs, 2)
	items := makeItems(t, 8)
	head := wire.Head{Version: "v1", Verb: "check"}
	s := Submission{Server: e.Server(), Patience: 300 * time.Millisecond}
	err := s.Submit(ctx, input(t, head, items), &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "maximum messages exceeded") {
		t.Errorf("without a worker: %v; want that the stream is full", err)
	}
	startWorker(t, &Worker{Server: e.Server(), Command: command(t, "v1"), Slots: 1})
	wantResults(t, items, submitAll(t, Submission{Server: e.Server()}, head, items), "")
}

// TestFullResults checks that a submitter says that the stream of results is full, and goes on when there is room.
func TestFullResults(t *testing.T) {
	t.Parallel()
	e := serve(t)
	ctx := context.Background()
	st := connected(t, e)
	hold(t, st, st.results, 2)
	startWorker(t, &Worker{Server: e.Server(), Command: command(t, "v1"), Slots: 1})
	items := makeItems(t, 4)
	in := input(t, wire.Head{Version: "v1"}, items)
	var out bytes.Buffer
	heard, done := make(chan bool, 100), make(chan error, 1)
	go func() {
		s := Submission{Server: e.Server(), Audit: 100 * time.Millisecond}
		done <- s.Submit(ctx, in, writerFunc(func(p []byte) (int, error) {
			if bytes.Contains(p, []byte("stream of results is full")) {
				heard <- true
			}
			return out.Write(p)
		}))
	}()
	<-heard
	hold(t, st, st.results, -1)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	answers, _ := answersOf(t, &out, len(items))
	wantResults(t, items, answers, "")
}

// TestLostInput checks that a file which was removed from the server is stored again.
func TestLostInput(t *testing.T) {
	e := serve(t)
	ctx := context.Background()
	st := connected(t, e)
	items := makeItems(t, 1)
	if err := os.WriteFile(items[0].Files[0].Path, make([]byte, 100000), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	done := make(chan error, 1)
	in := input(t, wire.Head{Version: "v1", Verb: "check"}, items)
	go func() {
		s := Submission{Server: e.Server(), Audit: 200 * time.Millisecond}
		done <- s.Submit(ctx, in, &out)
	}()
	for n := uint64(0); n < 1; {
		info, err := st.jobs.Info(ctx)
		if err != nil {
			t.Fatal(err)
		}
		n = info.State.Msgs
	}
	list, err := st.inputs.List(ctx)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d files, %v; want 1", len(list), err)
	}
	if err := st.inputs.Delete(ctx, list[0].Name); err != nil {
		t.Fatal(err)
	}
	startWorker(t, &Worker{Server: e.Server(), Command: command(t, "v1"), Slots: 1})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	answers, _ := answersOf(t, &out, len(items))
	wantResults(t, items, answers, "")
}

// TestLateObject checks that a submitter waits for the object of a result, which another worker may be about to replace.
func TestLateObject(t *testing.T) {
	t.Parallel()
	e := serve(t)
	stop := startWorker(t, &Worker{Server: e.Server(), Command: command(t, "v1"), Slots: 1})
	items := makeItems(t, 1)
	items[0].Kind = "large"
	head := wire.Head{Version: "v1"}
	submitAll(t, Submission{Server: e.Server()}, head, items)
	stop()
	ctx := context.Background()
	st := connected(t, e)
	list, err := st.outputs.List(ctx)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d objects, %v; want 1", len(list), err)
	}
	text, err := st.outputs.GetBytes(ctx, list[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.outputs.Delete(ctx, list[0].Name); err != nil {
		t.Fatal(err)
	}
	s := Submission{Server: e.Server(), Patience: time.Millisecond}
	if err := s.Submit(ctx, input(t, head, items), &bytes.Buffer{}); !errors.Is(err, jetstream.ErrObjectNotFound) {
		t.Errorf("without the object: %v; want %v", err, jetstream.ErrObjectNotFound)
	}
	answers := make(chan []wire.Answer, 1)
	go func() { answers <- submitAll(t, Submission{Server: e.Server(), Patience: time.Hour}, head, items) }()
	if _, err := st.outputs.PutBytes(ctx, list[0].Name, text); err != nil {
		t.Fatal(err)
	}
	if a := <-answers; len(a[0].Result) != 2<<20+2 {
		t.Errorf("a result of %d bytes; want %d", len(a[0].Result), 2<<20+2)
	}
}

// TestUnfitInput checks that an input which a worker has no room for has an answer, and that many small files of one
// item travel.
func TestUnfitInput(t *testing.T) {
	t.Parallel()
	e := serve(t)
	startWorker(t, &Worker{Server: e.Server(), Command: command(t, "v1"), Slots: 1, Cache: 150000})
	items := makeItems(t, 3)
	if err := os.WriteFile(items[1].Files[0].Path, make([]byte, 200000), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i := range 50 { // more than a message has
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, bytes.Repeat([]byte{byte(i)}, maxFile), 0o600); err != nil {
			t.Fatal(err)
		}
		items[2].Files = append(items[2].Files, wire.File{Name: fmt.Sprint(i), Path: path})
	}
	a := submitAll(t, Submission{Server: e.Server()}, wire.Head{Version: "v1"}, items)
	if a[1].Status != wire.Invalid || !a[1].Brief {
		t.Errorf("an input that is too large: %+v; want a brief refusal", a[1])
	}
	wantResults(t, items[:1], a[:1], "")
	wantResults(t, items[2:], a[2:], "")
}

// TestLostWork checks that the submitter publishes work again which the server has lost.
func TestLostWork(t *testing.T) {
	e := serve(t)
	ctx := context.Background()
	st := connected(t, e)
	items := makeItems(t, 6)
	var out bytes.Buffer
	done := make(chan error, 1)
	in := input(t, wire.Head{Version: "v1", Verb: "check"}, items)
	go func() {
		s := Submission{Server: e.Server(), Audit: 200 * time.Millisecond}
		done <- s.Submit(ctx, in, &out)
	}()
	for n := uint64(0); n < 6; {
		info, err := st.jobs.Info(ctx)
		if err != nil {
			t.Fatal(err)
		}
		n = info.State.Msgs
	}
	if err := st.jobs.Purge(ctx, jetstream.WithPurgeSubject(jobPrefix+">")); err != nil {
		t.Fatal(err)
	}
	startWorker(t, &Worker{Server: e.Server(), Command: command(t, "v1"), Slots: 1})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	answers, _ := answersOf(t, &out, len(items))
	wantResults(t, items, answers, "")
}
