package vk

import (
	"bytes"
	"context"
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
