package main

import (
	"bytes"
	"context"
	"errors"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/modgen"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// ours runs a module on an engine of Chiaro and returns the bytes of its buffers.
func ours(e exec.Engine, m *modgen.Module, words []uint32, size uint32) ([][]byte, error) {
	d, err := spirv.FromWords(bytesOf(words))
	if err != nil {
		return nil, err
	}
	spec := facts.Spec{}
	for i, x := range m.Spec {
		spec[uint32(i)] = uint64(x)
	}
	f := facts.Gather(d, spec)
	if len(f.EntryPoints) == 0 {
		return nil, errors.New("no entry point")
	}
	s, err := shader.Lower(context.Background(), valid.Assume(f), &f.EntryPoints[0], lower.Options{SubgroupSize: size})
	if err != nil {
		return nil, err
	}
	prog, err := e.Compile(s.Program, exec.Options{})
	if err != nil {
		return nil, err
	}
	defer prog.Close()
	bindings := map[compute.Binding][]exec.Buffer{}
	var all [][]byte
	for _, b := range m.Buffers {
		data := bytes.Clone(b.Bytes)
		all = append(all, data)
		bindings[compute.Binding{Binding: b.Binding}] = []exec.Buffer{{Bytes: data}}
	}
	return all, compute.Dispatch(context.Background(), prog, compute.Args{Groups: m.Groups, Bindings: bindings, Push: m.Push, Budget: 1 << 14})
}

// bytesOf copies the words, because spirv.FromWords takes ownership of them.
func bytesOf(words []uint32) []uint32 { return append([]uint32(nil), words...) }
