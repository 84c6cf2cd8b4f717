package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Times of events.
const (
	lookEvery  = 500 * time.Millisecond // at the folder of reports
	fleetEvery = 2 * time.Second        // at the fleet
	beatEvery  = 15 * time.Second       // a comment, by which a connection that has ended is found
	writeTime  = 10 * time.Second       // of an event to a slow browser
)

// maxListeners bounds the connections for events.
const maxListeners = 64

// watcher looks at the reports and the fleet while someone listens.
type watcher struct {
	reports *reports
	fleet   func(context.Context) (any, error)

	mu        sync.Mutex
	listeners map[chan event]bool
	stop      context.CancelFunc // of the loop; nil without listeners
	last      map[string][]byte  // the last data of each kind
}

// event is a server-sent event.
type event struct {
	kind string // runs or fleet
	data []byte
}

func newWatcher(rs *reports, fleet func(context.Context) (any, error)) *watcher {
	return &watcher{reports: rs, fleet: fleet, listeners: map[chan event]bool{}, last: map[string][]byte{}}
}

// listen adds a listener, and starts to look with the first one. It returns nil if there are too many.
func (x *watcher) listen() chan event {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.listeners) >= maxListeners {
		return nil
	}
	l := make(chan event, 16)
	x.listeners[l] = true
	for kind, data := range x.last {
		l <- event{kind, data}
	}
	if x.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		x.stop = stop
		go x.look(ctx)
	}
	return l
}

// leave removes a listener. The last one stops the watcher.
func (x *watcher) leave(l chan event) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.listeners, l)
	if len(x.listeners) == 0 && x.stop != nil {
		x.stop()
		x.stop, x.last = nil, map[string][]byte{}
	}
}

// look looks at the reports and the fleet until the context ends.
func (x *watcher) look(ctx context.Context) {
	x.reports.refresh()
	x.tell(ctx, "runs", x.reports.rows())
	if x.fleet != nil {
		go x.lookAtFleet(ctx)
	}
	for t := time.NewTicker(lookEvery); ; {
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-t.C:
		}
		if x.reports.refresh() {
			x.tell(ctx, "runs", x.reports.rows())
		}
	}
}

// lookAtFleet asks for the state of the fleet, or says why there is none.
func (x *watcher) lookAtFleet(ctx context.Context) {
	for {
		state, err := x.fleet(ctx)
		if err != nil {
			state = map[string]string{"error": err.Error()}
		}
		x.tell(ctx, "fleet", state)
		select {
		case <-ctx.Done():
			return
		case <-time.After(fleetEvery):
		}
	}
}

// tell sends data to all listeners, unless they have it. A listener that is behind misses it, and gets a later one.
func (x *watcher) tell(ctx context.Context, kind string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if ctx.Err() != nil || bytes.Equal(x.last[kind], data) {
		return
	}
	x.last[kind] = data
	for l := range x.listeners {
		select {
		case l <- event{kind, data}:
		default:
		}
	}
}

// events answers with events until the browser leaves.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	l := s.watch.listen()
	if l == nil {
		http.Error(w, "too many pages listen", http.StatusServiceUnavailable)
		return
	}
	defer s.watch.leave(l)
	w.Header().Set("Content-Type", "text/event-stream")
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Time{}) // of the request, which is read
	send := func(format string, args ...any) bool {
		_ = c.SetWriteDeadline(time.Now().Add(writeTime))
		_, err := fmt.Fprintf(w, format, args...)
		return err == nil && c.Flush() == nil
	}
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for ok := send(": hello\n\n"); ok; {
		select {
		case <-r.Context().Done():
			return
		case <-beat.C:
			ok = send(": beat\n\n")
		case e := <-l:
			ok = send("event: %s\ndata: %s\n\n", e.kind, e.data)
		}
	}
}
