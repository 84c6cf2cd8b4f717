package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// cluster is a cluster of NATS servers in this process. A server that is nil is down.
type cluster struct {
	t       *testing.T
	configs []string // files
	urls    []string
	servers []*Embedded
}

// serveCluster starts a cluster for the time of a test.
func serveCluster(t *testing.T, n int) *cluster {
	t.Helper()
	c := &cluster{t: t, servers: make([]*Embedded, n)}
	var routes []string
	for range n {
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", freePort(t)))
	}
	for i := range n {
		dir, port := t.TempDir(), freePort(t)
		text := fmt.Sprintf("server_name: s%d\nlisten: \"127.0.0.1:%d\"\nlog_file: %q\njetstream { store_dir: %q }\ncluster { name: fleet, listen: %q, routes: [%s] }\n",
			i, port, filepath.Join(dir, "log"), dir, strings.TrimPrefix(routes[i], "nats://"), strings.Join(routes, ", "))
		config := filepath.Join(dir, "server.conf")
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c.configs, c.urls = append(c.configs, config), append(c.urls, fmt.Sprintf("nats://127.0.0.1:%d", port))
	}
	for i := range n {
		if err := c.start(i); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for i := range c.servers {
			c.stop(i)
		}
	})
	return c
}

func (c *cluster) start(i int) (err error) {
	c.servers[i], err = Serve(Serving{Config: c.configs[i]})
	return err
}

func (c *cluster) stop(i int) {
	if c.servers[i] != nil {
		c.servers[i].Stop()
		c.servers[i] = nil
	}
}

// server names all servers, as the clients of a cluster do.
func (c *cluster) server() Server { return Server{URL: strings.Join(c.urls, ",")} }

// replicate makes the streams, then gives each one a copy on every server, as an administrator of a cluster does.
func (c *cluster) replicate() {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	var st *store
	for { // the servers elect a leader first
		var err error
		brief, cancel := context.WithTimeout(ctx, 2*time.Second)
		st, err = connect(brief, c.server(), "administrator")
		cancel()
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			c.t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	defer st.close()
	for _, name := range []string{jobsStream, resultsStream, "OBJ_" + inputsBucket, "OBJ_" + outputsBucket, "KV_" + notesBucket} {
		s, err := st.js.Stream(ctx, name)
		if err != nil {
			c.t.Fatal(name, err)
		}
		cfg := s.CachedInfo().Config
		cfg.Replicas = len(c.servers)
		if _, err := st.js.UpdateStream(ctx, cfg); err != nil {
			c.t.Fatal(name, err)
		}
		c.wait(ctx, st, name)
	}
}

// wait waits until all copies of a stream are current.
func (c *cluster) wait(ctx context.Context, st *store, name string) {
	c.t.Helper()
	for {
		s, err := st.js.Stream(ctx, name)
		if err == nil && current(s.CachedInfo().Cluster, len(c.servers)) {
			return
		}
		if ctx.Err() != nil {
			c.t.Fatal(name, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// current reports whether a stream has a leader and n-1 followers with all its messages.
func current(i *jetstream.ClusterInfo, n int) bool {
	if i == nil || i.Leader == "" || len(i.Replicas) != n-1 {
		return false
	}
	for _, r := range i.Replicas {
		if !r.Current {
			return false
		}
	}
	return true
}

// TestCluster runs a fleet on a cluster of three servers, each of which goes down and comes back in turn during the run.
// Every item has its one answer.
func TestCluster(t *testing.T) {
	c := serveCluster(t, 3)
	c.replicate()
	for range 2 {
		startWorker(t, &Worker{Server: c.server(), Command: command(t, "v1"), Slots: 2, AckWait: 5 * time.Second})
	}
	items := makeItems(t, 400)
	for i := range items {
		items[i].Kind = "sleep 40ms"
	}
	down := make(chan struct{})
	go func() {
		defer close(down)
		for i := range c.servers {
			time.Sleep(time.Second)
			c.stop(i)
			time.Sleep(time.Second)
			if err := c.start(i); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	defer func() { <-down }()
	head := wire.Head{Version: "v1", Verb: "check", Options: json.RawMessage(`1`)}
	wantResults(t, items, submitAll(t, Submission{Server: c.server(), Audit: time.Second}, head, items), "1")
}
