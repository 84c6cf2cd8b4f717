package compute

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// TestTensorShape checks what a program reads of a tensor: rank, dimensions,
// strides; packed ones have the elements of the last dimension side by side. All
// elements lie in the memory.
func TestTensorShape(t *testing.T) {
	memory := make([]byte, 48)
	for _, c := range []struct {
		tensor Tensor
		want   []uint64
		ok     bool
	}{
		{Tensor{}, nil, true},
		{Tensor{Bytes: memory}, nil, false},
		{Tensor{Bytes: memory, ElementBytes: 4, Dimensions: []uint64{3, 4}}, []uint64{2, 3, 4, 16, 4}, true},
		{Tensor{Bytes: memory, ElementBytes: 2, Dimensions: []uint64{2, 3, 4}}, []uint64{3, 2, 3, 4, 24, 8, 2}, true},
		{Tensor{Bytes: memory, ElementBytes: 4, Dimensions: []uint64{3, 5}}, nil, false},
		{Tensor{Bytes: memory, ElementBytes: 4, Dimensions: []uint64{3, 4}, Strides: []uint64{16, 4}}, []uint64{2, 3, 4, 16, 4}, true},
		{Tensor{Bytes: memory, ElementBytes: 4, Dimensions: []uint64{3, 2}, Strides: []uint64{20, 4}}, []uint64{2, 3, 2, 20, 4}, true},
		{Tensor{Bytes: memory, ElementBytes: 4, Dimensions: []uint64{3, 2}, Strides: []uint64{21, 4}}, nil, false},
		{Tensor{Bytes: memory, ElementBytes: 4, Dimensions: []uint64{3}, Strides: []uint64{20, 4}}, nil, false},
		{Tensor{Bytes: memory, ElementBytes: 4, Dimensions: []uint64{0, 4}}, nil, false},
		{Tensor{Bytes: memory, Dimensions: []uint64{4}}, nil, false},
		{Tensor{Bytes: memory, ElementBytes: 4, Dimensions: []uint64{math.MaxUint64, 4}}, nil, false},
		{Tensor{Bytes: memory, ElementBytes: 4, Dimensions: []uint64{3, 2}, Strides: []uint64{math.MaxUint64, 4}}, nil, false},
		{Tensor{Bytes: memory, ElementBytes: 4, Dimensions: []uint64{2, 2}, Strides: []uint64{math.MaxUint64 - 4, 4}}, nil, false},
	} {
		var want []byte
		for _, w := range c.want {
			want = binary.LittleEndian.AppendUint64(want, w)
		}
		got, ok := c.tensor.shape()
		if ok != c.ok || ok && !slices.Equal(got, want) {
			t.Errorf("%v, %v: % x, %v; want % x, %v", c.tensor.Dimensions, c.tensor.Strides, got, ok, want, c.ok)
		}
	}
}
