package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
)

// pipelineFlags are the pipeline's options other than its shader.
type pipelineFlags struct {
	robustness    []string
	subgroup      uint32
	full, varying bool
	contract      bool
	kill          string
	derivatives   string
	sanitize      string
}

func (f *pipelineFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.Uint32Var(&f.subgroup, "subgroup-size", 0, "subgroup size, 1 to 128; 0 for the default")
	fl.BoolVar(&f.full, "full-subgroups", false, "require full subgroups: the workgroup width must be a multiple of the subgroup size")
	fl.BoolVar(&f.varying, "varying-subgroup-size", false, "let the subgroup size vary: with --full-subgroups, the workgroup width must be a multiple of the largest size")
	fl.BoolVar(&f.contract, "fp-contract", false, "fuse a multiplication and an addition if the shader allows it")
	fl.StringVar(&f.kill, "kill", "terminate", "effect of OpKill: terminate ends the invocation, demote makes it a helper invocation")
	fl.StringVar(&f.derivatives, "derivatives", "fine", "derivatives that need not be fine: fine, or coarse (from the first row and column of the quad)")
	addSanitize(cmd, &f.sanitize, "report faults in the execution of shaders; a report is a failure")
	complete(cmd, "kill", "terminate", "demote")
	complete(cmd, "derivatives", "fine", "coarse")
	fl.StringArrayVar(&f.robustness, "robustness", nil,
		"robustness outside a descriptor's range or an image: [[STAGE.]storage=|uniform=|images=|vertexInputs=|STAGE=|SET.BINDING=]LEVEL, repeatable or a list with commas; LEVEL is "+
			strings.Join(exec.RobustnessNames(), ", "))
	complete(cmd, "robustness", exec.RobustnessNames()...)
}

// addSanitize adds --sanitize.
func addSanitize(cmd *cobra.Command, list *string, use string) {
	names := ir.SanitizerNames()
	cmd.Flags().StringVar(list, "sanitize", "", use+": a list of "+strings.Join(names, ", ")+"; or all; or faults (all but float and race), which the flag alone means")
	cmd.Flags().Lookup("sanitize").NoOptDefVal = "faults"
	complete(cmd, "sanitize", append(names, "all", "faults")...)
}

// parseSanitize reads the value of --sanitize.
func parseSanitize(list string) (ir.Sanitizers, error) {
	if list == "" {
		return 0, nil
	}
	s, bad, ok := ir.ParseSanitizers(list)
	if !ok {
		return 0, unreadable("--sanitize %s: no sanitizer %q; want a list of %s, all, faults", list, bad, strings.Join(ir.SanitizerNames(), ", "))
	}
	return s, nil
}

func (f *pipelineFlags) checkSubgroup() error {
	if n := f.subgroup; n != 0 && (n < lower.LeastSubgroup || n > lower.MaxSubgroup || n&(n-1) != 0) {
		return unreadable("--subgroup-size %d; want a power of two from %d to %d", n, lower.LeastSubgroup, lower.MaxSubgroup)
	}
	return nil
}

// lowering returns the options of lowering. It rejects values that no pipeline may
// have.
func (f *pipelineFlags) lowering() (o lower.Options, err error) {
	if err := f.checkSubgroup(); err != nil {
		return o, err
	}
	if f.subgroup != 0 && f.varying { // VUID-VkPipelineShaderStageCreateInfo-pNext-02754
		return o, unreadable("--subgroup-size with --varying-subgroup-size; want one of them")
	}
	if f.kill != "terminate" && f.kill != "demote" {
		return o, unreadable("--kill %q; want terminate or demote", f.kill)
	}
	if f.derivatives != "fine" && f.derivatives != "coarse" {
		return o, unreadable("--derivatives %q; want fine or coarse", f.derivatives)
	}
	sanitize, err := parseSanitize(f.sanitize)
	if err != nil {
		return o, err
	}
	return lower.Options{
		SubgroupSize: f.subgroup, FullSubgroups: f.full, VaryingSubgroups: f.varying, Contract: f.contract,
		KillDemotes: f.kill == "demote", CoarseDerivatives: f.derivatives == "coarse", Sanitize: sanitize,
	}, nil
}
