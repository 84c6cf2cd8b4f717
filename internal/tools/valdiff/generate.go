package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// generators has for each kind a function that makes the generator of texts.
var generators = map[string]func(t *tool) func() string{
	"graphs":      func(t *tool) func() string { return (&graphs{Rand: t.changer.Rand}).generate },
	"decorations": func(t *tool) func() string { return (&decorations{soup: newSoup(t)}).generate },
	"instructions": func(t *tool) func() string {
		return (&instructions{decorations{soup: newSoup(t)}}).generate
	},
	"modes":      func(t *tool) func() string { return (&executionModes{newSoup(t)}).generate },
	"interfaces": func(t *tool) func() string { return (&interfaces{soup: newSoup(t)}).generate },
}

// assemble returns the words of a text for the environment.
func (t *tool) assemble(text string) ([]uint32, error) {
	version, _ := asm.Target(t.env)
	return asm.Assemble([]byte(text), asm.AssembleOptions{Version: version})
}

func kinds() []string { return slices.Sorted(maps.Keys(generators)) }

// generated judges generated modules.
func (t *tool) generated() error {
	kind, ok := generators[t.kind]
	if !ok {
		return fmt.Errorf("unknown kind %q", t.kind)
	}
	generate := kind(t)
	for range t.count {
		text := generate()
		words, err := t.assemble(text)
		if err != nil {
			return fmt.Errorf("%w in the module\n%s", err, text)
		}
		t.both(words)
	}
	t.report(fmt.Sprintf("%d generated modules: %s", t.judged, t.kind))
	return nil
}
