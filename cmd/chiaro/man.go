package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newMan returns the hidden command that writes manual pages, for packages.
func newMan(c console) *cobra.Command {
	return &cobra.Command{
		Use:    "man DIRECTORY",
		Short:  "Write a manual page for each command",
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return unreadable("%v", err)
			}
			return writeMan(c, cmd.Root(), args[0])
		},
	}
}

// writeMan writes the pages of a command and of its subcommands.
func writeMan(c console, cmd *cobra.Command, dir string) error {
	if cmd.Hidden || cmd.Name() == "help" {
		return nil
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	if err := writeOutput(c, filepath.Join(dir, name+".1"), manPage(cmd, name)); err != nil {
		return err
	}
	for _, sub := range cmd.Commands() {
		if err := writeMan(c, sub, dir); err != nil {
			return err
		}
	}
	return nil
}

// manPage renders the page of a command in the macros of man(7).
func manPage(cmd *cobra.Command, name string) []byte {
	var b bytes.Buffer
	section := func(title, text string) {
		if text = strings.Trim(text, "\n"); text != "" {
			fmt.Fprintf(&b, ".SH %s\n.nf\n%s\n.fi\n", title, roff(text))
		}
	}
	// Left-aligned: a line of one long word cannot be stretched to the margin.
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"chiaro\"\n.ad l\n.SH NAME\n%s \\- %s\n", roff(strings.ToUpper(name)), roff(name), roff(cmd.Short))
	section("SYNOPSIS", cmd.UseLine())
	section("DESCRIPTION", orElse(cmd.Long, cmd.Short))
	var related []string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden && sub.Name() != "help" {
			related = append(related, fmt.Sprintf("%s-%s(1): %s", name, sub.Name(), sub.Short))
		}
	}
	if cmd.HasAvailableLocalFlags() {
		b.WriteString(".SH OPTIONS\n")
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			kind, usage := pflag.UnquoteUsage(f)
			head := "--" + f.Name
			if f.Shorthand != "" {
				head = "-" + f.Shorthand + ", " + head
			}
			head = `\fB` + roff(head) + `\fR`
			if kind != "" {
				head += " " + roff(kind)
			}
			fmt.Fprintf(&b, ".TP\n%s\n%s\n", head, roff(usage))
		})
	}
	section("EXAMPLES", cmd.Example)
	section("EXIT STATUS", strings.TrimPrefix(exitCodesHelp, "\nExit codes:\n"))
	if cmd.HasParent() {
		related = append(related, strings.ReplaceAll(cmd.Parent().CommandPath(), " ", "-")+"(1)")
	}
	section("SEE ALSO", strings.Join(related, "\n"))
	return b.Bytes()
}

// roff escapes text. A line may not begin with a period or a quote. Formatters agree on ASCII alone.
func roff(text string) string {
	var ascii strings.Builder
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			ascii.WriteRune(r)
		case r == '…': // which terminals without Unicode have no form of
			ascii.WriteString("...")
		default:
			fmt.Fprintf(&ascii, "\x00[u%04X]", r)
		}
	}
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\x00", `\`).Replace(ascii.String())
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
