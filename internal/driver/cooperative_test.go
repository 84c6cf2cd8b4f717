package driver

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestConvertVectorMatrix converts a matrix of 5 rows and 7 columns to each layout and back. Without a target the size is returned, which is
// a multiple of the alignment of addresses in an optimal layout; with one of too few bytes nothing is written and the result is
// VK_INCOMPLETE.
func TestConvertVectorMatrix(t *testing.T) {
	const rows, columns = 5, 7
	p := newProgram(t)
	source := make([]float32, rows*columns)
	for i := range source {
		source[i] = float32(i) - 7.5
	}
	const f32 = abi.ComponentTypeFloat32KHR
	strides := map[uint32]uint{abi.CooperativeVectorMatrixLayoutRowMajorNV: 4 * columns, abi.CooperativeVectorMatrixLayoutColumnMajorNV: 4 * rows}
	for _, layout := range []uint32{
		abi.CooperativeVectorMatrixLayoutRowMajorNV, abi.CooperativeVectorMatrixLayoutColumnMajorNV,
		abi.CooperativeVectorMatrixLayoutInferencingOptimalNV, abi.CooperativeVectorMatrixLayoutTrainingOptimalNV,
	} {
		info := abi.ConvertCooperativeVectorMatrixInfoNV{
			SType: abi.StructureTypeConvertCooperativeVectorMatrixInfoNV, SrcComponentType: f32, DstComponentType: f32, NumRows: rows, NumColumns: columns,
			SrcStride: 4 * columns, DstLayout: layout, DstStride: strides[layout],
		}
		size := uint(0)
		convert := func(from, to unsafe.Pointer, bytes, room uint) abi.Result {
			info.SrcData, info.DstData = [1]uint64{uint64(uintptr(from))}, [1]uint64{uint64(uintptr(to))}
			info.SrcSize, info.PDstSize, size = bytes, &size, room
			return do(abi.CmdConvertCooperativeVectorMatrixNV, &abi.ConvertCooperativeVectorMatrixNVArgs{Device: p.device, PInfo: &info})
		}
		if r := convert(nil, nil, 0, 0); r != abi.Success || size < 4*rows*columns || size%4 != 0 {
			t.Fatalf("layout %d: the size is %d, %d; must be at least %d", layout, size, r, 4*rows*columns)
		}
		if strides[layout] == 0 && size%64 != 0 {
			t.Errorf("layout %d: the size is %d; must be a multiple of 64, so that the address of a next matrix is one", layout, size)
		}
		need := size
		target := make([]float32, need/4)
		for _, room := range []uint{0, 1, need - 1} {
			if r := convert(unsafe.Pointer(&source[0]), unsafe.Pointer(&target[0]), 4*rows*columns, room); r != abi.Incomplete {
				t.Errorf("layout %d: %d bytes of %d have the result %d; must have VK_INCOMPLETE", layout, room, need, r)
			}
			if slices.ContainsFunc(target, func(x float32) bool { return x != 0 }) {
				t.Errorf("layout %d: %d bytes of %d are written", layout, room, need)
			}
		}
		if r := convert(unsafe.Pointer(&source[0]), unsafe.Pointer(&target[0]), 4*rows*columns, need); r != abi.Success || size != need {
			t.Errorf("layout %d: the result is %d, with %d bytes; must have %d", layout, r, size, need)
		}
		if layout == abi.CooperativeVectorMatrixLayoutColumnMajorNV && (target[1] != source[columns] || target[rows] != source[1]) {
			t.Errorf("the columns are %v", target)
		}
		if r := convert(unsafe.Pointer(&source[0]), unsafe.Pointer(&target[0]), 4*rows*columns-1, need); r >= 0 {
			t.Errorf("layout %d: a source that is too small has the result %d; must be an error", layout, r)
		}
		back := make([]float32, rows*columns)
		info.SrcLayout, info.SrcStride, info.DstLayout, info.DstStride = layout, strides[layout], abi.CooperativeVectorMatrixLayoutRowMajorNV, 4*columns
		if r := convert(unsafe.Pointer(&target[0]), unsafe.Pointer(&back[0]), need, 4*rows*columns); r != abi.Success || !slices.Equal(back, source) {
			t.Errorf("layout %d and back: %v, %d", layout, back, r)
		}
	}
}
