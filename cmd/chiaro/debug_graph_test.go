package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-dap"
)

// TestDebugNode stops in a node of an execution graph, in each of its workgroups: the two payloads of the first root have the words 0 and 1, and one and
// two workgroups. After going back over an atomic of a leaf the script has the results that it expects.
func TestDebugNode(t *testing.T) {
	path, err := filepath.Abs("../../internal/amber/testdata/graph.amber.GLCompute.2.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	const line = 91 // of OpAtomicIAdd
	c := debugScript(t, "../../internal/amber/testdata/graph.amber", `{}`, fmt.Sprintf(`{"source":{"path":%q},"breakpoints":[{"line":%d}]}`, path, line))
	for _, x := range []struct{ then, word, group string }{
		{"continue", "0", "(0, 0, 0)"}, {"continue", "1", "(0, 0, 0)"}, {"reverseContinue", "1", "(1, 0, 0)"}, {"continue", "1", "(0, 0, 0)"}, {"continue", "1", "(1, 0, 0)"},
	} {
		thread, f := c.stop()
		values := c.values(f, "Values")
		if f.Name != "leaf" || f.Line != line || values["%51"] != x.word || values["%52"] != x.group {
			t.Fatalf("a stop in %s, line %d, with the word %s and the workgroup %s; must be %s and %s", f.Name, f.Line, values["%51"], values["%52"], x.word, x.group)
		}
		c.expect(f, "Invocation", "LocalInvocationIndex", "0")
		if x == (struct{ then, word, group string }{"continue", "1", "(1, 0, 0)"}) {
			c.request("setBreakpoints", fmt.Sprintf(`{"source":{"path":%q},"breakpoints":[]}`, path))
		}
		c.request(x.then, fmt.Sprintf(`{"threadId":%d}`, thread))
	}
	if e, output := c.wait("exited"); e.(*dap.ExitedEvent).Body.ExitCode != 0 {
		t.Errorf("the script ends with the code %d; must be 0: %s", e.(*dap.ExitedEvent).Body.ExitCode, output)
	}
}
