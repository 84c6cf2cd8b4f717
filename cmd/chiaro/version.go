package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// release is the version of a release, which the linker sets; "" in other builds.
var release string

// version returns the version that the build recorded: the module's version, or the
// commit.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return versionOf(info)
}

// versionOf returns the version that a build recorded.
func versionOf(info *debug.BuildInfo) string {
	v := info.Main.Version
	if v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "devel " + s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}

func newVersion(c console) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and the targets",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintf(c.out, "chiaro %s %s %s/%s\ntargets:", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			for _, t := range asm.Targets() {
				fmt.Fprintf(c.out, " %s", t)
			}
			fmt.Fprintln(c.out)
			return nil
		},
	}
}
