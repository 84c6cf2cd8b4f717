package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/tools/client"
)

//go:embed client/client.cpp
var source []byte

// layers is the manifest of the validation layers in Debian.
const layers = "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"

// build compiles the client into dir and returns its path. Its error names the missing
// packages.
func build(dir, icd string) (string, error) {
	if _, err := exec.LookPath("vulkaninfo"); err != nil {
		return "", errors.New("missing: vulkaninfo (Debian: vulkan-tools)")
	}
	if _, err := os.Stat(layers); err != nil {
		return "", errors.New("missing: the validation layers (Debian: vulkan-validationlayers)")
	}
	if err := client.Driver(icd); err != nil {
		return "", err
	}
	return client.Program{
		Source: source, Name: "client.cpp", Compiler: []string{"g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Wno-missing-field-initializers"},
		Libs: []string{"-lvulkan"}, Needs: "libvulkan (Debian: libvulkan-dev)",
	}.Build(dir)
}

// patience is how long the peer may take for one pipeline.
const patience = 5 * time.Second

// maxAnswer bounds the answer of the peer: the identifiers of a pipeline, and the bytes of
// one.
const maxAnswer = 1 << 16

// peer is a process of the client. After an error it is of no use any more.
type peer struct {
	*client.Process
	device string
}

// start starts the client; off are features that are not enabled, loud shows the messages
// of the layers.
func start(path, icd string, off []string, loud bool) (*peer, error) {
	env := client.Environment(icd)
	var to io.Writer
	if loud {
		env, to = append(env, "VVL_LOUD=1"), os.Stderr
	}
	process, err := client.Start(path, off, env, to)
	if err != nil {
		return nil, err
	}
	p := &peer{Process: process}
	if p.device, err = p.Text(maxAnswer); err != nil {
		p.Stop()
		return nil, fmt.Errorf("the client found no device with the validation layers: %w", err)
	}
	return p, nil
}

// judge returns the findings of the layers in a pipeline, each rule once, in order.
func (p *peer) judge(x *pipeline) ([]string, error) {
	answered := p.Patience(patience)
	defer answered()
	if err := p.Ask(encode(x)); err != nil {
		return nil, err
	}
	n, err := p.Count(maxAnswer)
	if err != nil {
		return nil, err
	}
	var found []string
	for range n {
		s, err := p.Text(maxAnswer)
		if err != nil {
			return nil, err
		}
		found = append(found, s)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}
