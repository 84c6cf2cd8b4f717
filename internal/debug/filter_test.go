package debug

import (
	"slices"
	"strings"
	"testing"
)

// TestFilter: a condition stops the same threads with the filter as without it, whatever its operators and the kinds of its operands. One
// without a filter has a part that is always true and has no quick form.
func TestFilter(t *testing.T) {
	stops := func(condition string) (list []uint32) {
		b := line(19)
		b.Condition = condition
		d := start(t, 3, Config{}, b)
		for {
			select {
			case s := <-d.stops:
				list = append(list, 8*s.Thread.Group[0]+s.Thread.Local)
				if s.Text != "" {
					t.Fatalf("%s: %s", condition, s.Text)
				}
				d.Continue(false)
			case err := <-d.done:
				if err != nil {
					t.Fatal(err)
				}
				return list
			}
		}
	}
	for condition, want := range map[string]func(i uint32) bool{
		"i == 19":                           func(i uint32) bool { return i == 19 },
		"gl_GlobalInvocationID.x == 7u":     func(i uint32) bool { return i == 7 },
		"i != 3 && i < 5":                   func(i uint32) bool { return i != 3 && i < 5 },
		"i < 2 || i >= 22":                  func(i uint32) bool { return i < 2 || i >= 22 },
		"!(i > 1)":                          func(i uint32) bool { return i <= 1 },
		"3 == i || 4.0 == i":                func(i uint32) bool { return i == 3 || i == 4 },
		"i % 4 == 1 && !(i == 5 || i == 9)": func(i uint32) bool { return i%4 == 1 && i != 5 && i != 9 },
		"i & 16":                            func(i uint32) bool { return i&16 != 0 },
		"data[i] == 6":                      func(i uint32) bool { return i == 6 },
		"v.x > 8.5 && v.y == 2.0":           func(i uint32) bool { return i >= 9 },
		"i - 1 > 100":                       func(i uint32) bool { return i == 0 },
		"data[i % 24u] == 6":                func(i uint32) bool { return i == 6 },
		"v[0] > 8.5":                        func(i uint32) bool { return i >= 9 },
		"(i < 3 ? 1 : 2.5) > 2":             func(i uint32) bool { return i >= 3 },
		"(i < 3 ? i : 2u) == 1":             func(i uint32) bool { return i == 1 },
		"min(i, 5) == i":                    func(i uint32) bool { return i <= 5 },
		"clamp(float(i), 3.5, 7) == 3.5":    func(i uint32) bool { return i <= 3 },
		"int(v.x) == 4 && sqrt(v.x) == 2":   func(i uint32) bool { return i == 4 },
		"bitCount(i) == 3":                  func(i uint32) bool { return i == 7 || i == 11 || i == 13 || i == 14 || i == 19 || i == 21 || i == 22 },
	} {
		var list []uint32
		for i := range uint32(24) {
			if want(i) {
				list = append(list, i)
			}
		}
		for _, text := range []string{condition, "(" + condition + ") && any(bvec2(true))"} {
			if got := stops(text); !slices.Equal(got, list) {
				t.Errorf("%s stops the threads %v; must stop %v", text, got, list)
			}
		}
	}
}

// TestFilterError: a condition without a value stops, although an operand after it is false.
func TestFilterError(t *testing.T) {
	b := line(18)
	b.Condition = "4 / (i - 3u) == 1 && i > 100"
	d := start(t, 1, Config{}, b)
	if s := d.at(AtBreakpoint, 3, 18); !strings.Contains(s.Text, "division") {
		t.Errorf("the text is %q; must tell of the division", s.Text)
	}
	d.finish(1)
}

// TestFilterEdit: the controller changes a value at a stop; the threads after it have the new one.
func TestFilterEdit(t *testing.T) {
	b := line(18)
	b.Condition = "data[0] < 2 && i % 2 == 0"
	d := start(t, 1, Config{}, b)
	d.at(AtBreakpoint, 0, 18)
	d.Continue(false)
	s := d.at(AtBreakpoint, 2, 18)
	if _, err := d.Assign(d.Frames(s.Thread)[0], "data[0]", "5"); err != nil {
		t.Fatal(err)
	}
	d.SetBreakpoints([]*Breakpoint{b})
	d.Continue(false)
	if err := <-d.done; err != nil {
		t.Fatal(err)
	}
}
