package ptxlower

import (
	"context"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/printf"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// TestPrintf prints from two threads as clang compiles a call of vprintf.
func TestPrintf(t *testing.T) {
	for _, level := range []string{"O0", "O2"} {
		for _, e := range engines {
			m := parse(t, readPTX(t, "groups/hello."+level+".ptx"))
			image, err := NewImage(m)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Lower(m, image, "hello", Options{Block: [3]uint32{2, 1, 1}})
			if err != nil {
				t.Fatal(level, err)
			}
			if e.optimize {
				pass.Run(p)
			}
			prog, err := e.engine.Compile(p, exec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			log := &exec.Log{}
			if err := compute.Dispatch(context.Background(), prog, compute.Args{Groups: [3]uint32{1, 1, 1}, Push: make([]byte, p.PushBytes), Log: log}); err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, s := range log.Messages() {
				var args []printf.Arg
				for i, bits := range s.Args {
					args = append(args, printf.Arg{Bits: bits, Width: s.Of().Args[i].Bits(), Float: s.Of().Args[i].IsFloat()})
				}
				texts = append(texts, printf.Format(s.Of().Text, args))
			}
			if want := []string{"thread 0 of 0.00 10000000000\n", "thread 1 of 0.50 10000000000\n"}; !slices.Equal(texts, want) {
				t.Errorf("%s on the %s: %q; must be %q", level, e.name, texts, want)
			}
			prog.Close()
		}
	}
}
