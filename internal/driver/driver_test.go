package driver

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	profiles "github.com/chiaro-gpu/chiaro/device"
	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestMain gives the driver a host without C: handles are pinned memory of Go. A panic in a call is a fault, also if the test
// does not see it: a command without a result recovers it.
func TestMain(m *testing.M) { os.Exit(runReported(m)) }

func runReported(m *testing.M) int {
	folder, err := os.MkdirTemp("", "reports")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	os.Setenv("CHIARO_REPORT", folder)
	var pins runtime.Pinner
	SetHost(Host{
		New: func() *abi.Dispatch {
			d := new(abi.Dispatch)
			pins.Pin(d)
			return d
		},
		Free:      func(*abi.Dispatch) {},
		Interface: func() uint32 { return 7 },
	})
	code := m.Run()
	reports, _ := filepath.Glob(filepath.Join(folder, "*"))
	for _, name := range reports {
		if text, _ := os.ReadFile(name); bytes.Contains(text, []byte("goroutine ")) {
			fmt.Printf("a call panics: %s\n", text)
			code = 1
		}
	}
	return code
}

// do calls a command as a shim does.
func do[A any](number int, args *A) abi.Result {
	return abi.Result(int32(Call(uint32(number), unsafe.Pointer(args))))
}

// TestTable adds and removes objects: a stale handle has no object, also after its slot is used again.
func TestTable(t *testing.T) {
	var objects table[int]
	a, b := new(int), new(int)
	h := objects.add(a)
	if h == 0 || objects.get(h) != a {
		t.Fatalf("handle %#x has %p; must be %p", h, objects.get(h), a)
	}
	if objects.remove(h) != a || objects.get(h) != nil || objects.remove(h) != nil {
		t.Error("a removed handle has an object")
	}
	g := objects.add(b)
	if g == h || objects.get(g) != b || objects.get(h) != nil {
		t.Errorf("handle %#x after %#x: a stale handle has an object", g, h)
	}
	for _, bad := range []uint64{0, 1 << 63, 1<<64 - 1, uint64(maxPages) << pageBits} {
		if objects.get(bad) != nil || objects.remove(bad) != nil {
			t.Errorf("handle %#x has an object", bad)
		}
	}
}

// TestCoreCommands checks that the driver has all commands of the version that it announces.
func TestCoreCommands(t *testing.T) {
	for _, n := range abi.Names {
		for _, version := range []uint32{0, 1, 2, 3, 4} {
			if version <= abi.Minor && blocksEnabled(n.Blocks, makeVersion(1, version, 0)) && !has(n.Number) && !loaders[n.Name] {
				t.Errorf("%s of 1.%d is missing", n.Name, version)
				break
			}
		}
	}
}

// loaders are the commands of the loader and of cmd/icd.
var loaders = map[string]bool{"vkGetInstanceProcAddr": true, "vkGetDeviceProcAddr": true}

// TestRequiredFeatures checks that the driver announces all features that its version requires, and that the limits are not
// below the required ones.
func TestRequiredFeatures(t *testing.T) {
	p := &physicalDevice{profile: selfProfile()}
	least := leastDevice()
	for name, on := range least.Features {
		if on && !p.feature(name) {
			t.Errorf("%s is off; Vulkan 1.%d requires it", name, abi.Minor)
		}
	}
	for name, have := range p.profile.Device.Limits {
		if want, ok := least.Limits[name]; ok && have < want && !smaller[name] && !profiles.Signed(name) && !profiles.Floating(name) {
			t.Errorf("%s is %d; must be at least %d", name, have, want)
		}
	}
}

// smaller are limits of which smaller values are better.
var smaller = map[string]bool{
	"minStorageBufferOffsetAlignment": true, "minUniformBufferOffsetAlignment": true, "minTexelBufferOffsetAlignment": true,
	"bufferImageGranularity": true, "nonCoherentAtomSize": true, "minImportedHostPointerAlignment": true, "minPlacedMemoryMapAlignment": true,
	"robustUniformBufferAccessSizeAlignment": true, "robustStorageBufferAccessSizeAlignment": true,
	"bufferDescriptorSize": true, "bufferDescriptorAlignment": true, "imageDescriptorSize": true, "imageDescriptorAlignment": true,
	"samplerDescriptorSize": true, "samplerDescriptorAlignment": true, "combinedImageSamplerDescriptorSize": true, "sampledImageDescriptorSize": true,
	"storageImageDescriptorSize": true, "uniformTexelBufferDescriptorSize": true, "robustUniformTexelBufferDescriptorSize": true,
	"storageTexelBufferDescriptorSize": true, "robustStorageTexelBufferDescriptorSize": true, "uniformBufferDescriptorSize": true,
	"robustUniformBufferDescriptorSize": true, "storageBufferDescriptorSize": true, "robustStorageBufferDescriptorSize": true,
	"accelerationStructureDescriptorSize": true, "minAccelerationStructureScratchOffsetAlignment": true,
	"inputAttachmentDescriptorSize": true, "descriptorBufferOffsetAlignment": true, "samplerHeapAlignment": true, "resourceHeapAlignment": true,
	"minIndirectCommandsBufferOffsetAlignment": true, "minSequencesCountBufferOffsetAlignment": true, "minSequencesIndexBufferOffsetAlignment": true,
	"minFragmentShadingRateAttachmentTexelSize[0]": true, "minFragmentShadingRateAttachmentTexelSize[1]": true,
	"denormBehaviorIndependence": true, "roundingModeIndependence": true, // the greatest value is NONE
}
