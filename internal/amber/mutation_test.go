package amber

import (
	"context"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// hostileWords take the places of words of a script.
var hostileWords = []string{"0", "1", "2", "3", "4", "7", "8", "16", "-1", "4294967295", "2147483648", "1073741824", "65536", "1e30", "nan", "0.5", "unused", "NULL", "END", "p"}

// statements returns the numbers of the lines of a script that are no comments and no shaders.
func statements(lines []string) (list []int) {
	shader := false
	for i, l := range lines {
		shader = shader || strings.HasPrefix(l, "SHADER") && !strings.Contains(l, "PASSTHROUGH")
		if !shader && i > 0 && strings.TrimSpace(l) != "" && !strings.HasPrefix(l, "#") {
			list = append(list, i)
		}
		shader = shader && l != "END"
	}
	return list
}

// mutate removes, repeats and exchanges statements, and replaces their words.
func mutate(text string, r *rand.Rand) string {
	lines := strings.Split(text, "\n")
	list := statements(lines)
	any := func() int { return list[r.Intn(len(list))] }
	for range 1 + r.Intn(3) {
		i, w := any(), []string(nil)
		switch r.Intn(6) {
		case 0:
			lines[i] = ""
		case 1:
			lines[i] += "\n" + lines[i]
		case 2:
			k := any()
			lines[i], lines[k] = lines[k], lines[i]
		default:
			if w = strings.Fields(lines[i]); len(w) > 0 {
				w[r.Intn(len(w))] = hostileWords[r.Intn(len(hostileWords))]
				lines[i] = strings.Join(w, " ")
			}
		}
	}
	return strings.Join(lines, "\n")
}

// TestMutations runs scripts of testdata with changed statements: each is described, ends soon, and has a message with
// a position if it is faulty.
func TestMutations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.amber")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	slices.Sort(files)
	r := rand.New(rand.NewSource(1))
	engines := bothEngines()
	for n := range 1500 {
		original, err := os.ReadFile(files[n%len(files)])
		if err != nil {
			t.Fatal(err)
		}
		text := mutate(string(original), r)
		s, err := Parse("mutated.amber", []byte(text), nil)
		if err != nil {
			if !strings.Contains(err.Error(), "mutated.amber:") {
				t.Errorf("mutation %d of %s: %v; must have a position", n, files[n%len(files)], err)
			}
			continue
		}
		if _, err := Describe(context.Background(), s, Options{}); err != nil && !strings.Contains(err.Error(), "mutated.amber:") {
			t.Errorf("mutation %d of %s: %v; must have a position", n, files[n%len(files)], err)
		}
		began := time.Now()
		res := Run(context.Background(), s, Options{Engine: engines[n%len(engines)], Timeout: 200 * time.Millisecond, Workers: 1 + n%2})
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("mutation %d of %s takes %v", n, files[n%len(files)], took)
		}
		if res.Status == Failed && !strings.Contains(res.Message, "mutated.amber:") {
			t.Errorf("mutation %d of %s: %s; must have a position", n, files[n%len(files)], res.Message)
		}
	}
}
