//go:build unix

package web

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestCancel checks that the end of a request ends the process and what it has started.
func TestCancel(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	s := newServer(t, script(t, `sleep 1000 & echo $! > `+file+`.new; mv `+file+`.new `+file+`; wait`))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := s.tool.run(ctx, t.TempDir(), "run")
		ended <- err
	}()
	var data []byte
	for len(data) == 0 {
		data, _ = os.ReadFile(file)
		time.Sleep(time.Millisecond)
	}
	stop()
	if err := <-ended; err != context.Canceled {
		t.Errorf("the error is %v", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if syscall.Kill(pid, 0) != nil || zombie(pid) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("the process that it has started goes on")
}

// TestTemporaryFiles checks that the temporary files of a process that is killed are removed: by the end of the request, and by
// the limit of time.
func TestTemporaryFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	c := script(t, `mkdir "$TMPDIR/chiaro-source"; echo > "$TMPDIR/chiaro-source/x"; while :; do sleep 1000; done`)
	c.Limits.Time = 300 * time.Millisecond
	for _, limit := range []time.Duration{10 * time.Millisecond, time.Hour} {
		ctx, stop := context.WithTimeout(t.Context(), limit)
		s := newServer(t, c)
		_, _ = s.tool.run(ctx, t.TempDir(), "run")
		stop()
		if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
			t.Errorf("the folder has %v, %v; want nothing", list, err)
		}
	}
}

// zombie reports whether a process has ended and its parent, init, has not looked yet.
func zombie(pid int) bool {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(data), ") Z ")
}
