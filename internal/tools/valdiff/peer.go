package main

import (
	"bufio"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

//go:embed client/client.cpp
var source []byte

// build compiles the client into dir and returns its path. Its error says what
// is missing.
func build(dir string) (string, error) {
	if _, err := exec.LookPath("g++"); err != nil {
		return "", errors.New("missing: g++ (Debian: g++)")
	}
	c, out := filepath.Join(dir, "client.cpp"), filepath.Join(dir, "client")
	if err := os.WriteFile(c, source, 0o600); err != nil {
		return "", err
	}
	text, err := exec.Command("g++", "-O2", "-Wall", "-o", out, c, "-lSPIRV-Tools", "-lSPIRV-Tools-opt").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("the client cannot be built; is SPIRV-Tools there (Debian: spirv-tools)?\n%s", text)
	}
	return out, nil
}

// answer is what the peer says of a module.
type answer struct {
	rejected bool
	message  string
}

// errDied says that the peer did not answer: it ended, or took too long.
var errDied = errors.New("the peer died")

// patience is how long the peer may take for one module.
const patience = 10 * time.Second

// peer is a process of the client, which is started anew where it died.
type peer struct {
	path, env string
	cmd       *exec.Cmd
	in        io.WriteCloser
	out       *bufio.Reader
	clock     *time.Timer // ends the process where it takes too long
}

// start starts the process.
func (p *peer) start() error {
	p.cmd = exec.Command(p.path, p.env)
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.in, p.out = in, bufio.NewReader(out)
	return p.cmd.Start()
}

// stop ends the process.
func (p *peer) stop() {
	if p.cmd == nil {
		return
	}
	p.in.Close()
	// Both fail where the process is gone already, which is what is wanted.
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	p.cmd = nil
}

// ask hands a module over. The answer comes by answer.
func (p *peer) ask(words []uint32) error {
	if p.cmd == nil {
		if err := p.start(); err != nil {
			return err
		}
	}
	process := p.cmd.Process
	p.clock = time.AfterFunc(patience, func() { _ = process.Kill() })
	b := binary.NativeEndian.AppendUint32(nil, uint32(len(words)))
	if _, err := p.in.Write(append(b, asm.Bytes(words)...)); err != nil {
		p.clock.Stop()
		p.stop()
		return errDied
	}
	return nil
}

// answer returns what the peer says of the module that it was asked about last;
// errDied where it does not say anything.
func (p *peer) answer() (answer, error) {
	defer p.clock.Stop()
	var head [8]byte
	if _, err := io.ReadFull(p.out, head[:]); err != nil {
		p.stop()
		return answer{}, errDied
	}
	text := make([]byte, binary.NativeEndian.Uint32(head[4:]))
	if _, err := io.ReadFull(p.out, text); err != nil {
		p.stop()
		return answer{}, errDied
	}
	return answer{binary.NativeEndian.Uint32(head[:4]) != 0, string(text)}, nil
}
