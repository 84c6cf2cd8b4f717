package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/device"
	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/fossil"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/tools/client"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// enabled are the structs of features and the extensions that the client enables if the
// device has them.
var (
	enabled = []string{
		"VkPhysicalDeviceFeatures", "VkPhysicalDeviceVulkan11Features", "VkPhysicalDeviceVulkan12Features", "VkPhysicalDeviceVulkan13Features",
		"VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT",
	}
	extensions = []string{"VK_EXT_vertex_attribute_divisor", "VK_KHR_push_descriptor"}
)

// profile returns the device as the client opens it: the output of vulkaninfo without the
// features that are not enabled.
func profile(dir, icd string, off []string) (*valid.Env, error) {
	file := filepath.Join(dir, "device.json")
	cmd := exec.Command("vulkaninfo", "--json", "-o", file)
	cmd.Env, cmd.Dir = client.Environment(icd), dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("vulkaninfo: %w\n%s", err, text)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if data, err = without(data); err != nil {
		return nil, fmt.Errorf("vulkaninfo: %w", err)
	}
	list, _, err := device.Read(device.Source{Name: "vulkaninfo", Data: data})
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, fmt.Errorf("vulkaninfo has %d profiles; must have one", len(list))
	}
	env, _ := valid.ParseEnv("vulkan1.3")
	d := list[0].Device
	d.AllOthers = true
	for _, name := range off {
		d.Features[name] = false
	}
	env.Device = d
	return env, nil
}

// without removes disabled features and extensions from the output of vulkaninfo.
func without(data []byte) ([]byte, error) {
	var all map[string]any
	numbers := json.NewDecoder(bytes.NewReader(data))
	numbers.UseNumber() // some have more than 53 bits
	if err := numbers.Decode(&all); err != nil {
		return nil, err
	}
	blocks, _ := all["capabilities"].(map[string]any)
	for _, b := range blocks {
		c, _ := b.(map[string]any)
		for name, names := range map[string][]string{"features": enabled, "extensions": extensions} {
			have, _ := c[name].(map[string]any)
			maps.DeleteFunc(have, func(name string, _ any) bool { return !slices.Contains(names, name) })
		}
	}
	return json.Marshal(all)
}

// judge returns the findings of Chiaro in a pipeline: the rules, each once, in order, and
// its messages. It reads the pipeline as Fossilize records it.
func judge(p *pipeline, env *valid.Env) (codes, messages []string, err error) {
	data, err := archive(p)
	if err != nil {
		return nil, nil, err
	}
	a, err := fossil.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, nil, err
	}
	set := fossil.NewSet(a)
	x, err := set.Pipeline(set.Pipelines()[0])
	if err != nil {
		return nil, nil, err
	}
	if len(x.Skipped) > 0 {
		return nil, nil, fmt.Errorf("the reader skips %s", strings.Join(x.Skipped, ", "))
	}
	d := x.Description
	d.Env, d.Device = env, env.Device
	add := func(code, message string) {
		codes, messages = append(codes, code), append(messages, code+": "+message)
	}
	whole := true
	for i := range x.Stages {
		s, err := shaderOf(set, &x.Stages[i], env, add)
		if err != nil {
			return nil, nil, err
		}
		if s == nil {
			whole = false
			continue
		}
		d.Stages = append(d.Stages, *s)
	}
	if whole {
		for _, f := range link.Link(d) {
			if f.Severity == diag.Error {
				add(f.Code, f.Message)
			}
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes), messages, nil
}

// shaderOf reads and checks one module; it returns nil if the module breaks a rule.
func shaderOf(set *fossil.Set, k *fossil.Stage, env *valid.Env, add func(code, message string)) (*link.Shader, error) {
	code, err := set.Code(k.Module)
	if err != nil {
		return nil, err
	}
	m, err := spirv.Decode(code)
	if err != nil {
		return nil, err
	}
	f := facts.Gather(m, k.Spec)
	report, err := valid.Check(context.Background(), f, env, valid.Options{})
	if err != nil {
		return nil, err
	}
	bad := false
	for i := range report.Findings {
		if x := &report.Findings[i]; x.Severity == diag.Error {
			bad = true
			add(x.Code, x.Message)
		}
	}
	if bad {
		return nil, nil
	}
	v := valid.Assume(f)
	for _, e := range iface.Reflect(v) {
		if n := link.StageOf(e.Model); n >= 0 && k.Stage>>n&1 != 0 && e.Name == k.Entry {
			return &link.Shader{
				Module: v, Entry: e, Flags: k.Flags, SubgroupSize: k.SubgroupSize, Robustness: k.Robustness, Specialization: k.Entries,
			}, nil
		}
	}
	add(noEntry, fmt.Sprintf("there is no entry point %q of the stage", k.Entry))
	return nil, nil
}

// noEntry is the rule that the named entry point of the stage exists. The caller that
// finds entry points checks it before package link.
const noEntry = "VUID-VkPipelineShaderStageCreateInfo-pName-00707"
