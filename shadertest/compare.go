package shadertest

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro"
	"github.com/chiaro-gpu/chiaro/internal/golden"
)

// Tolerance is the permitted difference of a result from the expected value: ULP, an absolute difference, or a share of the
// expected value. A result within any of them is permitted. The zero Tolerance permits equal values.
type Tolerance = golden.Tolerance

// PictureTolerance is the permitted difference of a picture from the expected one.
type PictureTolerance = golden.PictureTolerance

// RecordVariable is the environment variable whose value 1 lets Golden write the pictures that differ.
const RecordVariable = "CHIARO_RECORD"

// maxShown bounds the values that a failure lists.
const maxShown = 8

// Equal fails the test unless the results are the expected values. NaN is equal to NaN, and −0 to 0.
func Equal[T chiaro.Number](t testing.TB, got, want []T) {
	t.Helper()
	compare(t, got, want, func(a, b T) (bool, uint64) {
		same := a == b || a != a && b != b
		return same, 0
	})
}

// Near fails the test unless the results are the expected values within a tolerance.
func Near[T ~float32 | ~float64](t testing.TB, got, want []T, tolerance Tolerance) {
	t.Helper()
	if err := tolerance.Check(); err != nil {
		t.Fatal(err)
	}
	var one T
	bits := 8 * int(unsafe.Sizeof(one))
	compare(t, got, want, func(a, b T) (bool, uint64) {
		x, y := float64(a), float64(b)
		if tolerance.Near(x, y, bits) {
			return true, 0
		}
		if x-x != 0 || y-y != 0 { // not finite
			return false, 0
		}
		return false, golden.Distance(x, y, bits)
	})
}

// compare compares element by element. same also returns the distance in ULP, 0 if it has no meaning.
func compare[T chiaro.Number](t testing.TB, got, want []T, same func(a, b T) (bool, uint64)) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d values; must be %d", len(got), len(want))
		return
	}
	wrong := 0
	for i := range got {
		ok, ulp := same(got[i], want[i])
		if ok {
			continue
		}
		switch wrong++; {
		case wrong > maxShown:
		case ulp > 0:
			t.Errorf("value %d is %v; must be %v (%d ULP)", i, got[i], want[i], ulp)
		default:
			t.Errorf("value %d is %v; must be %v", i, got[i], want[i])
		}
	}
	if wrong > maxShown {
		t.Errorf("%d more wrong values", wrong-maxShown)
	}
}

// Permitted fails the test for each number of results that Vulkan does not permit: results are buffers after a run of the shader with
// args, by Run or by a device. A shader whose permitted results are not known fails the test too; docs/allowed.md lists the reasons.
func (s *Shader) Permitted(groups [3]uint32, args, results []chiaro.Argument) {
	s.t.Helper()
	list, err := s.shader.Judge(s.t.Context(), groups, args, results)
	if err != nil {
		s.t.Error(err)
		return
	}
	for i := range list {
		if i == maxShown {
			s.t.Errorf("%d more numbers that are not permitted", len(list)-maxShown)
			return
		}
		s.t.Error(list[i].String())
	}
}

// Golden fails the test unless a picture is the one in a PNG file, within a tolerance. The failure has a picture of the difference in
// the directory of artifacts, which go test -artifacts keeps: the expected picture, the pixels that differ, the result. With
// CHIARO_RECORD=1 the picture is written to the file instead.
func Golden(t *testing.T, got image.Image, file string, tolerance PictureTolerance) {
	t.Helper()
	want, err := readPicture(file)
	var d *golden.Difference
	if err == nil {
		if d = golden.Compare(got, want, tolerance); d.Equal() {
			return
		}
	}
	recording := os.Getenv(RecordVariable) == "1"
	switch {
	case recording:
		if err := writePicture(file, got); err != nil {
			t.Fatal(err)
		}
		t.Logf("recorded %s", file)
	case errors.Is(err, fs.ErrNotExist):
		t.Errorf("%s does not exist; %s=1 writes it", file, RecordVariable)
	case err != nil:
		t.Errorf("%s: %v", file, err)
	default:
		t.Errorf("%s: %s", file, d)
	}
	if d == nil {
		return
	}
	name := filepath.Join(t.ArtifactDir(), strings.TrimSuffix(filepath.Base(file), ".png")+".difference.png")
	if err := writePicture(name, d.Picture()); err != nil {
		t.Error(err)
	}
	t.Logf("difference: %s", name)
}

func readPicture(file string) (image.Image, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return png.Decode(bytes.NewReader(data))
}

func writePicture(file string, m image.Image) error {
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o666)
}
