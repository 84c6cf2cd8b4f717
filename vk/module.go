package vk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// ShaderModule is the code of shaders.
type ShaderModule struct {
	object
	module     *spirv.Module
	identifier [32]byte
}

// NewShaderModule makes a module of SPIR-V. With checking it returns an *InvalidModuleError if the module breaks a rule
// for the values that specialization constants have by default.
func (d *Device) NewShaderModule(ctx context.Context, code []byte) (_ *ShaderModule, err error) {
	defer recovered(&err)
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	var judge *shader.Judge
	if d.checking > None {
		judge = &shader.Judge{Env: d.env}
	}
	return d.newModule(ctx, code, judge)
}

// newModule makes a module. A nil judge assumes that it is valid.
func (d *Device) newModule(ctx context.Context, code []byte, judge *shader.Judge) (*ShaderModule, error) {
	m, err := spirv.Decode(code)
	if err != nil {
		return nil, err
	}
	if judge != nil {
		if _, err := specialize(ctx, judge, m, nil); err != nil {
			return nil, err
		}
	}
	s := &ShaderModule{module: m, identifier: sha256.Sum256(code)}
	d.adopt(&s.object, "shader module", nil)
	return s, nil
}

// ModuleIdentifierUUID is the identity of the algorithm of identifiers (shaderModuleIdentifierAlgorithmUUID). It changes
// with the algorithm, which is SHA-256 of the code.
var ModuleIdentifierUUID = [16]byte{'c', 'h', 'i', 'a', 'r', 'o', ' ', 's', 'h', 'a', '2', '5', '6', ' ', '0', '1'}

// ModuleIdentifier returns the identifier of a module with the code (vkGetShaderModuleCreateInfoIdentifierEXT).
func (d *Device) ModuleIdentifier(code []byte) ([]byte, error) {
	if err := d.hosts("shaderModuleIdentifier", vuid.VkGetShaderModuleCreateInfoIdentifierEXT_shaderModuleIdentifier_06885); err != nil {
		return nil, err
	}
	id := sha256.Sum256(code)
	return id[:], nil
}

// Identifier returns the identifier of the module (vkGetShaderModuleIdentifierEXT): equal code has equal identifiers on
// all machines.
func (s *ShaderModule) Identifier() ([]byte, error) {
	if err := check(nil, "the module", s); err != nil {
		return nil, err
	}
	if err := s.dev.needs("shaderModuleIdentifier", vuid.VkGetShaderModuleIdentifierEXT_shaderModuleIdentifier_06884); err != nil {
		return nil, err
	}
	return bytes.Clone(s.identifier[:]), nil
}

// specialize returns the module with the values of its specialization constants, checked if the device checks.
func (d *Device) specialize(ctx context.Context, s *ShaderModule, spec facts.Spec) (*valid.Module, error) {
	var judge *shader.Judge
	if d.checking > None {
		judge = &shader.Judge{Env: d.env}
	}
	return specialize(ctx, judge, s.module, spec)
}

func specialize(ctx context.Context, judge *shader.Judge, code *spirv.Module, spec facts.Spec) (*valid.Module, error) {
	m, err := judge.Specialize(ctx, code, spec)
	var invalid *shader.InvalidError
	if errors.As(err, &invalid) {
		return nil, &InvalidModuleError{Findings: invalid.Report.Findings}
	}
	return m, err
}
