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
	"slices"
	"time"
)

//go:embed client/client.cpp
var source []byte

// layers is where Debian describes the validation layers.
const layers = "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"

// build compiles the client into dir and returns its path. Its error says what
// is missing.
func build(dir, icd string) (string, error) {
	if _, err := exec.LookPath("g++"); err != nil {
		return "", errors.New("missing: g++ (Debian: g++)")
	}
	if _, err := exec.LookPath("vulkaninfo"); err != nil {
		return "", errors.New("missing: vulkaninfo (Debian: vulkan-tools)")
	}
	if _, err := os.Stat(layers); err != nil {
		return "", errors.New("missing: the validation layers (Debian: vulkan-validationlayers)")
	}
	if _, err := os.Stat(icd); err != nil {
		return "", fmt.Errorf("missing: the driver %s (Debian: mesa-vulkan-drivers); -icd names another", icd)
	}
	c, out := filepath.Join(dir, "client.cpp"), filepath.Join(dir, "client")
	if err := os.WriteFile(c, source, 0o600); err != nil {
		return "", err
	}
	text, err := exec.Command("g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-o", out, c, "-lvulkan").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("the client cannot be built; is libvulkan there (Debian: libvulkan-dev)?\n%s", text)
	}
	return out, nil
}

// environment is that of a process that sees one driver alone.
func environment(icd string) []string {
	return append(os.Environ(), "VK_ICD_FILENAMES="+icd, "VK_DRIVER_FILES="+icd)
}

// errDied says that the peer did not answer: it ended, or took too long.
var errDied = errors.New("the peer died")

// patience is how long the peer may take for one pipeline.
const patience = 5 * time.Second

// maxAnswer bounds what the peer may say: identifiers of a pipeline, bytes of one.
const maxAnswer = 1 << 16

// peer is a process of the client. After an error it is of no use any more.
type peer struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	device string
}

// start starts the client; off are features that are not enabled, loud: what the
// layers say is shown.
func start(client, icd string, off []string, loud bool) (*peer, error) {
	p := &peer{cmd: exec.Command(client, off...)}
	p.cmd.Env = environment(icd)
	if loud {
		p.cmd.Env, p.cmd.Stderr = append(p.cmd.Env, "VVL_LOUD=1"), os.Stderr
	}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if p.device, err = p.text(); err != nil {
		p.stop()
		return nil, fmt.Errorf("the client found no device with the validation layers: %w", err)
	}
	return p, nil
}

// stop ends the process.
func (p *peer) stop() {
	p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

func (p *peer) number() (uint32, error) {
	var b [4]byte
	if _, err := io.ReadFull(p.out, b[:]); err != nil {
		return 0, errDied
	}
	n := binary.NativeEndian.Uint32(b[:])
	if n > maxAnswer {
		return 0, fmt.Errorf("the client says %d; must be at most %d", n, maxAnswer)
	}
	return n, nil
}

func (p *peer) text() (string, error) {
	n, err := p.number()
	if err != nil {
		return "", err
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(p.out, b); err != nil {
		return "", errDied
	}
	return string(b), nil
}

// judge returns what the layers find in a pipeline, each rule once, in order.
func (p *peer) judge(x *pipeline) ([]string, error) {
	clock := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer clock.Stop()
	if _, err := p.in.Write(encode(x)); err != nil {
		return nil, errDied
	}
	n, err := p.number()
	if err != nil {
		return nil, err
	}
	var found []string
	for range n {
		s, err := p.text()
		if err != nil {
			return nil, err
		}
		found = append(found, s)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}
