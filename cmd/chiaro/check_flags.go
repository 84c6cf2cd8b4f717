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
	fl.BoolVar(&e.Layout.Relaxed, "relax-block-layout", false, "take relaxed layouts of blocks (VK_KHR_relaxed_block_layout)")
	fl.BoolVar(&e.Layout.UniformStandard, "uniform-buffer-standard-layout", false, "take the standard layout in uniform buffers")
	fl.BoolVar(&e.Layout.Scalar, "scalar-block-layout", false, "take the scalar layout in blocks")
	fl.BoolVar(&e.Layout.WorkgroupScalar, "workgroup-scalar-block-layout", false, "take the scalar layout in blocks of workgroup memory")
	fl.BoolVar(&e.Layout.Skip, "skip-block-layout", false, "of the layout of blocks, judge only that there is one")
	fl.BoolVar(&e.RelaxLogicalPointer, "relax-logical-pointer", false, "take pointers to pointers in the logical addressing model")
	fl.BoolVar(&e.RelaxStructStore, "relax-struct-store", false, "take stores of a struct of another type with the same layout")
	fl.BoolVar(&e.BeforeLegalization, "before-hlsl-legalization", false, "take what a compiler of HLSL has not legalized yet, and what --relax-logical-pointer takes")
	fl.BoolVar(&e.AllowLocalSizeID, "allow-localsizeid", false, "take the mode LocalSizeId where Vulkan asks for maintenance4")
	fl.BoolVar(&e.AllowVulkan32BitBitwise, "allow-vulkan-32-bit-bitwise", false, "take bit instructions on other widths than 32 bits in Vulkan (maintenance9)")
	fl.BoolVar(&e.AllowTextureOffset, "allow-offset-texture-operand", false, "take the image operand Offset where Vulkan asks for maintenance8")
	fl.Bool("use-friendly-names", true, "messages always have names; taken for the sake of scripts")
	fl.Var(limitFlag{&l.StructMembers}, "max-struct-members", "members that a struct may have")
	fl.Var(limitFlag{&l.StructDepth}, "max-struct-depth", "how deep structs may nest")
	fl.Var(limitFlag{&l.LocalVariables}, "max-local-variables", "variables that a function may have")
	fl.Var(limitFlag{&l.GlobalVariables}, "max-global-variables", "variables that a module may have")
	fl.Var(limitFlag{&l.SwitchBranches}, "max-switch-branches", "cases that an OpSwitch may have")
	fl.Var(limitFlag{&l.FunctionArgs}, "max-function-args", "parameters that a function may have")
	fl.Var(limitFlag{&l.ControlFlowDepth}, "max-control-flow-nesting-depth", "how deep constructs of control flow may nest")
	fl.Var(limitFlag{&l.AccessChainIndexes}, "max-access-chain-indexes", "indexes that an access chain may have")
	fl.Var(limitFlag{&l.IDBound}, "max-id-bound", "the bound that ids may have")
	for _, p := range []struct {
		name string
		at   *valid.DescriptorSize
		what string
	}{
		{"image-descriptor-layout", &e.ImageDescriptor, "an image"},
		{"sampler-descriptor-layout", &e.SamplerDescriptor, "a sampler"},
		{"buffer-descriptor-layout", &e.BufferDescriptor, "a buffer"},
	} {
		fl.Var(descriptorFlag{p.at}, p.name, "SIZE:ALIGNMENT in bytes of the descriptor of "+p.what)
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
