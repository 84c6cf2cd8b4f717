package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/confine"
	"github.com/chiaro-gpu/chiaro/internal/confine/filter"
	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// roleVariable makes the test's binary a server, a worker or a submitter: its role and the arguments.
const roleVariable = "FLEET_TEST_ROLE"

// playRole is main of such a process.
func playRole(role string) {
	name, arguments, _ := strings.Cut(role, " ")
	ctx := context.Background()
	var err error
	switch name {
	case "server":
		listen, dir, _ := strings.Cut(arguments, " ")
		var e *Embedded
		if e, err = Serve(Serving{Listen: listen, Store: dir}); err == nil {
			tellTraffic(e)
			select {}
		}
	case "worker", "slot":
		self, _ := os.Executable()
		os.Unsetenv(roleVariable)
		for {
			w := &Worker{Server: Server{URL: arguments}, Command: []string{"/usr/bin/env", answerVariable + "=v1", self}, Slots: 2, AckWait: time.Second}
			if name == "slot" {
				w.Slots, w.AckWait = 1, 0
			}
			err = w.Run(ctx)
			fmt.Fprintln(os.Stderr, "worker:", err) // the server may be dead
			time.Sleep(50 * time.Millisecond)
		}
	case "confine":
		os.Unsetenv(roleVariable)
		err = filter.Exec(os.Args[1:])
	case "submitter":
		s := Submission{Server: Server{URL: arguments}, Audit: 300 * time.Millisecond}
		err = s.Submit(ctx, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// chaos is a fleet of processes that are killed and started again.
type chaos struct {
	t       *testing.T
	url     string
	roles   map[string]string // the arguments of processes by their names
	running map[string]*started
}

// newChaos returns a fleet of a server, with its folder, and two workers, none of which runs.
func newChaos(t *testing.T, store string) *chaos {
	t.Helper()
	port := freePort(t)
	url := fmt.Sprintf("nats://127.0.0.1:%d", port)
	return &chaos{t: t, url: url, running: map[string]*started{},
		roles: map[string]string{"server": fmt.Sprintf("server 127.0.0.1:%d %s", port, store), "worker 0": "worker " + url, "worker 1": "worker " + url}}
}

// start starts a process that is not the submitter, for the time of the test at most. ended is closed after its end.
func (c *chaos) start(name string) (ended <-chan struct{}) {
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleVariable+"="+c.roles[name], "TMPDIR="+c.t.TempDir()) // a killed worker keeps its folder
	confine.DieWithParent(cmd)
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	x := &started{cmd, make(chan struct{})}
	go func() {
		_ = cmd.Wait() // the error is a kill
		close(x.ended)
	}()
	c.t.Cleanup(x.kill)
	c.running[name] = x
	return x.ended
}

// kill kills a process with SIGKILL and waits for its end.
func (c *chaos) kill(name string) {
	c.running[name].kill()
	delete(c.running, name)
}

// started is a process that was started.
type started struct {
	cmd   *exec.Cmd
	ended chan struct{} // is closed after its end
}

func (x *started) kill() {
	_ = x.cmd.Process.Kill()
	<-x.ended
}

// submit runs the same command until it ends by itself, and returns the answers that the last one wrote.
func (c *chaos) submit(text []byte, killed <-chan struct{}) *bytes.Buffer {
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	for {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), roleVariable+"=submitter "+c.url)
		confine.DieWithParent(cmd)
		var out, log bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), &out, &log
		if err := cmd.Start(); err != nil {
			c.t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case err := <-ended:
			if err == nil {
				return &out
			}
			time.Sleep(50 * time.Millisecond) // the server is dead
		case <-killed:
			_ = cmd.Process.Kill()
			<-ended
		}
	}
}

// TestChaos kills workers, the server and the submitter at random. Each item then has exactly one answer, which is the
// right one, and the answers are the ones of a run without kills.
func TestChaos(t *testing.T) {
	t.Parallel()
	kills, count := 8, 400
	if os.Getenv("CHIARO_LONG") != "" {
		kills, count = 200, 12000
	}
	c := newChaos(t, t.TempDir())
	for name := range c.roles {
		c.start(name)
	}
	items := makeItems(t, count)
	for i := range items {
		items[i].Kind = "sleep 10ms"
	}
	items[count/2].Kind = "poison"
	text, err := io.ReadAll(input(t, wire.Head{Version: "v1", Verb: "check", Options: json.RawMessage(`1`)}, items))
	if err != nil {
		t.Fatal(err)
	}
	killed, done := make(chan struct{}), make(chan *bytes.Buffer, 1)
	go func() { done <- c.submit(text, killed) }()
	random := rand.New(rand.NewPCG(1, uint64(kills)))
	var out *bytes.Buffer
	n := 0
	for ; n < kills && out == nil; n++ {
		select {
		case out = <-done:
			continue
		case <-time.After(time.Duration(100+random.IntN(200)) * time.Millisecond):
		}
		switch name := []string{"worker 0", "worker 1", "server", "submitter"}[random.IntN(4)]; name {
		case "submitter":
			select {
			case killed <- struct{}{}:
			case out = <-done:
			}
		default:
			c.kill(name)
			c.start(name)
		}
	}
	if out == nil {
		out = <-done
	}
	t.Logf("%d kills", n)
	answers, _ := answersOf(t, out, count)
	if a := answers[count/2]; a.Status != wire.Crash {
		t.Errorf("the item that ends its process: %+v; want a crash", a)
	}
	wantResults(t, items[:count/2], answers[:count/2], "1")
	wantResults(t, items[count/2+1:], answers[count/2+1:], "1")
}

// waitForServer waits until a server answers.
func waitForServer(t *testing.T, url string) {
	t.Helper()
	for {
		st, err := connect(t.Context(), Server{URL: url}, "test")
		if err == nil {
			st.close()
			return
		}
		if t.Context().Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// freePort returns a port that is free at present.
func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
