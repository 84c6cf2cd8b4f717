package contest

import (
	"context"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/modgen"
)

// class is the common part of the errors of one cause: their text up to a colon,
// and no number.
func class(err error) string {
	if err == nil {
		return ""
	}
	s, _, _ := strings.Cut(err.Error(), ":")
	return s
}

// Reduce returns a smaller module whose contest fails with an error of the same class, and the error of the whole one, which
// names the pass.
func (c *Contest) Reduce(ctx context.Context, err error) (*modgen.Module, error) {
	full := *c
	full.full = true
	if again := full.All(ctx); again != nil {
		err = again
	}
	return reduce(*c.Module, func(m *modgen.Module) string {
		other := full
		other.Module = m
		return class(other.All(ctx))
	}), err
}

// reduce takes lines out of the module, or makes their values null, as long as
// the class of the error stays.
func reduce(m modgen.Module, fails func(*modgen.Module) string) *modgen.Module {
	want := fails(&m)
	lines := strings.Split(strings.TrimSpace(m.Text), "\n")
	tries := 0
	try := func(i, j int, with ...string) bool {
		next := append(append(append([]string(nil), lines[:i]...), with...), lines[j:]...)
		tries++
		c := m
		c.Text = strings.Join(next, "\n") + "\n"
		if fails(&c) != want {
			return false
		}
		lines = next
		return true
	}
	for n := 32; n > 0 && tries < 6000; n /= 2 {
		for i := len(lines) - n; i >= 0; i -= n {
			if i+n > len(lines) || try(i, i+n) || n > 1 {
				continue
			}
			word := strings.Fields(lines[i])
			if len(word) > 4 && word[2] != "OpPhi" && word[2] != "OpVariable" && !strings.HasPrefix(word[2], "OpType") && !strings.HasPrefix(word[2], "OpConstant") {
				try(i, i+1, word[0]+" = OpUndef "+word[3])
			}
		}
	}
	m.Text = strings.Join(lines, "\n") + "\n"
	return &m
}
