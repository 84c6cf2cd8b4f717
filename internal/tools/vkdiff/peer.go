package main

import (
	"embed"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/modgen"
	"github.com/chiaro-gpu/chiaro/internal/tools/client"
)

//go:embed client
var sources embed.FS

// build compiles a client into dir and returns its path. Its error names the missing
// packages.
func build(dir, icd, name string) (string, error) {
	if err := client.Driver(icd); err != nil {
		return "", err
	}
	header, err := sources.ReadFile("client/device.h")
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "device.h"), header, 0o600); err != nil {
		return "", err
	}
	source, err := sources.ReadFile("client/" + name + ".c")
	if err != nil {
		return "", err
	}
	return client.Program{
		Source: source, Name: name + ".c", Compiler: []string{"gcc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Wno-missing-field-initializers"},
		Libs: []string{"-lvulkan"}, Needs: "libvulkan (Debian: libvulkan-dev)",
	}.Build(dir)
}

// patience is how long the peer may take for one module.
const patience = 30 * time.Second

// maxName bounds the name of a device.
const maxName = 1000

// peer is a process that runs modules on a Vulkan device. After an error it is
// of no use any more.
type peer struct {
	*client.Process
	device string
	size   uint32 // of its subgroups
	groups uint32 // VkSubgroupFeatureFlags
	wide   uint32 // 1: it has atomics of 64 bits
}

// start starts the client; loud shows the messages of the driver.
func start(path, icd string, loud bool) (*peer, error) {
	var to io.Writer
	if loud {
		to = os.Stderr
	}
	process, err := client.Start(path, nil, client.Environment(icd), to)
	if err != nil {
		return nil, err
	}
	p := &peer{Process: process}
	if p.device, err = p.Text(maxName); err != nil {
		p.Stop()
		return nil, fmt.Errorf("the client found no device: %w", err)
	}
	for _, x := range []*uint32{&p.size, &p.groups, &p.wide} {
		if *x, err = p.Number(); err != nil {
			p.Stop()
			return nil, err
		}
	}
	return p, nil
}

// run runs a module and returns the bytes of its buffers. An error of type
// refused leaves the peer alive.
func (p *peer) run(m *modgen.Module, words []uint32) ([][]byte, error) {
	answered := p.Patience(patience)
	defer answered()
	if err := p.Ask(encode(m, words)); err != nil {
		return nil, err
	}
	status, err := p.Number()
	if err != nil {
		return nil, err
	}
	if status != 0 {
		return nil, refused(int32(status))
	}
	var list [][]byte
	for _, x := range m.Buffers {
		out, err := p.Bytes(len(x.Bytes))
		if err != nil {
			return nil, err
		}
		list = append(list, out)
	}
	return list, nil
}

// encode encodes a module and its inputs in the format of the client.
func encode(m *modgen.Module, words []uint32) []byte {
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
	return b
}

// refused is a VkResult that is no success.
type refused int32

func (r refused) Error() string { return fmt.Sprintf("the peer answers VkResult %d", int32(r)) }
