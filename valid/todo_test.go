package valid

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var writeTodo = flag.Bool("todo", false, "write testdata/todo.txt: the rules that have no case")

// TestWriteTodo writes the list of rules without a case if the flag requests it.
func TestWriteTodo(t *testing.T) {
	if !*writeTodo {
		t.Skip("without -todo")
	}
	var text []byte
	for r := range Rules() {
		if _, err := os.Stat(filepath.Join("testdata", r.Code+".txtar")); err != nil {
			text = append(text, r.Code+"\n"...)
		}
	}
	if err := os.WriteFile("testdata/todo.txt", text, 0o666); err != nil {
		t.Fatal(err)
	}
}
