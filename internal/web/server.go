package web

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// Config describes a page.
type Config struct {
	Tool    []string                           // the command of chiaro
	Version string                             // that the page shows
	Reports string                             // folder of the reports; "" for none
	Sources string                             // folder of the files that reports name; "" for none
	Hosts   []string                           // further names of this server
	Limits  Limits                             // of a process
	Jobs    int                                // number of processes at a time
	Fleet   func(context.Context) (any, error) // the state of a fleet, as JSON; nil for none
}

// Server is a page.
type Server struct {
	config   Config
	tool     runner
	sources  *os.Root // nil for none
	reports  *reports
	watch    *watcher
	playing  sync.WaitGroup // requests that have temporary folders
	decoding sync.Mutex     // of the request that decodes pictures
}

//go:embed static samples
var files embed.FS

// New returns the page of a configuration. Close closes its folders.
func New(c Config) (*Server, error) {
	s := &Server{config: c, tool: runner{command: c.Tool, limits: c.Limits, slots: make(chan struct{}, max(c.Jobs, 1))}}
	var err error
	if s.reports, err = openReports(c.Reports); err != nil {
		return nil, err
	}
	if c.Sources != "" {
		if s.sources, err = os.OpenRoot(c.Sources); err != nil {
			s.reports.close()
			return nil, err
		}
	}
	s.watch = newWatcher(s.reports, c.Fleet)
	return s, nil
}

// Close closes the folders.
func (s *Server) Close() {
	s.reports.close()
	if s.sources != nil {
		_ = s.sources.Close()
	}
}

// Handler returns the handler of all requests. A request that starts a process is a POST: a link or a picture of another page
// cannot make one.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	static, err := fs.Sub(files, "static")
	if err != nil {
		panic(err) // the folder is in the binary
	}
	mux.Handle("GET /", http.FileServerFS(static))
	mux.HandleFunc("GET /api/about", s.about)
	mux.HandleFunc("GET /api/events", s.events)
	mux.HandleFunc("GET /api/samples", samples)
	mux.HandleFunc("POST /api/play", s.play)
	mux.HandleFunc("GET /api/runs", s.runs)
	mux.HandleFunc("GET /api/runs/{run}/causes", s.causes)
	mux.HandleFunc("GET /api/runs/{run}/items", s.items)
	mux.HandleFunc("GET /api/runs/{run}/items/{item}", s.item)
	mux.HandleFunc("GET /api/runs/{run}/items/{item}/sources/{source}", s.source)
	mux.HandleFunc("GET /api/runs/{run}/items/{item}/pictures/{picture}", s.itemPicture)
	mux.HandleFunc("POST /api/runs/{run}/items/{item}/listing", s.itemListing)
	mux.HandleFunc("POST /api/runs/{run}/items/{item}/heat", s.itemHeat)
	mux.HandleFunc("GET /api/pictures", s.pictures)
	mux.HandleFunc("GET /api/pictures/{picture}", s.picture)
	mux.HandleFunc("GET /api/compare", s.compare)
	mux.HandleFunc("GET /api/compare/picture", s.comparePicture)
	return s.guard(mux)
}

// Serve serves the page on a listener until the context ends. There is no limit for the time of an answer: events last as long as
// the page, and the playground as long as its processes.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, BaseContext: func(net.Listener) context.Context { return ctx }}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done(): // the requests have this context, so that they end
		grace, stop := context.WithTimeout(context.Background(), 2*time.Second)
		defer stop()
		if h.Shutdown(grace) != nil {
			_ = h.Close()
		}
		s.playing.Wait() // their processes end with the context, and then their folders are removed
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	}
}

// Listen listens at an address of this machine. The page has no users, so that others must not reach it.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%s: must be HOST:PORT", address)
	}
	if host != "localhost" && !isLoopback(host) {
		return nil, fmt.Errorf("%s: the page has no users and must listen on this machine alone, such as 127.0.0.1:8650; a proxy with users can make it public, under the name of --host", address)
	}
	return net.Listen("tcp", address)
}

// about answers with the version, and with the views that the page has.
func (s *Server) about(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, map[string]any{"version": s.config.Version, "reports": s.config.Reports != "", "fleet": s.config.Fleet != nil})
}

// writeJSON writes an answer.
func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // an error is the browser's end
}
