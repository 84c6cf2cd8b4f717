package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/internal/ledger"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/ptx"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

func newExplain(c console) *cobra.Command {
	return &cobra.Command{
		Use:     "explain CODE|INSTRUCTION",
		Short:   "Explain a rule or an instruction",
		Long:    "Explain a rule, with a module that violates it and a module that satisfies it; or an\ninstruction, with the source lines of its type rule and of its lowering.",
		Example: "  chiaro explain SPV-Id-Dominance\n  chiaro explain VUID-StandaloneSpirv-None-04633\n  chiaro explain OpFMod",
		Args:    cobra.ExactArgs(1),
		RunE: stoppable(func(_ context.Context, args []string) error {
			code := codeOf(args[0])
			if r, ok := valid.RuleOf(code); ok {
				explainRule(c.out, r)
				return nil
			}
			if r, ok := link.RuleOf(code); ok {
				explainLinkRule(c.out, r)
				return nil
			}
			if a, ok := link.AnswerOf(code); ok {
				explainAnswer(c.out, code, a)
				return nil
			}
			if i := slices.IndexFunc(ptx.Rules(), func(r ptx.Rule) bool { return r.Code == code }); i >= 0 {
				explainPTX(c.out, ptx.Rules()[i])
				return nil
			}
			if codes := numbered(args[0]); len(codes) > 1 {
				return unreadable("several rules have the number %s: %s", args[0], strings.Join(codes, ", "))
			}
			op, ok := spirv.OpByName(args[0])
			if !ok {
				return unreadable("no rule and no instruction %q; want a code such as SPV-Id-Dominance, or a name such as OpFMod", args[0])
			}
			explain(c.out, op)
			return nil
		}),
		ValidArgsFunction: func(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
			return append(ruleCodes(prefix), opNames(prefix)...), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func opNames(prefix string) []string {
	var names []string
	rows := spirv.Ops()
	for i := range rows {
		if n := "Op" + rows[i].Name(); strings.HasPrefix(n, prefix) {
			names = append(names, n)
		}
	}
	return names
}

// explain prints the shape of an instruction, from the grammar, and its
// places, from the ledger.
func explain(w io.Writer, op spirv.Op) {
	r := op.Row()
	plain.Fprintf(w, "%s (%d), %s instructions\n", op, uint16(op), op.Class())
	plain.Fprintf(w, "  form          %s\n", form(op, r))
	plain.Fprintf(w, "  since         %s\n", since(r))
	if caps := r.Capabilities(); len(caps) > 0 {
		plain.Fprintf(w, "  capabilities  %s\n", join(caps, " or "))
	}
	e := ledger.Of(op)
	plain.Fprintf(w, "  typed         %s\n", orElse(e.Typed, "not by the table"))
	plain.Fprintf(w, "  lowered       %s\n", orElse(e.Lowered, "not yet"))
	runs := "not yet: it is not lowered"
	if e.Lowered != "" {
		runs = "every operation it is lowered to, internal/ir/ops.go"
	}
	plain.Fprintf(w, "  interpreted   %s\n  compiled      %s\n", runs, runs)
}

// form is the instruction as assembly: %result = OpFMod <Result Type> <Operand 1>.
func form(op spirv.Op, r *spirv.Row) string {
	s := op.String()
	if op.HasResult() {
		s = "%result = " + s
	}
	for _, o := range r.Operands() {
		name := o.Name()
		if name == "" {
			name = o.Kind.String()
		}
		switch {
		case o.Kind == spirv.KindIdResult:
			continue
		case o.Quant == spirv.Optional:
			s += " [" + name + "]"
		case o.Quant == spirv.Repeated:
			s += " [" + name + "]..."
		default:
			s += " <" + name + ">"
		}
	}
	return s
}

func since(r *spirv.Row) string {
	var ways []string
	if v := r.Version(); v != 0 {
		ways = append(ways, "SPIR-V "+v.String())
	}
	ways = append(ways, r.Extensions()...)
	if len(ways) == 0 {
		return "a capability"
	}
	return strings.Join(ways, " or ")
}

func join[T fmt.Stringer](list []T, sep string) string {
	var s []string
	for _, x := range list {
		s = append(s, x.String())
	}
	return strings.Join(s, sep)
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
