package main

import (
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/valid"
)

// TestLegal holds that pipelines which are made to keep every rule have no
// finding.
func TestLegal(t *testing.T) {
	env, _ := valid.ParseEnv("vulkan1.3")
	for seed := range uint64(60) {
		p, _, err := generate(seed, "legal", breaks)
		if err != nil {
			t.Fatal(err)
		}
		if _, messages, err := judge(p, env); err != nil || len(messages) > 0 {
			t.Errorf("seed %d: %v, %v", seed, messages, err)
		}
	}
}

// TestBreaks holds that each way to break a pipeline has places, and that a
// broken pipeline can be written and read.
func TestBreaks(t *testing.T) {
	env, _ := valid.ParseEnv("vulkan1.3")
	seen := map[string]bool{}
	all := slices.Concat(breaks, oursBreaks, stateAloneBreaks)
	for _, b := range all {
		if seen[b.name] {
			t.Errorf("%s: there are two", b.name)
		}
		seen[b.name] = true
		p, _, err := generate(1, b.name, all)
		if err != nil {
			t.Fatalf("%s: %v", b.name, err)
		}
		if _, _, err := judge(p, env); err != nil {
			t.Errorf("%s: %v", b.name, err)
		}
	}
}

// TestLayers compares a few pipelines with the validation layers, if installed.
func TestLayers(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: g++ needs seconds to compile the client")
	}
	c := &contest{icd: "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", breaks: breaks, found: map[string]*class{}, broken: map[string]int{}}
	dir := t.TempDir()
	if err := c.prepare(dir); err != nil {
		t.Skip("the test compares with the validation layers on a software driver, which are not installed: ", err)
	}
	defer func() { c.peer.Stop() }()
	for seed := range uint64(120) {
		if err := c.one(seed); err != nil {
			t.Fatal(err)
		}
	}
	if 100*c.agree < 98*c.total {
		t.Errorf("%d of %d pipelines agree: %v", c.agree, c.total, c.found)
	}
}
