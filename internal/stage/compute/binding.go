package compute

import (
	"bytes"
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Bound returns the descriptors of a resource, and the list that they begin, if they are of one. An array has no more than its
// declared size, because an index past it denotes the null descriptor, however much is
// bound. Descriptors that are not in args as they are used are written to memory, which grows if
// needed: with the memory of an earlier call Bound allocates nothing for images, samplers and
// buffers of sets.
func (a *Args) Bound(r ir.Resource, memory *[]exec.Buffer) ([]exec.Buffer, *exec.List, error) {
	at := Binding{r.Set, r.Binding}
	var shared *exec.List
	if r.Set == OwnSet {
		return single(memory, a.Params), nil, nil
	}
	switch r.Kind {
	case ir.PushBank:
		return single(memory, a.Banks[r.Binding]), nil, nil
	case ir.StorageTensor, ir.TensorShape:
		list, err := tensors(r, a.tensorsAt(at))
		return list, nil, err
	case ir.HeapBytes:
		if r.Binding == ir.SamplerHeap {
			return single(memory, a.SamplerHeap), nil, nil
		}
		return single(memory, a.Heap), nil, nil
	case ir.DescriptorFaults:
		return single(memory, a.faultsAt(at)), nil, nil
	case ir.HeapBuffer:
		list, shared := a.heapBuffers(a.Robustness.Storage, ir.StorageBuffer)
		return list, shared, nil
	case ir.HeapUniform:
		list, shared := a.heapBuffers(a.Robustness.Uniform, ir.UniformBuffer)
		return list, shared, nil
	case ir.StorageShadow, ir.UniformShadow:
		list, err := a.shadows(r)
		return list, nil, err
	case ir.Texels, ir.ImageShape, ir.SamplerState:
		if shared = a.imageList(r); shared == nil {
			return a.imageBuffers(r, memory), nil, nil
		}
	default:
		shared = a.bufferList(r)
	}
	if shared != nil {
		return declared(r, shared.Buffers()), shared, nil
	}
	if data, ok := a.inlineAt(at); ok {
		list, err := inlineBlock(r, data)
		return list, nil, err
	}
	list, err := a.applyDynamicOffsets(at, clipToDeclared(r, a.buffersAt(at)), memory)
	if err != nil {
		return nil, nil, err
	}
	return a.Robustness.restrict(at, r.Kind, list, memory), nil, nil
}

// imageBuffers returns the buffers of images or samplers.
func (a *Args) imageBuffers(r ir.Resource, memory *[]exec.Buffer) []exec.Buffer {
	switch r.Kind {
	case ir.Texels:
		return buffersOf(memory, a.ViewsAt(r), (*texture.View).Memory)
	case ir.ImageShape:
		return buffersOf(memory, a.ViewsAt(r), (*texture.View).Shape)
	}
	return buffersOf(memory, a.SamplersAt(r), (*texture.Sampler).State)
}

// shadows returns the shadows of the buffers of a resource, for the bytes that the program reaches. A buffer without a shadow has a
// null descriptor.
func (a *Args) shadows(r ir.Resource) ([]exec.Buffer, error) {
	if a.Shadow == nil {
		return nil, nil
	}
	kind := ir.StorageBuffer
	if r.Kind == ir.UniformShadow {
		kind = ir.UniformBuffer
	}
	r.Kind = kind
	if _, ok := a.inlineAt(Binding{r.Set, r.Binding}); ok {
		return nil, nil
	}
	list, _, err := a.Bound(r, new([]exec.Buffer))
	out := make([]exec.Buffer, len(list))
	for i, b := range list {
		out[i] = exec.Buffer{Bytes: a.Shadow(b.Bytes), Beyond: b.Beyond}
		out[i].Beyond = min(out[i].Beyond, len(out[i].Bytes))
	}
	return out, err
}

// single writes one buffer to memory.
func single(memory *[]exec.Buffer, data []byte) []exec.Buffer {
	*memory = append((*memory)[:0], exec.Buffer{Bytes: data})
	return *memory
}

// inlineBlock returns the descriptor of an inline uniform block: a copy, for the
// bytes may lie anywhere.
func inlineBlock(r ir.Resource, data []byte) ([]exec.Buffer, error) {
	switch {
	case r.Kind != ir.UniformBuffer || r.Count != 1:
		return nil, &exec.JobError{Problem: fmt.Sprintf("bytes at set %d, binding %d, which is not a single uniform block; must be one", r.Set, r.Binding)}
	case len(data) > MaxInlineBytes:
		return nil, &exec.LimitError{Quantity: "bytes of an inline uniform block", Value: uint64(len(data)), Max: MaxInlineBytes}
	}
	return []exec.Buffer{{Bytes: bytes.Clone(data)}}, nil
}

// applyDynamicOffsets returns descriptors with their dynamic offsets: each range begins so
// much later and is as long as before. One that would leave its buffer is a
// fault (VUID-vkCmdBindDescriptorSets-pDescriptorSets-01979).
func (a *Args) applyDynamicOffsets(at Binding, list []exec.Buffer, memory *[]exec.Buffer) ([]exec.Buffer, error) {
	offsets := a.dynamicAt(at)
	if len(offsets) == 0 {
		return list, nil
	}
	out := append((*memory)[:0], list...)
	*memory = out
	for i, n := range offsets[:min(len(offsets), len(out))] {
		b := &out[i]
		if b.Beyond < 0 || uint64(n) > uint64(b.Beyond) {
			return nil, &exec.JobError{Problem: fmt.Sprintf("dynamic offset %d for descriptor %d of set %d, binding %d; must be at most the %d bytes after the descriptor's range",
				n, i, at.Set, at.Binding, b.Beyond)}
		}
		b.Bytes, b.Beyond = b.Bytes[n:], b.Beyond-int(n)
	}
	return out, nil
}
