package valid

import (
	"context"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// moduleOf assembles a module; version 0 is the newest.
func moduleOf(tb testing.TB, text string, version spirv.Version) *spirv.Module {
	tb.Helper()
	m := asmtest.Module(tb, text, version)
	return m
}

// judgeIn checks a module without gathered facts.
func judgeIn(tb testing.TB, m *spirv.Module, env *Env) *Report {
	tb.Helper()
	r, err := Check(context.Background(), facts.Gather(m, nil), env, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// judgeModule checks a module for Vulkan 1.3.
func judgeModule(tb testing.TB, m *spirv.Module) *Report {
	tb.Helper()
	env, _ := ParseEnv("vulkan1.3")
	return judgeIn(tb, m, env)
}

// checkText checks the text of a module for Vulkan 1.4.
func checkText(t *testing.T, text string, device *Device) []Finding {
	t.Helper()
	env, _ := ParseEnv("vulkan1.4")
	env.Device = device
	return judgeIn(t, moduleOf(t, text, spirv.Version14), env).Findings
}
