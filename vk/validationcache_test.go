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
		data = append(append(data, ValidationCacheUUID[:]...), b...)
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
