package fleet

import (
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// splitter is a connection to a server that can be split: then no byte passes, and neither side hears of it.
type splitter struct {
	listener net.Listener
	mu       sync.Mutex
	passes   *sync.Cond
	split    bool
}

// newSplitter forwards the connections of an address to a server.
func newSplitter(t *testing.T, url string) *splitter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s := &splitter{listener: l}
	s.passes = sync.NewCond(&s.mu)
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", strings.TrimPrefix(url, "nats://"))
			if err != nil {
				near.Close()
				continue
			}
			go s.pass(near, far)
			go s.pass(far, near)
		}
	}()
	return s
}

// pass copies bytes while the connection is not split.
func (s *splitter) pass(to io.WriteCloser, from io.Reader) {
	defer to.Close()
	b := make([]byte, 1<<14)
	for {
		n, err := from.Read(b)
		s.mu.Lock()
		for s.split {
			s.passes.Wait()
		}
		s.mu.Unlock()
		if _, failed := to.Write(b[:n]); err != nil || failed != nil {
			return
		}
	}
}

// set splits the connection, or ends the split.
func (s *splitter) set(split bool) {
	s.mu.Lock()
	s.split = split
	s.mu.Unlock()
	s.passes.Broadcast()
}

// url returns the address for clients.
func (s *splitter) url() string { return "nats://" + s.listener.Addr().String() }

// TestPartition checks that the work of a worker without a connection goes to another one, and that the late answers of the first
// change nothing: two workers answer the same jobs, and each item has one answer.
func TestPartition(t *testing.T) {
	t.Parallel()
	e, err := Serve(Serving{Listen: "127.0.0.1:0", Store: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Stop()
	length := time.Second
	if os.Getenv("CHIARO_LONG") != "" {
		length = time.Minute
	}
	s := newSplitter(t, e.URL())
	far := &Worker{Server: Server{URL: s.url()}, Command: command(t, "v1"), Slots: 4, AckWait: 2 * time.Second}
	startWorker(t, far)
	items := makeItems(t, 4)
	for i := range items {
		items[i].Kind = "sleep 200ms"
	}
	head := wire.Head{Version: "v1"}
	done := make(chan []wire.Answer, 1)
	go func() {
		done <- submitAll(t, Submission{Server: e.Server(), Audit: 200 * time.Millisecond}, head, items)
	}()
	for far.busy.Load() < 4 {
		time.Sleep(time.Millisecond)
	}
	s.set(true)
	near := &Worker{Server: e.Server(), Command: command(t, "v1"), Slots: 4, AckWait: 2 * time.Second}
	startWorker(t, near)
	wantResults(t, items, <-done, "")
	time.Sleep(length)
	s.set(false)
	for far.busy.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
	if far.done.Load() != 4 || near.done.Load() != 4 {
		t.Errorf("the worker without a connection answered %d items and the other one %d; want 4 of each", far.done.Load(), near.done.Load())
	}
	wantResults(t, items, submitAll(t, Submission{Server: e.Server()}, head, items), "")
	st := connected(t, e)
	if info, err := st.results.Info(t.Context()); err != nil || info.State.Msgs != 4 {
		t.Errorf("%+v, %v; want 4 results", info, err)
	}
}

// TestPoisonedWorkers checks that an item which ends each worker that works on it has a crash as its answer after three of them,
// and that the other items have results: those of other batches, which the worker has begun too when it ends, and those of the
// same batch, which each worker answers again before it ends.
func TestPoisonedWorkers(t *testing.T) {
	for name, total := range map[string]int{"batches of an item": 0, "a batch": 1 << 20} {
		t.Run(name, func(t *testing.T) { poisonWorkers(t, total) })
	}
}

// poisonWorkers is TestPoisonedWorkers for a run that says that it has so many items.
func poisonWorkers(t *testing.T, total int) {
	t.Parallel()
	c := newChaos(t, t.TempDir())
	c.start("server")
	waitForServer(t, c.url)
	items := makeItems(t, 6)
	items[2].Kind = "parent"
	done := make(chan []wire.Answer, 1)
	go func() {
		done <- submitAll(t, Submission{Server: Server{URL: c.url}, Audit: 300 * time.Millisecond}, wire.Head{Version: "v1", Total: total}, items)
	}()
	for workers := 1; ; workers++ {
		ended := c.start("worker 0")
		select {
		case <-ended:
			continue
		case answers := <-done:
			if a := answers[2]; a.Status != wire.Crash || !strings.Contains(a.Log, "3 workers ended") || workers < maxTries+1 {
				t.Errorf("%d workers: %+v; want a crash after %d", workers, a, maxTries)
			}
			wantResults(t, items[:2], answers[:2], "")
			wantResults(t, items[3:], answers[3:], "")
			return
		}
	}
}
