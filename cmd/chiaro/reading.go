package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/valid"
)

// readingFlag reads a reading.
type readingFlag struct{ at *facts.Reading }

func (r readingFlag) String() string {
	if r.at == nil {
		return ""
	}
	return r.at.String()
}

func (r readingFlag) Type() string { return "VERSION" }

func (r readingFlag) Set(s string) error {
	x, ok := facts.ParseReading(s)
	if !ok || s == "" {
		return fmt.Errorf("must be %s", strings.Join(facts.Readings, ", "))
	}
	*r.at = x
	return nil
}

// addReading adds --reading.
func addReading(cmd *cobra.Command, at *facts.Reading) {
	cmd.Flags().Var(readingFlag{at}, "reading", "version of Vulkan's wording: "+strings.Join(facts.Readings, ", ")+" (default: by --target-env, see docs/versions.md)")
	complete(cmd, "reading", facts.Readings...)
}

// read returns the judge for a pipeline with a description that selects a reading. The flag
// has priority.
func (j *judge) read(r facts.Reading) *judge {
	if r == facts.ReadingDefault || j.env.Reading != facts.ReadingDefault {
		return j
	}
	with := func(e *valid.Env) *valid.Env {
		x := *e
		x.Reading = r
		return &x
	}
	k := *j
	k.env, k.f.envs = with(j.env), nil
	for _, e := range j.f.envs {
		k.f.envs = append(k.f.envs, with(e))
	}
	return &k
}
