package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/confine"
	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// Limits bound a process that answers.
type Limits struct {
	Memory int64         // bytes of its data; 0 for none
	Output int64         // bytes of a file that it writes; 0 for none
	Time   time.Duration // for one item; 0 for ten minutes
}

// process is a chiaro that answers items. It is started when it is needed, and again after it has ended.
type process struct {
	command []string
	limits  Limits
	version string

	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *wire.Reader
	log   *tail
	scope string // of the head that it has

	failed error // why it cannot be started, such as a tool that was replaced: no item is at fault
}

// tail keeps the last bytes that are written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

// tailBytes is the length of a log that an answer has.
const tailBytes = 16 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if len(t.data) > 2*tailBytes {
		t.data = append([]byte(nil), t.data[len(t.data)-tailBytes:]...)
	}
	return len(p), nil
}

// take returns the output since the last call.
func (t *tail) take() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := string(bytes.ToValidUTF8(t.data, []byte("?")))
	t.data = nil
	return s
}

// start starts the process and reads its version.
func (p *process) start(ctx context.Context) error {
	if p.cmd != nil {
		return nil
	}
	cmd := exec.Command(p.command[0], p.command[1:]...)
	p.log = &tail{}
	cmd.Stderr = p.log
	cmd.Env = confine.Environment(os.Environ())
	confine.DieWithParent(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("cannot start a process that answers: %w", err)
	}
	p.cmd, p.in, p.out, p.scope = cmd, in, wire.NewReader(out), ""
	if err := confine.Limit(cmd.Process.Pid, confine.Limits{Memory: p.limits.Memory, Output: p.limits.Output}); err != nil {
		p.stop()
		return err
	}
	var hello wire.Hello
	if err := p.read(ctx, 30*time.Second, &hello); err != nil {
		log := p.log.take()
		p.stop()
		return fmt.Errorf("%s does not answer: %w\n%s", p.command[0], err, log)
	}
	if p.version == "" {
		p.version = hello.Version
	}
	if p.version != hello.Version {
		p.stop()
		return fmt.Errorf("%s has another version than before: %s, and %s", p.command[0], hello.Version, p.version)
	}
	return nil
}

// errSlow is the error of a line that does not come in time.
var errSlow = errors.New("no answer in time")

// read reads a line in the time that there is for it. After an error the process must be stopped.
func (p *process) read(ctx context.Context, most time.Duration, v any) error {
	done := make(chan error, 1)
	go func() { done <- p.out.Read(v) }()
	timer := time.NewTimer(most)
	defer timer.Stop()
	var err error
	select {
	case err = <-done:
		return err
	case <-timer.C:
		err = errSlow
	case <-ctx.Done():
		err = ctx.Err()
	}
	_ = p.cmd.Process.Kill()
	<-done // v belongs to the caller again
	return err
}

// stop ends the process.
func (p *process) stop() {
	if p.cmd == nil {
		return
	}
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // an error is the kill
	p.cmd = nil
}

// answer answers an item. If the process ends, it is started and asked again, at most maxTries times. If it cannot be
// started, failed says why.
func (p *process) answer(ctx context.Context, head *wire.Head, it *wire.Item) wire.Answer {
	most := p.limits.Time
	if most == 0 {
		most = 10 * time.Minute
	}
	log := ""
	for range maxTries {
		a, err := p.ask(ctx, head, it, most)
		switch {
		case err == nil:
			return a
		case ctx.Err() != nil:
			return wire.Answer{}
		case p.cmd == nil:
			p.failed = err
			return wire.Answer{}
		}
		log = p.end()
		switch {
		case errors.Is(err, errSlow):
			return wire.Answer{Status: wire.Timeout, Brief: true, Log: fmt.Sprintf("not done after %v, the limit of the worker", most)}
		case errors.Is(err, wire.ErrLong):
			return wire.Answer{Status: wire.Large, Log: fmt.Sprintf("the result has more than %d bytes", wire.MaxLine)}
		}
	}
	return wire.Answer{Status: wire.Crash, Brief: true, Log: log}
}

// end stops a process that gives no answer, and returns its last words and how it ended.
func (p *process) end() string {
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	text := p.log.take() + p.cmd.ProcessState.String()
	p.cmd = nil
	return text
}

// ask writes an item to the process and reads the answer.
func (p *process) ask(ctx context.Context, head *wire.Head, it *wire.Item, most time.Duration) (wire.Answer, error) {
	if err := p.start(ctx); err != nil {
		return wire.Answer{}, err
	}
	w := wire.NewWriter(p.in)
	if s := scopeOf(head); s != p.scope {
		if err := w.Write(wire.Work{Head: head}); err != nil {
			return wire.Answer{}, err
		}
		p.scope = s
	}
	if err := w.Write(wire.Work{Item: it}); err != nil {
		return wire.Answer{}, err
	}
	var a wire.Answer
	err := p.read(ctx, most, &a)
	if err == nil && a.Index != it.Index {
		err = fmt.Errorf("an answer to item %d instead of %d", a.Index, it.Index)
	}
	return a, err
}
