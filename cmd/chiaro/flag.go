package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// countFlag reads a whole number that has a least value.
type countFlag struct {
	at    *int
	least int
}

func (f countFlag) String() string {
	if f.at == nil {
		return ""
	}
	return strconv.Itoa(*f.at)
}

func (f countFlag) Type() string { return "int" }

func (f countFlag) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 32)
	if errors.Is(err, strconv.ErrRange) && n > 0 {
		return fmt.Errorf("want a whole number of at most %d", math.MaxInt32)
	}
	if err != nil || int(n) < f.least {
		return fmt.Errorf("want a whole number from %d on", f.least)
	}
	*f.at = int(n)
	return nil
}

// countVar adds a flag for a whole number that is at least least.
func countVar(fl *pflag.FlagSet, at *int, name, short string, value, least int, usage string) {
	*at = value
	fl.VarP(countFlag{at, least}, name, short, usage)
}

// jobsVar adds --jobs, by default the number of processors.
func jobsVar(fl *pflag.FlagSet, at *int, usage string) {
	countVar(fl, at, "jobs", "j", runtime.GOMAXPROCS(0), 1, usage)
}

// requireFolder returns an error if the value of a flag is no folder. The value "" is of a flag that is not given.
func requireFolder(flag, path string) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return unreadable("--%s: %v", flag, err)
	case !info.IsDir():
		return unreadable("--%s %s: want a folder", flag, path)
	}
	return nil
}

// spareInputs returns an error if a file of a flag's values FORMAT=FILE is an input.
func spareInputs(flag string, values, inputs []string) error {
	for _, v := range values {
		_, path, _ := strings.Cut(v, "=")
		out, err := os.Stat(path)
		if err != nil || !out.Mode().IsRegular() {
			continue
		}
		for _, name := range inputs {
			if in, err := os.Stat(name); err == nil && os.SameFile(in, out) {
				return unreadable("--%s %s: %s is an input; want another file", flag, v, name)
			}
		}
	}
	return nil
}
