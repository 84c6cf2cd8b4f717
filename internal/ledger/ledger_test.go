package ledger

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
)

var update = flag.Bool("update", false, "rewrite docs/ledger.txt")

// TestLedger compares docs/ledger.txt with the tables. It is a ratchet: a lowered
// instruction stays lowered.
func TestLedger(t *testing.T) {
	const file = "../../docs/ledger.txt"
	if *update {
		if err := os.WriteFile(file, []byte(Text()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(old) != Text() {
		t.Error("docs/ledger.txt is not what the tables say; see go test ./internal/ledger -update and git diff")
	}
}

// TestPlaces looks at the lines that entries name.
func TestPlaces(t *testing.T) {
	rows := spirv.Ops()
	for i := range rows {
		e := Of(spirv.Op(rows[i].Value()))
		for _, p := range []string{e.Typed, e.Lowered} {
			if p == "" {
				continue
			}
			file, line, ok := strings.Cut(p, ":")
			if !ok || line == "" || line == "0" {
				t.Errorf("%s: place %q names no line", e.Op, p)
			}
			if _, err := os.Stat("../../" + file); err != nil {
				t.Errorf("%s: %v", e.Op, err)
			}
		}
	}
}
