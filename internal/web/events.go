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

// lookShare is the least ratio of the time between two looks to the time of a look, so that a large folder, such as one with
// the sources of a program, does not keep a core busy.
const lookShare = 10

// maxListeners bounds the connections for events.
const maxListeners = 64

// watcher looks at the reports and the fleet while a page listens. It asks for their sizes and times: a system
// reports no change that another machine makes on a network file system.
type watcher struct {
	reports *reports
	fleet   func(context.Context) (any, error)

	// The mutex guards the fields below. No look holds it, since a look may be long.
	mu        sync.Mutex
	listeners map[*listener]bool
	stop      context.CancelFunc // of the loop; nil without listeners
	last      map[string][]byte  // the last data of each kind
}

// listener is a connection for events. A newer state replaces one that the connection has not taken yet: a slow browser misses
// states between, but never the last one, after which no other may come.
type listener struct {
	wake    chan struct{}     // has a value while something waits
	waiting map[string][]byte // data by kind, runs or fleet; the watcher's mutex guards it
}

// put leaves data for the connection.
func (l *listener) put(kind string, data []byte) {
	l.waiting[kind] = data
	select {
	case l.wake <- struct{}{}:
	default: // it is awake already
	}
}

func newWatcher(rs *reports, fleet func(context.Context) (any, error)) *watcher {
	return &watcher{reports: rs, fleet: fleet, listeners: map[*listener]bool{}, last: map[string][]byte{}}
}

// listen adds a listener, and starts to look with the first one. It returns nil if there are too many.
func (x *watcher) listen() *listener {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.listeners) >= maxListeners {
		return nil
	}
	l := &listener{make(chan struct{}, 1), map[string][]byte{}}
	x.listeners[l] = true
	for kind, data := range x.last {
		l.put(kind, data)
	}
	if x.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		x.stop = stop
		go x.look(ctx)
	}
	return l
}

// leave removes a listener. The last one stops the watcher.
func (x *watcher) leave(l *listener) {
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
	start := time.Now()
	x.reports.refresh()
	took := time.Since(start)
	x.tell(ctx, "runs", x.reports.rows())
	if x.fleet != nil {
		go x.lookAtFleet(ctx)
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(lookEvery, lookShare*took)):
		}
		start := time.Now()
		x.reports.refresh()
		took = time.Since(start)
		x.tell(ctx, "runs", x.reports.rows()) // a request may have read it first: refresh does not say whether it is new to the listeners
	}
}

// lookAtFleet asks for the state of the fleet until the context ends. An error is a state too: the server may come back. It is apart
// from look, because an answer of a server that is down takes long.
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

// tell leaves data for all listeners, unless they have it.
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
		l.put(kind, data)
	}
}

// take returns the data that wait for a listener, at most one of each kind.
func (x *watcher) take(l *listener) map[string][]byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := l.waiting
	l.waiting = map[string][]byte{}
	return all
}

// events answers with events until the browser leaves. The browser connects again by itself after an error, so that events need
// no number: the first ones of a connection are the whole state.
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
		case <-l.wake:
			for kind, data := range s.watch.take(l) {
				ok = ok && send("event: %s\ndata: %s\n\n", kind, data)
			}
		}
	}
}
