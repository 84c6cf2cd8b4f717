package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/chiaro-gpu/chiaro/valid"
)

// validatorFlags adds the flags that spirv-val has.
func (f *checkFlags) validatorFlags(fl *pflag.FlagSet) {
	e, l := &f.env, &f.opts.Limits
	fl.BoolVar(&e.Layout.Relaxed, "relax-block-layout", false, "accept relaxed block layouts (VK_KHR_relaxed_block_layout)")
	fl.BoolVar(&e.Layout.UniformStandard, "uniform-buffer-standard-layout", false, "accept the standard layout in uniform buffers")
	fl.BoolVar(&e.Layout.Scalar, "scalar-block-layout", false, "accept the scalar layout in blocks")
	fl.BoolVar(&e.Layout.WorkgroupScalar, "workgroup-scalar-block-layout", false, "accept the scalar layout in workgroup memory blocks")
	fl.BoolVar(&e.Layout.Skip, "skip-block-layout", false, "do not check block layouts, only that they exist")
	fl.BoolVar(&e.RelaxLogicalPointer, "relax-logical-pointer", false, "accept pointers to pointers in the logical addressing model")
	fl.BoolVar(&e.RelaxStructStore, "relax-struct-store", false, "accept stores of a struct of another type with the same layout")
	fl.BoolVar(&e.BeforeLegalization, "before-hlsl-legalization", false, "accept HLSL code before legalization; implies --relax-logical-pointer")
	fl.BoolVar(&e.AllowLocalSizeID, "allow-localsizeid", false, "accept the execution mode LocalSizeId without maintenance4")
	fl.BoolVar(&e.AllowVulkan32BitBitwise, "allow-vulkan-32-bit-bitwise", false, "accept bit instructions on widths other than 32 bits (maintenance9)")
	fl.BoolVar(&e.AllowTextureOffset, "allow-offset-texture-operand", false, "accept the image operand Offset without maintenance8")
	fl.Bool("use-friendly-names", true, "accepted for spirv-val compatibility; no effect")
	fl.Var(limitFlag{&l.StructMembers}, "max-struct-members", "maximum number of members of a struct")
	fl.Var(limitFlag{&l.StructDepth}, "max-struct-depth", "maximum nesting depth of structs")
	fl.Var(limitFlag{&l.LocalVariables}, "max-local-variables", "maximum number of variables of a function")
	fl.Var(limitFlag{&l.GlobalVariables}, "max-global-variables", "maximum number of variables of a module")
	fl.Var(limitFlag{&l.SwitchBranches}, "max-switch-branches", "maximum number of cases of an OpSwitch")
	fl.Var(limitFlag{&l.FunctionArgs}, "max-function-args", "maximum number of parameters of a function")
	fl.Var(limitFlag{&l.ControlFlowDepth}, "max-control-flow-nesting-depth", "maximum nesting depth of control flow constructs")
	fl.Var(limitFlag{&l.AccessChainIndexes}, "max-access-chain-indexes", "maximum number of indexes of an access chain")
	fl.Var(limitFlag{&l.IDBound}, "max-id-bound", "maximum id bound")
	for _, p := range []struct {
		name string
		at   *valid.DescriptorSize
		what string
	}{
		{"image-descriptor-layout", &e.ImageDescriptor, "an image"},
		{"sampler-descriptor-layout", &e.SamplerDescriptor, "a sampler"},
		{"buffer-descriptor-layout", &e.BufferDescriptor, "a buffer"},
	} {
		fl.Var(descriptorFlag{p.at}, p.name, "SIZE:ALIGNMENT in bytes of a descriptor of "+p.what)
	}
}

// descriptorFlag reads SIZE:ALIGNMENT.
type descriptorFlag struct{ at *valid.DescriptorSize }

func (d descriptorFlag) String() string {
	if d.at == nil || *d.at == (valid.DescriptorSize{}) {
		return ""
	}
	return fmt.Sprintf("%d:%d", d.at.Size, d.at.Align)
}

func (d descriptorFlag) Type() string { return "SIZE:ALIGNMENT" }

func (d descriptorFlag) Set(s string) error {
	size, align, ok := strings.Cut(s, ":")
	x, err := strconv.ParseUint(size, 10, 32)
	y, err2 := strconv.ParseUint(align, 10, 32)
	if !ok || err != nil || err2 != nil {
		return errors.New("want SIZE:ALIGNMENT, two numbers of bytes")
	}
	*d.at = valid.DescriptorSize{Size: uint32(x), Align: uint32(y)}
	return nil
}

// limitFlag reads a limit. A limit of 0 is one: nothing of its kind may be there.
type limitFlag struct{ at *int }

func (l limitFlag) String() string {
	switch {
	case l.at == nil || *l.at == 0:
		return ""
	case *l.at < 0:
		return "0"
	}
	return strconv.Itoa(*l.at)
}

func (l limitFlag) Type() string { return "N" }

func (l limitFlag) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return errors.New("want a number from 0 to 4294967295")
	}
	if *l.at = int(n); n == 0 {
		*l.at = -1
	}
	return nil
}
