package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/internal/engine"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/store"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// engineFlags select the execution engine.
type engineFlags struct {
	engine, level, cache string
}

// Limits of the code cache in memory and on disk, in bytes.
const (
	cacheMemory = 64 << 20
	cacheDisk   = 256 << 20
)

var engineNames = []string{"auto", "interp", "jit"}

var levelNames = target.LevelNames()

func (f *engineFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.engine, "engine", "auto", "execution engine: interp, jit, or auto (jit if the machine and the shader support it)")
	fl.StringVar(&f.level, "level", "best", "instruction set of the JIT: avx512, avx2, or best (the best that the machine supports)")
	fl.StringVarP(&f.cache, "cache", "c", "", "folder of the code cache; \"user\" is a folder in the user's cache folder")
	complete(cmd, "engine", engineNames...)
	complete(cmd, "level", levelNames...)
}

// choose returns the engine that the flags name.
func (f *engineFlags) choose(c console) (exec.Engine, error) {
	level, ok := target.LevelOf(f.level)
	if !ok {
		return nil, unreadable("unknown level %q; want one of %s", f.level, strings.Join(levelNames, " "))
	}
	_, unsupported := jit.Choose(level)
	if unsupported != nil && (f.engine == "jit" || level != target.Best) {
		return nil, unreadable("--engine %s --level %s: %v; --engine interp runs everywhere", f.engine, level, unsupported)
	}
	switch f.engine {
	case "interp":
		if level != target.Best {
			return nil, unreadable("--level %s with --engine interp; only the jit has levels", level)
		}
		return interp.Engine{}, nil
	case "jit":
		return f.jit(c, level), nil
	case "auto":
		if unsupported != nil {
			return interp.Engine{}, nil
		}
		return engine.Preferred{First: f.jit(c, level), Second: interp.Engine{}}, nil
	}
	return nil, unreadable("unknown engine %q; want one of %s", f.engine, strings.Join(engineNames, " "))
}

// jit returns the compiling engine with its cache. A folder that cannot be used
// costs time and nothing else.
func (f *engineFlags) jit(c console, level target.Level) jit.Engine {
	disk, err := f.folder()
	if err != nil {
		fmt.Fprintf(c.err, "chiaro: code cache disabled: %v\n", err)
	}
	return jit.Engine{Level: level, Cache: jit.NewCache(cacheMemory, disk, store.BuildID())}
}

// folder opens the folder of --cache. It returns nil if the code cache is disabled.
func (f *engineFlags) folder() (*store.Dir, error) {
	path := f.cache
	switch path {
	case "":
		return nil, nil
	case "user":
		dir, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		path = filepath.Join(dir, "chiaro")
	}
	return store.Open(path, cacheDisk)
}
