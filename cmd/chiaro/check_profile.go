package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// profileFlags adds the flags that describe devices.
func (f *checkFlags) profileFlags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.profiles, "profile", nil, "device profile to check against, repeatable: "+profileUsage+"; none by default")
	fl.BoolVar(&f.matrix, "matrix", false, "show modules and profiles as a table instead of the findings")
	fl.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "device" {
			name = "profile"
		}
		return pflag.NormalizedName(name)
	})
	complete(cmd, "profile", builtinProfiles()...)
}

// loadProfiles turns the named profiles into environments. Each has its profile's
// version of Vulkan, or the version of --target-env if that is older.
func (f *checkFlags) loadProfiles(c console, base *valid.Env) error {
	if f.matrix && (len(f.profiles) == 0 || f.format != "text") {
		return unreadable("--matrix needs --profile and --format text; json has the profiles of each module")
	}
	ps, err := readProfiles(c, f.profiles, base.Version)
	if err != nil {
		return err
	}
	for _, p := range ps {
		e := *base
		if v := p.Version; v != 0 && base.API == valid.Vulkan && v != base.Version && (!f.given || v < base.Version) {
			of, _ := valid.ParseEnv("vulkan" + v.String())
			e.Name, e.Version, e.SPIRV = of.Name, of.Version, of.SPIRV
		}
		if e.API == valid.Vulkan && e.Version == valid.Vulkan11 && p.Device.Extensions["VK_KHR_spirv_1_4"] {
			e.SPIRV = spirv.Version14
		}
		e.Device = p.Device
		f.envs = append(f.envs, &e)
	}
	if !f.given && len(f.envs) > 0 { // text is assembled for the oldest version, which all profiles accept
		base.SPIRV = slices.MinFunc(f.envs, func(a, b *valid.Env) int { return cmp.Compare(a.SPIRV, b.SPIRV) }).SPIRV
	}
	return nil
}

// profileNames returns the names of the profiles that are judged for.
func (f *checkFlags) profileNames() []string {
	var names []string
	for _, e := range f.envs {
		names = append(names, e.Device.Name)
	}
	return names
}

// byProfile returns the number of errors of a module per profile, or nil without
// profiles.
func (x *checked) byProfile() map[string]int {
	if len(x.profiles) == 0 {
		return nil
	}
	errors := map[string]int{}
	for _, p := range x.profiles {
		errors[p] = 0
	}
	for i := range x.findings {
		if x.findings[i].Severity != diag.Error {
			continue
		}
		for _, p := range x.findings[i].Profiles {
			errors[p]++
		}
	}
	return errors
}

// checkMatrix is a table of modules and profiles.
type checkMatrix struct {
	w        *tabwriter.Writer
	profiles []string
}

func newCheckMatrix(w io.Writer, profiles []string) *checkMatrix {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	plain.Fprintf(t, "\t%s\n", strings.Join(profiles, "\t"))
	return &checkMatrix{t, profiles}
}

func (r *checkMatrix) Record(x *checked) {
	plain.Fprintf(r.w, "%s", x.file)
	errors := x.byProfile()
	for _, p := range r.profiles {
		switch n, judged := errors[p]; {
		case !judged:
			plain.Fprintf(r.w, "\t%s", x.verdict)
		case n == 0:
			fmt.Fprint(r.w, "\tclean")
		case n == 1:
			fmt.Fprint(r.w, "\t1 error")
		default:
			fmt.Fprint(r.w, "\t"+strconv.Itoa(n)+" errors")
		}
	}
	fmt.Fprintln(r.w)
	if (x.verdict == verdictUnreadable || x.verdict == verdictInternal) && x.message != "" {
		plain.Fprintf(r.w, "%s\n", placedBlock(x.message))
	}
}

func (r *checkMatrix) Close(t checkTally) error {
	fmt.Fprintln(r.w, t)
	return r.w.Flush()
}
