package main

import (
	"bytes"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// program is a running one of the two programs.
type program struct {
	cmd  *exec.Cmd
	out  bytes.Buffer
	done chan struct{} // is closed after its end
}

// start starts a program in a folder, for the time of the test at most.
func start(t *testing.T, dir, name string, args ...string) *program {
	t.Helper()
	p := &program{cmd: exec.Command(filepath.Join(tools(t), name), args...), done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdout = dir, environment(t), &p.out
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // an error is a kill or an exit code
		close(p.done)
	}()
	t.Cleanup(p.kill)
	return p
}

// kill ends a program with SIGKILL.
func (p *program) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// ended reports whether the program has ended.
func (p *program) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// TestChaos kills workers, the server and chiaro itself with SIGKILL at random, and starts them again with the same arguments. The
// report has the bytes of a run of one process without kills.
func TestChaos(t *testing.T) {
	if os.Getenv("CHIARO_LONG") == "" {
		t.Skip("a run with 200 kills takes a minute: CHIARO_LONG=1 runs it; internal/fleet has a short one")
	}
	const kills = 200
	dir, store := corpus(t, 1), t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "again"), os.DirFS(corpus(t, 1))); err != nil { // the run must last
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	job := []string{"check", "--format", "json", "."}
	code, want, log := chiaro(t, dir, append(job, "--no-cache")...)
	if code != 1 {
		t.Fatalf("exit code %d, %s", code, log)
	}
	work := []string{"work", "--on", "nats://" + address, "--jobs", "1", "--ack-wait", "2s"}
	arguments := map[string][]string{"server": {"serve", "--listen", address, "--store", store}, "worker 0": work, "worker 1": work,
		"chiaro": append(job, "--on", "nats://"+address)}
	running := map[string]*program{}
	launch := func(name string) {
		if name == "chiaro" {
			running[name] = start(t, dir, "chiaro", arguments[name]...)
		} else {
			running[name] = start(t, dir, "chiaro-fleet", arguments[name]...)
		}
	}
	for name := range arguments {
		launch(name)
	}
	random := rand.New(rand.NewPCG(1, kills))
	for n := 0; ; {
		time.Sleep(time.Duration(5+random.IntN(30)) * time.Millisecond)
		if c := running["chiaro"]; c.ended() && c.cmd.ProcessState.ExitCode() == code {
			t.Logf("%d kills", n)
			if n < kills {
				t.Errorf("the run ended after %d kills; want %d", n, kills)
			}
			if got := c.out.String(); got != want {
				t.Errorf("the reports differ: %d bytes, and %d of one process", len(got), len(want))
			}
			return
		}
		for name, p := range running { // a worker and a submitter that find no server end by themselves
			if p.ended() {
				launch(name)
			}
		}
		if n < kills {
			n++
			name := []string{"worker 0", "worker 1", "server", "chiaro"}[random.IntN(4)]
			running[name].kill()
			launch(name)
		}
	}
}
