package main

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

func newAsm(c console) *cobra.Command {
	var out, env string
	var opts asm.AssembleOptions
	cmd := &cobra.Command{
		Use:   "asm [FILE]",
		Short: "Assemble SPIR-V text into a module",
		Long:  "Assemble the text of a file, or of standard input, into a binary module. A text with errors writes nothing.",
		Args:  cobra.MaximumNArgs(1),
		RunE: stoppable(func(_ context.Context, args []string) error {
			if env != "" {
				v, ok := asm.Target(env)
				if !ok {
					return unreadable("unknown target environment %q; want one of %s", env, strings.Join(asm.Targets(), " "))
				}
				opts.Version = v
			}
			name := input(args)
			text, err := readUnpacked(c, name)
			if err != nil {
				return err
			}
			words, err := asm.Assemble(text, opts)
			if err != nil {
				return reported(c, name, err)
			}
			return writeOutput(c, out, asm.Bytes(words))
		}),
	}
	f := cmd.Flags()
	f.StringVarP(&out, "output", "o", "out.spv", "file to write, - for standard output")
	f.StringVar(&env, "target-env", "", "target environment, which selects the SPIR-V version, such as vulkan1.3 or spv1.6")
	f.BoolVar(&opts.PreserveNumericIDs, "preserve-numeric-ids", false, "keep the numbers of ids such as %42")
	complete(cmd, "target-env", asm.Targets()...)
	return cmd
}

// writeKernels writes the text of kernels, or reports the error that prevented it.
func writeKernels(c console, name, out string, text []byte, err error) error {
	if err != nil {
		return disError(c, name, err)
	}
	return writeOutput(c, out, []byte(plain.Block(string(text), "")))
}

// newDis makes the command dis.
func newDis(c console) *cobra.Command {
	var out, stage, machine string
	var unknown, outside bool
	var images standIn
	var color *bool // the last of --color and --no-color; nil without either
	var opts asm.DisassembleOptions
	cmd := &cobra.Command{
		Use:   "dis [FILE]",
		Short: "Disassemble a module into SPIR-V text",
		Long:  "Disassemble a binary module, or standard input, into text that asm accepts. A malformed module writes nothing. Of PTX (*.ptx), show the module, or its kernels with --ir and --asm; of a launch (*.launch.yaml), its module, or its kernel.\n\n" + sourceUsage,
		Args:  cobra.MaximumNArgs(1),
		RunE: stoppable(func(ctx context.Context, args []string) error {
			name := input(args)
			if isLaunch(name) {
				text, err := launchText(c, name, stage, machine)
				return writeKernels(c, name, out, text, err)
			}
			data, err := readUnpacked(c, name)
			if err == nil && isPTX(name) {
				text, err := ptxText(data, stage, machine, nil)
				return writeKernels(c, name, out, text, placedIn(name, err))
			}
			if err == nil && isSource(name) && !isBinary(data) {
				data, err = compileSource(ctx, name, data, "vulkan1.3", outside)
			}
			if err == nil && machine+stage != "" {
				data, err = assembled(c, name, data, "vulkan1.3")
			}
			if err != nil {
				return err
			}
			m, err := spirv.DecodeWith(data, spirv.Options{AllowUnknown: unknown, AnyBound: machine+stage == ""})
			if err != nil {
				return reported(c, name, err)
			}
			if err := images.check(); err != nil {
				return err
			}
			if machine != "" {
				text, err := machineText(m, machine, &images)
				if err != nil {
					return disError(c, name, err)
				}
				return writeOutput(c, out, []byte(plain.Block(string(text), "")))
			}
			if stage != "" {
				if !slices.Contains(irStages, stage) {
					return unreadable("--ir %q; want one of %s", stage, strings.Join(irStages, " "))
				}
				text, err := programText(m, stage, &images)
				if err != nil {
					return reported(c, name, err)
				}
				return writeOutput(c, out, []byte(plain.Block(string(text), "")))
			}
			opts.Color = isStandard(out) && colorful(c.out)
			if color != nil {
				opts.Color = *color
			}
			err = writePieces(c, out, func(w io.Writer) error { return asm.Print(w, m, opts, ctx.Err) })
			if fault := (*diag.Finding)(nil); errors.As(err, &fault) {
				return reported(c, name, fault)
			}
			return err
		}),
	}
	f := cmd.Flags()
	f.StringVarP(&out, "output", "o", "-", "file to write, - for standard output")
	outsideFlag(f, &outside)
	f.BoolVar(&opts.RawIDs, "raw-id", false, "show ids as numbers instead of friendly names")
	f.BoolVar(&opts.NoHeader, "no-header", false, "omit the header comment")
	f.BoolVar(&opts.NoIndent, "no-indent", false, "do not align the equal signs")
	f.BoolVar(&opts.NestedIndent, "nested-indent", false, "indent blocks by their depth in the structured control flow")
	f.BoolVar(&opts.Reorder, "reorder-blocks", false, "order blocks by the structured control flow")
	f.BoolVar(&opts.Offsets, "offsets", false, "show the offset in bytes of each instruction")
	f.BoolVar(&opts.Comment, "comment", false, "add comments that make the text easier to read")
	last := func(on bool) func(string) error {
		return func(string) error { color = &on; return nil }
	}
	f.BoolFunc("color", "colour the text, on files too; overrides a --no-color before it", last(true))
	f.BoolFunc("no-color", "do not colour the text; overrides a --color before it", last(false))
	f.BoolVar(&unknown, "handle-unknown-opcodes", false, "show instructions with an unknown opcode as words")
	f.StringVar(&stage, "ir", "", "show the IR of entry points instead: lowered, final, all (after each pass), and of compute bound (with images) or vcode (vectorized)")
	f.Lookup("ir").NoOptDefVal = "final"
	complete(cmd, "ir", irStages...)
	f.StringVar(&machine, "asm", "", "show the JIT's machine code of compute entry points instead: best, avx512 or avx2")
	f.Lookup("asm").NoOptDefVal = "best"
	complete(cmd, "asm", levelNames...)
	f.StringVar(&images.texels, "texels", "R8G8B8A8_UNORM", "format of floating-point images without a format in their type, for --asm, --ir=bound and --ir=vcode")
	f.StringVar(&images.filter, "filter", "linear", "filter of all samplers, for --asm, --ir=bound and --ir=vcode: nearest, linear or trilinear")
	complete(cmd, "filter", standInFilters...)
	return cmd
}

// disError reports err as an error of the input if the input caused it.
func disError(c console, name string, err error) error {
	var usage *coded
	if errors.As(err, &usage) {
		return err
	}
	return reported(c, name, err)
}

// input returns the one file argument, standard input by default.
func input(args []string) string {
	if len(args) == 0 {
		return "-"
	}
	return args[0]
}

// reported prints a fault of the input and ends with exit code 2. An error that has an exit code stays as it is.
func reported(c console, name string, err error) error {
	if end := (*coded)(nil); errors.As(err, &end) {
		return err
	}
	plain.Fprintf(c.err, "%s\n", plain.Block(located(name, err), "    "))
	return &coded{code: exitUsage}
}

// colorful reports whether w is a terminal with colours and NO_COLOR is not set (https://no-color.org).
func colorful(w any) bool {
	return terminal(w) && os.Getenv("NO_COLOR") == "" && !dumb(os.Getenv("TERM"), runtime.GOOS)
}

func terminal(w any) bool {
	if s, ok := w.(*stream); ok {
		w = s.w
	}
	if x, ok := w.(*watchedWriter); ok {
		w = x.Writer
	}
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// complete offers fixed words for a flag.
func complete(cmd *cobra.Command, flag string, words ...string) {
	// The only error is that the flag does not exist, which every test would see.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
