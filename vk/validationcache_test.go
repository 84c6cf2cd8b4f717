package vk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/device"
	"github.com/chiaro-gpu/chiaro/valid"
)

// TestValidationCache makes a module with a cache (rows F03, N01, N03), hands its data to another device, and merges caches.
func TestValidationCache(t *testing.T) {
	ctx := context.Background()
	d := must(Chiaro().NewDevice(DeviceInfo{}))(t)
	defer d.Close()
	c := must(d.NewValidationCache(nil))(t)
	good := code(t, saxpy)
	bad := code(t, strings.Replace(saxpy, "OpFMul %float %a %xi", "OpIMul %float %a %xi", 1))
	for range 2 {
		if _, err := d.NewShaderModuleCached(ctx, good, c); err != nil {
			t.Fatal(err)
		}
		var invalid *InvalidModuleError
		if _, err := d.NewShaderModuleCached(ctx, bad, c); !errors.As(err, &invalid) {
			t.Errorf("an invalid module: %v", err)
		}
	}
	if c.Len() != 1 {
		t.Errorf("%d modules in the cache, want 1", c.Len())
	}
	data := must(c.Data())(t)
	if len(data) != 24+32+32 || data[0] != 24 || data[4] != 1 {
		t.Errorf("%d bytes of data, header % x", len(data), data[:8])
	}
	other := must(d.NewValidationCache(data))(t)
	if other.Len() != 1 || !bytes.Equal(must(other.Data())(t), data) {
		t.Error("the data does not survive a round trip")
	}
	// With a hit nothing is checked: a forged verdict lets the invalid module pass.
	other.valid[d.verdict(bad)] = struct{}{}
	if _, err := d.NewShaderModuleCached(ctx, bad, other); err != nil {
		t.Errorf("a module in the cache is checked: %v", err)
	}
	if err := c.Merge(other); err != nil || c.Len() != 2 {
		t.Errorf("merge: %v, %d modules", err, c.Len())
	}
	wantRule(t, c.Merge(c), "VUID-vkMergeValidationCachesEXT-dstCache-01536")
	if c.Merge(nil) == nil {
		t.Error("a cache merges itself, or nil")
	}
}

// TestValidationData changes data: it is ignored, and never crashes.
func TestValidationData(t *testing.T) {
	d := must(Chiaro().NewDevice(DeviceInfo{}))(t)
	defer d.Close()
	c := must(d.NewValidationCache(nil))(t)
	c.valid[verdict{1}], c.valid[verdict{2}] = struct{}{}, struct{}{}
	data := must(c.Data())(t)
	random := rand.New(rand.NewPCG(7, 8))
	for range 5000 {
		b := bytes.Clone(data)[:random.IntN(len(data)+1)]
		if len(b) > 0 {
			b[random.IntN(len(b))] ^= byte(1 << random.IntN(8))
		}
		if x := must(d.NewValidationCache(b))(t); x.Len() != 0 {
			t.Fatalf("%d modules of damaged data", x.Len())
		}
	}
}

// FuzzValidationCache reads any data, and any content with a right header and a right checksum: the cache has the verdicts of the
// content, and its data has them again.
func FuzzValidationCache(f *testing.F) {
	d := must(Chiaro().NewDevice(DeviceInfo{}))(f)
	f.Cleanup(func() { d.Close() })
	strict := must(Chiaro().NewDevice(DeviceInfo{Checking: All}))(f)
	f.Cleanup(func() { strict.Close() })
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{1}, 64))
	f.Add(make([]byte, 33))
	f.Add(must(must(d.NewValidationCache(nil))(f).Data())(f))
	read := func(t *testing.T, data []byte) int {
		c := must(d.NewValidationCache(data))(t)
		defer c.Close()
		again := must(c.Data())(t)
		other := must(strict.NewValidationCache(again))(t)
		defer other.Close()
		if other.Len() != c.Len() || !bytes.Equal(must(other.Data())(t), again) {
			t.Errorf("%d verdicts are %d in the data", c.Len(), other.Len())
		}
		s, err := strict.NewValidationCache(data)
		if err == nil {
			s.Close()
		} else if rule := ruleOf(err); c.Len() > 0 || rule != "VUID-VkValidationCacheCreateInfoEXT-initialDataSize-01534" && rule != "VUID-VkValidationCacheCreateInfoEXT-initialDataSize-01535" {
			t.Errorf("%d verdicts, and the error %v", c.Len(), err)
		}
		return c.Len()
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		read(t, b)
		data := binary.LittleEndian.AppendUint32(nil, validationHeader)
		data = binary.LittleEndian.AppendUint32(data, validationVersion)
		id := ValidationCacheUUID()
		data = append(append(data, id[:]...), b...)
		sum := sha256.Sum256(data)
		want := map[string]bool{}
		for i := 0; len(b)%sha256.Size == 0 && i < len(b); i += sha256.Size {
			want[string(b[i:i+sha256.Size])] = true
		}
		if n := read(t, append(data, sum[:]...)); n != len(want) {
			t.Errorf("%d verdicts of %d bytes; must be %d", n, len(b), len(want))
		}
	})
}

// TestVerdictOfDevices: devices that judge a module differently have no common verdict. A feature that is known to be missing is not one
// that is not known, the lists of matrices count, and so do the version of Vulkan and its data of another build.
func TestVerdictOfDevices(t *testing.T) {
	module := code(t, saxpy)
	profiles := map[string]device.Profile{}
	for name, change := range map[string]func(d *valid.Device){
		"nothing is known":        func(*valid.Device) {},
		"a feature is missing":    func(d *valid.Device) { d.Features = map[string]bool{"shaderInt64": false} },
		"a feature is enabled":    func(d *valid.Device) { d.Features = map[string]bool{"shaderInt64": true} },
		"an extension is missing": func(d *valid.Device) { d.Extensions = map[string]bool{"VK_KHR_shader_clock": false} },
		"others are missing":      func(d *valid.Device) { d.AllOthers = true },
		"others are enabled":      func(d *valid.Device) { d.AllOthers, d.Others = true, true },
		"a limit":                 func(d *valid.Device) { d.Limits = map[string]uint64{"maxPushConstantsSize": 128} },
		"a list without matrices": func(d *valid.Device) { d.Matrices = map[valid.MatrixList][]valid.MatrixShape{valid.MatricesKHR: {}} },
		"a list with a matrix": func(d *valid.Device) {
			d.Matrices = map[valid.MatrixList][]valid.MatrixShape{valid.MatricesKHR: {{M: 8}}}
		},
		"a list without vectors":  func(d *valid.Device) { d.Vectors = []valid.VectorProduct{} },
		"a product with a vector": func(d *valid.Device) { d.Vectors = []valid.VectorProduct{{Transpose: true}} },
		"another list with a shape": func(d *valid.Device) {
			d.Matrices = map[valid.MatrixList][]valid.MatrixShape{valid.MatricesNV: {{M: 8}}}
		},
	} {
		limits := &valid.Device{}
		change(limits)
		profiles[name] = device.Profile{Version: 0x103, Device: limits}
	}
	profiles["Vulkan 1.1"] = device.Profile{Version: 0x101, Device: &valid.Device{}}
	profiles["no device"] = device.Profile{Version: 0x103}
	keys := map[verdict]string{}
	for name, p := range profiles {
		d := must(Play(p).NewDevice(DeviceInfo{}))(t)
		defer d.Close()
		v := d.verdict(module)
		if other, ok := keys[v]; ok {
			t.Errorf("%s and %s have one verdict", name, other)
		}
		keys[v] = name
		again := must(Play(p).NewDevice(DeviceInfo{}))(t)
		defer again.Close()
		if again.verdict(module) != v {
			t.Errorf("%s: two devices have two verdicts", name)
		}
	}
}

// TestVerdictOfBuilds: the data of another build is ignored, also on a device that checks.
func TestVerdictOfBuilds(t *testing.T) {
	d := must(Chiaro().NewDevice(DeviceInfo{Checking: All}))(t)
	defer d.Close()
	c := must(d.NewValidationCache(nil))(t)
	must(d.NewShaderModuleCached(context.Background(), code(t, saxpy), c))(t)
	data := must(c.Data())(t)
	for i := range 16 {
		other := bytes.Clone(data[:len(data)-sha256.Size])
		other[8+i] ^= 1
		sum := sha256.Sum256(other)
		if x := must(d.NewValidationCache(append(other, sum[:]...)))(t); x.Len() != 0 {
			t.Errorf("byte %d of the identity differs: %d modules", i, x.Len())
		}
	}
}
