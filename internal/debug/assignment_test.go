package debug

import "testing"

// TestAssignment divides the assignments of GLSL §5.8, and no comparisons (§5.9).
func TestAssignment(t *testing.T) {
	for text, want := range map[string][2]string{
		"n = 3": {"n", "3"}, " v.x=1.0 ": {"v.x", "1.0"}, "a[i == 2 ? 0 : 1] = b <= c ? 4 : 5": {"a[i == 2 ? 0 : 1]", "b <= c ? 4 : 5"},
		"%4.member0[3] = -2": {"%4.member0[3]", "-2"},
		"n += 1":             {"n", "n + (1)"}, "n -= 1": {"n", "n - (1)"}, "n *= a + b": {"n", "n * (a + b)"}, "n /= 2": {"n", "n / (2)"},
		"n %= 2": {"n", "n % (2)"}, "n &= 2": {"n", "n & (2)"}, "n |= 2": {"n", "n | (2)"}, "n ^= 2": {"n", "n ^ (2)"},
		"n <<= 2": {"n", "n << (2)"}, "n >>= 2": {"n", "n >> (2)"},
	} {
		if variable, value, ok := Assignment(text); !ok || variable != want[0] || value != want[1] {
			t.Errorf("%q is %q with the value %q; must be %q", text, variable, value, want)
		}
	}
	for _, text := range []string{"", "n", "n == 3", "n <= 3", "n >= 3", "n != 3", "a[n = 3]", "f(n = 3)", "n == (m = 2)"} {
		if variable, value, ok := Assignment(text); ok {
			t.Errorf("%q is an assignment of %q to %q", text, value, variable)
		}
	}
}
