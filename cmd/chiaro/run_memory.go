package main

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
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
	x, ok := j.buffers[compute.Binding{Set: r.Set, Binding: r.Binding}]
	if !ok {
		return nil, unreadable("%s %s: the binding has no buffer", flag, name)
	}
	return x, nil
}

// resolveAddresses writes the device addresses among the contents. Every buffer with a name gets an address if one of them
// is in use.
func (j *shaderJob) resolveAddresses(push []*content) error {
	var all []*content
	for _, m := range j.memory {
		all = append(all, m.content)
	}
	for i := range j.entry.Resources {
		r := &j.entry.Resources[i]
		if x, ok := j.buffers[compute.Binding{Set: r.Set, Binding: r.Binding}]; ok && !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	users := append(slices.Clone(all), push...)
	if len(j.memory) == 0 && !slices.ContainsFunc(users, func(x *content) bool { return len(x.addresses) > 0 }) {
		return nil
	}
	bytes := make([][]byte, len(all))
	for i, x := range all {
		bytes[i] = x.data
	}
	j.args.Regions = compute.RegionsOf(bytes)
	for _, x := range users {
		for _, a := range x.addresses {
			of, err := j.contentOf("address:", a.name)
			if err != nil {
				return err
			}
			address := j.args.Regions[slices.Index(all, of)].Address + a.offset
			binary.LittleEndian.PutUint64(x.data[a.at:], address)
		}
	}
	return nil
}

// bindPush reads --push: the bytes of the push constants, or of a bank of them, one after the other.
func (j *shaderJob) bindPush(c console, list []string) (all []*content, banks []uint32, err error) {
	for _, p := range list {
		bank := uint32(0)
		if number, rest, ok := strings.Cut(p, "="); ok {
			if n, err := parseUint(number, 32); err == nil {
				bank, p = uint32(n), rest
			}
		}
		x, err := parseContent(c, p)
		if err != nil {
			return nil, nil, err
		}
		all, banks = append(all, &x), append(banks, bank)
	}
	return all, banks, nil
}

// push sets the push constants when their addresses are known.
func (j *shaderJob) push(all []*content, banks []uint32) error {
	for i, x := range all {
		if banks[i] == 0 {
			j.args.Push = append(j.args.Push, x.data...)
			continue
		}
		if j.args.Banks == nil {
			j.args.Banks = map[uint32][]byte{}
		}
		b := append(j.args.Banks[banks[i]], x.data...)
		if len(b) > compute.MaxPushBytes {
			return &exec.LimitError{Quantity: fmt.Sprintf("bytes of bank %d of push constants", banks[i]), Value: uint64(len(b)), Max: compute.MaxPushBytes}
		}
		j.args.Banks[banks[i]] = b
	}
	return nil
}

// indirect reads the workgroups from a buffer: BINDING[+BYTES] of --indirect.
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
	for i := range j.args.Groups {
		j.args.Groups[i] = binary.LittleEndian.Uint32(x.data[int(a[0].offset)+4*i:])
	}
	return nil
}
