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

	"github.com/chiaro-gpu/chiaro/internal/modgen"
)

//go:embed client/client.c
var source []byte

// build compiles the client into dir and returns its path. Its error says what
// is missing.
func build(dir, icd string) (string, error) {
	if _, err := exec.LookPath("gcc"); err != nil {
		return "", errors.New("missing: gcc (Debian: gcc)")
	}
	if _, err := os.Stat(icd); err != nil {
		return "", fmt.Errorf("missing: the peer's driver %s (Debian: mesa-vulkan-drivers); -icd names another", icd)
	}
	c, out := filepath.Join(dir, "client.c"), filepath.Join(dir, "client")
	if err := os.WriteFile(c, source, 0o600); err != nil {
		return "", err
	}
	text, err := exec.Command("gcc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-o", out, c, "-lvulkan").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("the client cannot be built; is libvulkan there (Debian: libvulkan-dev)?\n%s", text)
	}
	return out, nil
}

// peer is a process that runs modules on a Vulkan device. After an error it is
// of no use any more.
type peer struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	device string
	size   uint32 // of its subgroups
	groups uint32 // VkSubgroupFeatureFlags
	wide   uint32 // 1: it has atomics of 64 bits
}

// start starts the client; loud: what the driver says is shown.
func start(client, icd string, loud bool) (*peer, error) {
	p := &peer{cmd: exec.Command(client)}
	p.cmd.Env = append(os.Environ(), "VK_ICD_FILENAMES="+icd, "VK_DRIVER_FILES="+icd)
	if loud {
		p.cmd.Stderr = os.Stderr
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
	n, err := p.number()
	if err != nil || n > 1000 {
		p.stop()
		return nil, fmt.Errorf("the client found no device: %v", err)
	}
	name := make([]byte, n)
	if _, err := io.ReadFull(p.out, name); err != nil {
		p.stop()
		return nil, err
	}
	p.device = string(name)
	for _, x := range []*uint32{&p.size, &p.groups, &p.wide} {
		if *x, err = p.number(); err != nil {
			p.stop()
			return nil, err
		}
	}
	return p, nil
}

// stop ends the process.
func (p *peer) stop() {
	p.in.Close()
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

func (p *peer) number() (uint32, error) {
	var b [4]byte
	_, err := io.ReadFull(p.out, b[:])
	return binary.NativeEndian.Uint32(b[:]), err
}

// run runs a module and returns the bytes of its buffers. An error of type
// refused leaves the peer alive.
func (p *peer) run(m *modgen.Module, words []uint32) ([][]byte, error) {
	clock := time.AfterFunc(30*time.Second, func() { p.cmd.Process.Kill() })
	defer clock.Stop()
	var b []byte
	put := func(n ...uint32) {
		for _, x := range n {
			b = binary.NativeEndian.AppendUint32(b, x)
		}
	}
	put(uint32(len(words)))
	put(words...)
	put(m.Groups[:]...)
	put(uint32(len(m.Buffers)))
	for _, x := range m.Buffers {
		uniform := uint32(0)
		if x.Uniform {
			uniform = 1
		}
		put(x.Binding, uniform, uint32(len(x.Bytes)))
		b = append(b, x.Bytes...)
	}
	put(uint32(len(m.Push)))
	b = append(b, m.Push...)
	put(uint32(len(m.Spec)))
	put(m.Spec...)
	if _, err := p.in.Write(b); err != nil {
		return nil, err
	}
	status, err := p.number()
	if err != nil {
		return nil, err
	}
	if status != 0 {
		return nil, refused(int32(status))
	}
	var list [][]byte
	for _, x := range m.Buffers {
		out := make([]byte, len(x.Bytes))
		if _, err := io.ReadFull(p.out, out); err != nil {
			return nil, err
		}
		list = append(list, out)
	}
	return list, nil
}

// refused is a VkResult that is no success.
type refused int32

func (r refused) Error() string { return fmt.Sprintf("the peer answers VkResult %d", int32(r)) }
