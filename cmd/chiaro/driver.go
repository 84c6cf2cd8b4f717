package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/internal/plain"
)

func newDriver(c console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "driver",
		Short: "Install the Vulkan driver, and run programs with it",
		Long: `The driver is a library, libvulkan_chiaro.so, which the Vulkan loader finds by a manifest, chiaro_icd.json. The
commands read and write manifests; they do not load the library. docs/driver.md has the variables that the driver reads.`,
	}
	cmd.AddCommand(newDriverInstall(c), newDriverStatus(c), newDriverEnv(c), newDriverRun(c))
	return cmd
}

func newDriverInstall(c console) *cobra.Command {
	var system bool
	cmd := &cobra.Command{
		Use: "install [LIBRARY]", Short: "Write the manifest of the driver for the user or the system", Args: cobra.MaximumNArgs(1),
		Long: `Write chiaro_icd.json, which points to LIBRARY or to the libvulkan_chiaro.so in the folder of this program, in
../lib or in a folder of ../lib. The folder of the user is $XDG_DATA_HOME/vulkan/icd.d, or ~/.local/share/vulkan/icd.d.`,
		Example: "  chiaro driver install\n  sudo chiaro driver install --system /usr/local/lib/libvulkan_chiaro.so",
		RunE: func(_ *cobra.Command, args []string) error {
			return installDriver(c, strings.Join(args, ""), system)
		},
	}
	cmd.Flags().BoolVar(&system, "system", false, "install for all users: "+systemManifests)
	return cmd
}

func installDriver(c console, given string, system bool) error {
	if runtime.GOOS != "linux" {
		return unreadable("the driver needs linux; this is %s", runtime.GOOS)
	}
	library, err := findLibrary(given)
	if err != nil {
		return err
	}
	dir := userManifests()
	if system {
		dir = systemManifests
	}
	if dir == "" {
		return unreadable("neither HOME nor XDG_DATA_HOME is set; must be, or use --system")
	}
	text, err := newManifest(library)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return unreadable("%v", err)
	}
	name := filepath.Join(dir, driverManifest)
	if err := writeOutput(c, name, text); err != nil {
		return err
	}
	if err := os.Chmod(name, 0o644); err != nil { // the loader of every user reads it
		return unreadable("%v", err)
	}
	plain.Fprintf(c.out, "%s: %s\n", name, library)
	return nil
}

func newDriverStatus(c console) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show the manifests of the driver that the Vulkan loader finds", Args: cobra.NoArgs,
		Long: `List the manifests of the driver in the folders and variables of the Vulkan loader, each with its library, the version of
the library and the reason why the loader would not use it. The exit code is 1 if the loader would use none.`,
		RunE: func(*cobra.Command, []string) error { return driverStatus(c) },
	}
}

// driverStatus lists the manifests that the loader reads, then the installed ones that it does not.
func driverStatus(c console) error {
	found, variable := loaderManifests()
	usable := false
	places := append(slices.Clone(found), userManifests(), systemManifests)
	for _, name := range manifestFiles(places) {
		m, library, err := readManifest(name)
		if !ofChiaro(name, library) {
			continue
		}
		isFound := slices.Contains(found, name)
		problem := manifestProblem(name, library, err)
		if problem == "" && !isFound {
			problem = "the loader does not read it"
			if variable != "" {
				problem += ", because " + variable + " is set"
			}
		}
		plain.Fprintf(c.out, "%s\n  library  %s\n  version  %s, Vulkan %s\n", name, orElse(library, "none"), libraryVersion(library), orElse(m.ICD.Vulkan, "unknown"))
		if problem == "" {
			usable = true
			problem = "the loader finds it"
		}
		plain.Fprintf(c.out, "  status   %s\n", problem)
	}
	if usable {
		return nil
	}
	return &coded{exitFindings, "the Vulkan loader does not find the driver: use chiaro driver install, or chiaro driver run"}
}

// manifestProblem is the reason why the loader does not use a manifest; "" if there is none.
func manifestProblem(name, library string, err error) string {
	if err != nil {
		return "the manifest is malformed: " + err.Error()
	}
	if v := disabledBy(name); v != "" {
		return v + " disables it"
	}
	return libraryProblem(library)
}

func newDriverEnv(c console) *cobra.Command {
	var format, library string
	cmd := &cobra.Command{
		Use: "env", Short: "Print the variables that select the driver, for a shell or CI", Args: cobra.NoArgs,
		Long: `Print VK_DRIVER_FILES, and VK_ICD_FILENAMES for older loaders. The manifest is installed for the user if it is not
installed. CHIARO_CONFORMANCE lets programs on wgpu use the driver, which hide devices that announce no version of the
conformance tests; a version that is set already stays.`,
		Example: "  eval \"$(chiaro driver env)\"\n  chiaro driver env --format plain >>\"$GITHUB_ENV\"",
		RunE: func(*cobra.Command, []string) error {
			if format != "shell" && format != "plain" {
				return unreadable("--format %q: must be shell or plain", format)
			}
			name, err := installedManifest(c, library)
			if err != nil {
				return err
			}
			version := announcedConformance()
			if format == "shell" {
				name, version = shellQuoted(name), shellQuoted(version)
			} else if strings.ContainsAny(name+version, "\r\n") {
				return unreadable("the name of the manifest or CHIARO_CONFORMANCE has a line break, which --format plain cannot have")
			}
			for _, line := range []string{"VK_DRIVER_FILES=" + name, "VK_ICD_FILENAMES=" + name, "CHIARO_CONFORMANCE=" + version} {
				line += "\n"
				if format == "shell" {
					line = "export " + line
				}
				if _, err := io.WriteString(c.out, line); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "shell", "format: shell (export NAME='value'), plain (NAME=value)")
	cmd.Flags().StringVar(&library, "library", "", "library of the driver, if no manifest is installed")
	complete(cmd, "format", "shell", "plain")
	return cmd
}

// shellQuoted returns a word of a POSIX shell with a text as its value.
func shellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// announcedConformance is the version of the conformance tests for a program whose user has chosen the driver: wgpu hides devices without
// one. If CHIARO_CONFORMANCE is not set, its numbers are those of Vulkan, because no version of the tests has certified the driver.
func announcedConformance() string { return cmp.Or(os.Getenv("CHIARO_CONFORMANCE"), "1.4.0.0") }

// installedManifest returns the manifest of the user or of the system with a library that the loader can use; else it
// installs one.
func installedManifest(c console, library string) (string, error) {
	if library == "" {
		for _, dir := range []string{userManifests(), systemManifests, packageManifests} {
			name := filepath.Join(dir, driverManifest)
			if _, library, err := readManifest(name); err == nil && libraryProblem(library) == "" {
				return name, nil
			}
		}
	}
	c.out = io.Discard
	if err := installDriver(c, library, false); err != nil {
		return "", err
	}
	return filepath.Join(userManifests(), driverManifest), nil
}

// driverRun are the flags of driver run.
type driverRun struct {
	check, report, present, library string
	sanitize                        string
}

func newDriverRun(c console) *cobra.Command {
	var f driverRun
	cmd := &cobra.Command{
		Use: "run PROGRAM [ARGS]...", Short: "Run a program with the driver", Args: cobra.MinimumNArgs(1),
		Long: `Run a program. Its Vulkan loader finds this driver alone. The exit code is the exit code of the program, or 128 and the
number of the signal that ended it. Without --library, the library is the library of the installed manifest, or is near this
program as for chiaro driver install.`,
		Example: "  chiaro driver run vulkaninfo --summary\n  chiaro driver run --check all --report reports ./my-test",
		RunE: func(_ *cobra.Command, args []string) error {
			ctx, stop := interruptible()
			defer stop()
			return f.run(ctx, args)
		},
	}
	fl := cmd.Flags()
	fl.SetInterspersed(false) // flags after PROGRAM are the program's
	fl.StringVar(&f.check, "check", "", "checks beyond safety, with findings on standard error: none, pipelines, all (default: by CHIARO_CHECK, else none)")
	addSanitize(cmd, &f.sanitize, "report faults in the execution of shaders, by messages and on standard error if checks are on")
	fl.StringVar(&f.report, "report", "", "folder for reports of lost devices and internal errors")
	fl.StringVar(&f.present, "present", "", "folder for the frames of headless surfaces, as PNG files")
	fl.StringVar(&f.library, "library", "", "library of the driver")
	complete(cmd, "check", "none", "pipelines", "all")
	return cmd
}

// run runs a program. After a signal it waits for the end of the program, so that no program is left without its manifest.
func (f *driverRun) run(ctx context.Context, args []string) error {
	if !slices.Contains([]string{"", "none", "pipelines", "all"}, f.check) {
		return unreadable("--check %q: must be none, pipelines or all", f.check)
	}
	dir, err := os.MkdirTemp("", "chiaro-driver-*")
	if err != nil {
		return unreadable("%v", err)
	}
	defer os.RemoveAll(dir)
	env, err := f.environment(dir)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return &coded{exitInterrupt, ""}
	case errors.As(err, &exit):
		return &coded{exitOf(exit.ProcessState), ""}
	}
	return unreadable("%s: %v", args[0], errors.Unwrap(err))
}

// environment is the environment of a program with the driver. dir is a folder for its manifest.
func (f *driverRun) environment(dir string) ([]string, error) {
	library := f.library
	for _, m := range []string{userManifests(), systemManifests} {
		if _, l, err := readManifest(filepath.Join(m, driverManifest)); library == "" && err == nil && filepath.IsAbs(l) && libraryProblem(l) == "" {
			library = l
		}
	}
	library, err := findLibrary(library)
	if err != nil {
		return nil, err
	}
	text, err := newManifest(library)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, driverManifest)
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return nil, unreadable("%v", err)
	}
	set := []string{"VK_DRIVER_FILES=" + name, "VK_ICD_FILENAMES=" + name, "CHIARO_CONFORMANCE=" + announcedConformance()}
	if f.check != "" {
		set = append(set, "CHIARO_CHECK="+f.check)
	}
	if f.sanitize != "" {
		s, err := parseSanitize(f.sanitize)
		if err != nil {
			return nil, err
		}
		set = append(set, "CHIARO_SANITIZE="+s.String())
	}
	for _, v := range []struct{ name, folder string }{{"CHIARO_REPORT", f.report}, {"CHIARO_PRESENT", f.present}} {
		if v.folder == "" {
			continue
		}
		folder, err := filepath.Abs(v.folder)
		if err == nil {
			err = os.MkdirAll(folder, 0o777)
		}
		if err != nil {
			return nil, unreadable("%v", err)
		}
		set = append(set, v.name+"="+folder)
	}
	selects := []string{"VK_ADD_DRIVER_FILES=", "VK_LOADER_DRIVERS_SELECT=", "VK_LOADER_DRIVERS_DISABLE="}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return slices.ContainsFunc(selects, func(s string) bool { return strings.HasPrefix(v, s) })
	})
	return append(env, set...), nil
}
