package texture

import "testing"

// TestCovers compares keys of one function that dispatches, 7, and one that does not, 9. A combination has three words.
func TestCovers(t *testing.T) {
	key := func(list ...uint64) (k []uint64) {
		k = append(k, 7, uint64(len(list)), 0)
		for _, x := range list {
			k = append(k, x, 0, 1)
		}
		return append(k, 9, 1, 1, 5, 0, 1)
	}
	all := key(1, 2, 3)
	for _, c := range []struct {
		name string
		need []uint64
		want bool
	}{
		{"equal", key(1, 2, 3), true},
		{"fewer", key(3), true},
		{"none", key(), true},
		{"another", key(1, 4), false},
		{"the sampler differs", append([]uint64{7, 1, 0, 1, 0, 2}, all[len(all)-6:]...), false},
		{"one that is sure", append([]uint64{7, 1, 1, 2, 0, 1}, all[len(all)-6:]...), true},
		{"another function", append([]uint64{8, 1, 0, 1, 0, 1}, all[len(all)-6:]...), false},
		{"a sure function with another view", append(key(1)[:6:6], 9, 1, 1, 6, 0, 1), false},
		{"a sure function that dispatches", append(key(1)[:6:6], 9, 1, 0, 5, 0, 1), false},
		{"a function less", key(1)[:6], false},
	} {
		if got := Covers(all, c.need); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if n := Dispatches(all); n != 3 {
		t.Errorf("%d combinations, want 3", n)
	}
}
