package fleet

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// TestFlood checks that a process which writes without an end has an answer, and that the log of a crash is short, whatever
// the process wrote.
func TestFlood(t *testing.T) {
	t.Parallel()
	p := &process{command: command(t, "v1"), limits: Limits{Time: time.Hour}}
	defer p.stop()
	if a := p.answer(t.Context(), &wire.Head{Version: "v1"}, &wire.Item{Kind: "flood"}); a.Status != wire.Large {
		t.Errorf("a line without an end: %+v; want that it is too large", a)
	}
	megabytes := "64"
	if os.Getenv("CHIARO_LONG") != "" {
		megabytes = "10240"
	}
	if a := p.answer(t.Context(), &wire.Head{Version: "v1"}, &wire.Item{Kind: "flood " + megabytes}); a.Status != "" || len(a.Log) > 2*tailBytes {
		t.Errorf("%s MB of the other stream: status %q, a log of %d bytes; want a result with at most %d", megabytes, a.Status, len(a.Log), 2*tailBytes)
	}
}

// TestClock checks that a worker, a submitter and an administrator with a clock that shows another year get the same results,
// because only the server's clock counts. A bubble of package synctest begins in the year 2000; its clock stops while a connection
// is open.
func TestClock(t *testing.T) {
	e, err := Serve(Serving{Listen: "127.0.0.1:0", Store: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Stop()
	on := Server{URL: e.URL()}
	w := &Worker{Server: on, Command: command(t, "v1"), Slots: 1, Dir: t.TempDir()}
	items := makeItems(t, 4)
	items[3].Kind = "poison"
	head := wire.Head{Version: "v1"}
	check := func(answers []wire.Answer) {
		wantResults(t, items[:3], answers[:3], "")
		if answers[3].Status != wire.Crash {
			t.Errorf("%+v; want a crash", answers[3])
		}
	}
	done := make(chan []wire.Answer, 1)
	go func() { done <- submitAll(t, Submission{Server: on}, head, items) }()
	synctest.Test(t, func(t *testing.T) {
		if year := time.Now().Year(); year >= 2020 {
			t.Fatalf("the clock shows %d", year)
		}
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- w.Run(ctx) }()
		check(<-done)
		check(submitAll(t, Submission{Server: on}, head, items))
		if results, _, err := Prune(ctx, on, time.Hour); err != nil || results != 0 {
			t.Errorf("%d results are removed, %v; want none, since all are new", results, err)
		}
		if results, _, err := Prune(ctx, on, 0); err != nil || results != 4 {
			t.Errorf("%d results are removed, %v; want 4", results, err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestLocalHasNoAddress checks that the commands of an administrator name the fault in --on local: such a fleet ends with its run.
func TestLocalHasNoAddress(t *testing.T) {
	if _, err := connect(t.Context(), Server{URL: wire.Local}, "test"); err == nil || !strings.Contains(err.Error(), "exists only during its run") {
		t.Errorf("the error is %v", err)
	}
}
