package fleet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/confine"
	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// tellTraffic writes the messages and the bytes of the server to standard output for each line of standard input.
func tellTraffic(e *Embedded) {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		v, err := e.s.Varz(nil)
		if err != nil {
			continue
		}
		_ = json.NewEncoder(os.Stdout).Encode(traffic{v.InMsgs, v.OutMsgs, v.InBytes, v.OutBytes})
	}
}

// traffic is what the server has received and sent.
type traffic struct{ InMsgs, OutMsgs, InBytes, OutBytes int64 }

// role is a process of the measurement.
type role struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startRole(b *testing.B, arguments string) *role {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleVariable+"="+arguments, "TMPDIR="+b.TempDir()) // a killed worker keeps its folder
	cmd.Stderr = os.Stderr
	confine.DieWithParent(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return &role{cmd, in, bufio.NewReader(out)}
}

// processor returns the processor time of a process, and of the processes that it has started and that run.
func processor(pid int) (own, children time.Duration) {
	list, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range list {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		_, rest, ok := bytes.Cut(data, []byte(") ")) // after the name
		fields := strings.Fields(string(rest))
		if !ok || len(fields) < 13 {
			continue
		}
		var ticks int64
		for _, f := range fields[11:13] { // utime and stime, in hundredths of a second
			n, _ := strconv.ParseInt(f, 10, 64)
			ticks += n
		}
		switch used := time.Duration(ticks) * 10 * time.Millisecond; {
		case filepath.Base(filepath.Dir(file)) == strconv.Itoa(pid):
			own = used
		case fields[1] == strconv.Itoa(pid):
			children += used
		}
	}
	return own, children
}

// largest returns the largest resident memory that a process had, in MB.
func largest(pid int) float64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	n, _ := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64)
	return n / 1024
}

// BenchmarkFleet measures a fleet of processes on this machine, which hash a file of 2 KB for each item. An operation is an item:
//
//	CHIARO_FLEET_WORKERS=64 go test ./internal/fleet -run '^$' -bench Fleet -benchtime 1000000x -timeout 1h
//
// All items are submitted before the workers start, so that the server holds the whole run.
func BenchmarkFleet(b *testing.B) {
	if b.N == 1 {
		return // the first call of a benchmark
	}
	count := 2
	if text := os.Getenv("CHIARO_FLEET_WORKERS"); text != "" {
		count, _ = strconv.Atoi(text)
	}
	dir := b.TempDir()
	paths := make([]string, 4096)
	for i := range paths {
		paths[i] = filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(paths[i], bytes.Repeat([]byte(fmt.Sprintf("%8d", i)), 256), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	listen := fmt.Sprintf("127.0.0.1:%d", freePort(b))
	server := startRole(b, "server "+listen+" "+b.TempDir())
	said := func() (v traffic) {
		fmt.Fprintln(server.in)
		line, err := server.out.ReadBytes('\n')
		if err != nil || json.Unmarshal(line, &v) != nil {
			b.Fatal(err)
		}
		return v
	}
	said() // it has begun
	b.ResetTimer()
	submitter := startRole(b, "submitter nats://"+listen)
	lines := bufio.NewWriter(submitter.in)
	w := wire.NewWriter(lines)
	began := time.Now()
	if err := w.Write(&wire.Head{Version: "v1", Total: b.N}); err != nil {
		b.Fatal(err)
	}
	for i := range b.N {
		if err := w.Write(&wire.Item{Index: i, Name: fmt.Sprintf("item/%d", i), Files: []wire.File{{Path: paths[i%len(paths)]}}}); err != nil {
			b.Fatal(err)
		}
	}
	if err := lines.Flush(); err != nil {
		b.Fatal(err)
	}
	submitted := time.Since(began)
	memory, held := largest(submitter.cmd.Process.Pid), largest(server.cmd.Process.Pid)
	b.Logf("%d items submitted, %.0f a second: the server has %.0f MB, the submitter %.0f MB", b.N, float64(b.N)/submitted.Seconds(), held, memory)
	submitter.in.Close()
	sent, _ := processor(submitter.cmd.Process.Pid)
	var workers []*role
	for range count {
		workers = append(workers, startRole(b, "slot nats://"+listen))
	}
	answers := 0
	for answers < b.N {
		line, err := submitter.out.ReadBytes('\n')
		if err != nil {
			b.Fatal(err)
		}
		if bytes.HasPrefix(line, []byte(`{"answer"`)) {
			answers++
		}
	}
	b.StopTimer()
	v := said()
	served, _ := processor(server.cmd.Process.Pid)
	whole, _ := processor(submitter.cmd.Process.Pid)
	var worked, answered time.Duration
	for _, w := range workers {
		own, children := processor(w.cmd.Process.Pid)
		worked, answered = worked+own, answered+children
	}
	each := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(b.N) }
	b.ReportMetric(float64(b.N)/submitted.Seconds(), "submitted/s")
	b.ReportMetric(each(sent), "submit-cpu-ms/op")
	b.ReportMetric(each(whole), "submitter-cpu-ms/op")
	b.ReportMetric(each(served), "server-cpu-ms/op")
	b.ReportMetric(each(worked), "worker-cpu-ms/op")
	b.ReportMetric(each(answered), "process-cpu-ms/op")
	b.ReportMetric(largest(server.cmd.Process.Pid), "server-MB")
	b.ReportMetric(memory, "submitter-MB")
	b.ReportMetric(float64(v.InMsgs), "messages-in")
	b.ReportMetric(float64(v.OutMsgs), "messages-out")
	b.ReportMetric(float64(v.InBytes)/1e6, "MB-in")
	b.ReportMetric(float64(v.OutBytes)/1e6, "MB-out")
}
