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

// zombie reports whether a process has ended and its parent, init, has not looked yet.
func zombie(pid int) bool {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(data), ") Z ")
}
