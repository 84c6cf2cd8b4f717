package main

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/vk"
)

// namedMemory is a buffer with a name: of --memory, or at a binding.
type namedMemory struct {
	name string
	*content
}

// readMemory reads --memory: buffers that the shader reaches by address.
func (j *shaderJob) readMemory(c console, list []string) error {
	for _, m := range list {
		name, text, ok := strings.Cut(m, "=")
		if !ok || name == "" {
			return unreadable("--memory %q; want NAME=CONTENT", m)
		}
		if _, err := j.find("--memory", name); err == nil || j.named(name) != nil {
			return unreadable("--memory %s: the name is in use; want one of its own", name)
		}
		x, err := parseContent(c, text)
		if err != nil {
			return err
		}
		j.memory = append(j.memory, namedMemory{name, &x})
	}
	return nil
}

// named returns the buffer of --memory with a name, or nil.
func (j *shaderJob) named(name string) *content {
	i := slices.IndexFunc(j.memory, func(m namedMemory) bool { return m.name == name })
	if i < 0 {
		return nil
	}
	return j.memory[i].content
}

// contentOf returns the buffer that a flag names: of --memory, or at a binding.
func (j *shaderJob) contentOf(flag, name string) (*content, error) {
	if x := j.named(name); x != nil {
		return x, nil
	}
	r, err := j.find(flag, name)
	if err != nil {
		return nil, err
	}
	x, ok := j.buffers[vk.SetBinding{Set: r.Set, Binding: r.Binding}]
	if !ok {
		return nil, unreadable("%s %s: the binding has no buffer", flag, name)
	}
	return x, nil
}

// contents returns the buffers: of --memory, and then at bindings.
func (j *shaderJob) contents() (all []*content) {
	for _, m := range j.memory {
		all = append(all, m.content)
	}
	for i := range j.entry.Resources {
		r := &j.entry.Resources[i]
		if x, ok := j.buffers[vk.SetBinding{Set: r.Set, Binding: r.Binding}]; ok && !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	return all
}

// users returns the contents that may have addresses: the buffers and the push constants.
func (j *shaderJob) users() []*content {
	all := j.contents()
	for _, p := range j.pushed {
		all = append(all, p.content)
	}
	return all
}

// addressed reports whether the shader may use addresses.
func (j *shaderJob) addressed() bool {
	return len(j.memory) > 0 || slices.ContainsFunc(j.users(), func(x *content) bool { return len(x.addresses) > 0 })
}

// resolveAddresses writes the device addresses among the contents.
func (j *shaderJob) resolveAddresses(d *shaderDevice) error {
	for _, x := range j.users() {
		for _, a := range x.addresses {
			of, err := j.contentOf("address:", a.name)
			if err != nil {
				return err
			}
			binary.LittleEndian.PutUint64(x.data[a.at:], d.buffers[of].Address()+a.offset)
		}
	}
	return nil
}

// pushedContent is bytes of a bank of push constants.
type pushedContent struct {
	*content
	bank uint32
}

// readPush reads --push: the bytes of the push constants, or of a bank of them, one after the other.
func (j *shaderJob) readPush(c console, list []string) error {
	for _, p := range list {
		bank := uint32(0)
		if number, rest, ok := strings.Cut(p, "="); ok {
			if n, err := parseUint(number, 32); err == nil {
				bank, p = uint32(n), rest
			}
		}
		x, err := parseContent(c, p)
		if err != nil {
			return err
		}
		j.pushed = append(j.pushed, pushedContent{&x, bank})
	}
	return nil
}

// collectPush sets the push constants when their addresses are known.
func (j *shaderJob) collectPush() error {
	j.banks = map[uint32][]byte{}
	for _, x := range j.pushed {
		switch {
		case len(x.data) == 0:
		case x.bank == 0:
			j.push = append(j.push, x.data...)
		default:
			b := append(j.banks[x.bank], x.data...)
			if err := host.CheckBank(x.bank, len(b)); err != nil {
				return err
			}
			j.banks[x.bank] = b
		}
	}
	return nil
}

// indirect finds the buffer with the workgroups: BINDING[+BYTES] of --indirect.
func (j *shaderJob) indirect(text string) error {
	a := parseAddresses(text).addresses
	if len(a) > 1 {
		return unreadable("--indirect %q; want BINDING[+BYTES]", text)
	}
	x, err := j.contentOf("--indirect", a[0].name)
	if err != nil {
		return err
	}
	n := uint64(len(x.data))
	switch at := a[0].offset; {
	case at%4 != 0: // VUID-vkCmdDispatchIndirect-offset-02710
		return unreadable("--indirect %s: byte %d; want a multiple of 4", text, at)
	case n < 12 || at > n-12: // VUID-vkCmdDispatchIndirect-offset-00407
		return unreadable("--indirect %s: three words from byte %d of a buffer of %d bytes; want all inside", text, at, n)
	}
	j.arguments = &indirectArguments{x, a[0].offset}
	return nil
}

// indirectArguments is the place of the number of workgroups, which the dispatch reads when it runs.
type indirectArguments struct {
	of *content
	at uint64
}
