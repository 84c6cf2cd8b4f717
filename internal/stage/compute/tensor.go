package compute

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Tensor is the target of a tensor descriptor (VkTensorViewARM): elements
// in memory along dimensions. The zero Tensor is the null descriptor.
type Tensor struct {
	Bytes        []byte   // aligned as exec.Buffer requires
	ElementBytes uint64   // of one element: of the tensor's format
	Dimensions   []uint64 // elements along each dimension, the outermost first; each at least 1
	Strides      []uint64 // bytes from one element to the next along each; nil if they are packed
}

// tensors returns the descriptors of a resource that is the memory of tensors or
// their shapes.
func tensors(r ir.Resource, bound []Tensor) ([]exec.Buffer, error) {
	bound = clipToDeclared(r, bound)
	out := make([]exec.Buffer, len(bound))
	for i := range bound {
		t := &bound[i]
		shape, ok := t.shape()
		switch {
		case !ok:
			return nil, &exec.JobError{Problem: fmt.Sprintf("tensor %d of set %d, binding %d has elements of %d bytes in %v, strides %v; must fit into its %d bytes",
				i, r.Set, r.Binding, t.ElementBytes, t.Dimensions, t.Strides, len(t.Bytes))}
		case r.Kind == ir.TensorShape:
			out[i].Bytes = shape
		default:
			out[i].Bytes = t.Bytes
		}
	}
	return out, nil
}

// shape returns the words that a program reads of a tensor: its rank, its
// dimensions, its strides. It is nil of the null descriptor, and ok is false
// if an element is not within the memory.
func (t *Tensor) shape() (words []byte, ok bool) {
	rank := len(t.Dimensions)
	if rank == 0 {
		return nil, len(t.Bytes) == 0 && t.Strides == nil
	}
	strides := t.Strides
	if strides == nil {
		strides = make([]uint64, rank)
		step := t.ElementBytes
		for i := rank - 1; i >= 0; i-- {
			strides[i] = step
			hi, lo := bits.Mul64(step, t.Dimensions[i])
			if hi != 0 {
				return nil, false
			}
			step = lo
		}
	}
	if len(strides) != rank || t.ElementBytes == 0 {
		return nil, false
	}
	words = binary.LittleEndian.AppendUint64(words, uint64(rank))
	end := t.ElementBytes // of the last element
	for i, n := range t.Dimensions {
		hi, lo := bits.Mul64(n-1, strides[i])
		sum, carry := bits.Add64(end, lo, 0)
		if n == 0 || hi != 0 || carry != 0 {
			return nil, false
		}
		end = sum
		words = binary.LittleEndian.AppendUint64(words, n)
	}
	for _, n := range strides {
		words = binary.LittleEndian.AppendUint64(words, n)
	}
	return words, end <= uint64(len(t.Bytes))
}
