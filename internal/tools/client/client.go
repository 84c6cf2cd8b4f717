// Package client runs a peer that is not written in Go: it compiles a small C or C++
// program on demand, and a process of that program answers over pipes, in 32-bit words and
// bytes. It does not know the requests.
package client

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Program is a client as it is compiled.
type Program struct {
	Source   []byte
	Name     string   // of the file of the source
	Compiler []string // the command and its flags, before the name of the output
	Libs     []string // flags after the source
	Needs    string   // the packages that may be missing if the compilation fails
}

// Build compiles the program into a folder and returns its path. The error names the
// missing packages.
func (p Program) Build(dir string) (string, error) {
	if _, err := exec.LookPath(p.Compiler[0]); err != nil {
		return "", fmt.Errorf("missing: %s (Debian: %s)", p.Compiler[0], p.Compiler[0])
	}
	source, out := filepath.Join(dir, p.Name), filepath.Join(dir, "client")
	if err := os.WriteFile(source, p.Source, 0o600); err != nil {
		return "", err
	}
	args := append(append(append([]string{}, p.Compiler[1:]...), "-o", out, source), p.Libs...)
	if text, err := exec.Command(p.Compiler[0], args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("the client cannot be built; is %s there?\n%s", p.Needs, text)
	}
	return out, nil
}

// Driver reports that the manifest of a Vulkan driver is missing.
func Driver(icd string) error {
	if _, err := os.Stat(icd); err != nil {
		return fmt.Errorf("missing: the driver %s (Debian: mesa-vulkan-drivers); -icd names another", icd)
	}
	return nil
}

// Environment is the environment of a process that sees only one Vulkan driver.
func Environment(icd string) []string {
	return append(os.Environ(), "VK_ICD_FILENAMES="+icd, "VK_DRIVER_FILES="+icd)
}

// ErrDied reports that the client did not answer: it ended, or took too long.
var ErrDied = errors.New("the peer died")

// Process is a process of a client. After an error it is of no use any more.
type Process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// Start starts a process. Its standard error goes to loud, if loud is not nil.
func Start(path string, args, env []string, loud io.Writer) (*Process, error) {
	p := &Process{cmd: exec.Command(path, args...)}
	p.cmd.Env, p.cmd.Stderr = env, loud
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	return p, p.cmd.Start()
}

// Stop ends the process.
func (p *Process) Stop() {
	p.in.Close()
	// Both fail if the process has already ended, which is the goal.
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// Patience ends the process if the returned function is not called in time.
func (p *Process) Patience(d time.Duration) (answered func()) {
	process := p.cmd.Process
	clock := time.AfterFunc(d, func() { _ = process.Kill() })
	return func() { clock.Stop() }
}

// Ask writes a question.
func (p *Process) Ask(b []byte) error {
	if _, err := p.in.Write(b); err != nil {
		return ErrDied
	}
	return nil
}

// Bytes reads n bytes.
func (p *Process) Bytes(n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(p.out, b); err != nil {
		return nil, ErrDied
	}
	return b, nil
}

// Number reads a word.
func (p *Process) Number() (uint32, error) {
	b, err := p.Bytes(4)
	if err != nil {
		return 0, err
	}
	return binary.NativeEndian.Uint32(b), nil
}

// Count reads a word that is a count, which must be at most most.
func (p *Process) Count(most uint32) (uint32, error) {
	n, err := p.Number()
	if err == nil && n > most {
		err = fmt.Errorf("the client says %d; must be at most %d", n, most)
	}
	return n, err
}

// Text reads a text of at most most bytes, after its length.
func (p *Process) Text(most uint32) (string, error) {
	n, err := p.Count(most)
	if err != nil {
		return "", err
	}
	b, err := p.Bytes(int(n))
	return string(b), err
}
