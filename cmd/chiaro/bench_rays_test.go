package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// benched runs chiaro bench.
func benched(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(append([]string{"bench"}, args...), console{strings.NewReader(""), &out, &err, new(lastInput), nil})
	return code, out.String(), err.String()
}

// TestBenchRays traces in a closed room: every ray hits, by ray queries and by a pipeline, with both engines.
func TestBenchRays(t *testing.T) {
	for _, engine := range []string{"interp", "auto"} {
		code, out, errs := benched("--rays", "room", "--engine", engine, "--size", "24x10", "-t", "0", "-m", "1", "-n", "1", "--format", "json")
		if code != 0 {
			t.Fatalf("%s: exit code %d: %s", engine, code, errs)
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if len(lines) != len(rayModes) {
			t.Fatalf("%d lines; want %d:\n%s", len(lines), len(rayModes), out)
		}
		for i, l := range lines {
			var r rayReport
			d := json.NewDecoder(bytes.NewReader([]byte(l)))
			d.DisallowUnknownFields()
			if err := d.Decode(&r); err != nil {
				t.Fatalf("%s: %v", l, err)
			}
			name := rayModes[i].name
			want := map[string]uint64{"blas": 49_000, "blas_fast": 49_000, "refit": 49_000, "tlas": 1}[name]
			if traces := want == 0; traces {
				want = 24 * 10
				if r.Hit != 1 {
					t.Errorf("%s, %s: %v of the rays hit; want all", engine, name, r.Hit)
				}
			}
			if r.Name != "ray_room_"+name || r.Invocations != want || r.N != 1 {
				t.Errorf("%s: %s has %d primitives or rays and %d measurements; want %d and 1", engine, r.Name, r.Invocations, r.N, want)
			}
		}
	}
}

// TestBenchRaysUsage has arguments that are no scene, no measurement, and no size.
func TestBenchRaysUsage(t *testing.T) {
	for want, args := range map[string]string{
		`no scene "frob"; want soup, terrain, instances, room`: "--rays frob",
		`no measurement "frob" of rays; want blas,`:            "--rays room frob",
		`--size "3"; want WIDTHxHEIGHT`:                        "--rays room --size 3",
		"want one of them":                                     "--rays --draw cheap",
		"want a scene, or two shaders":                         "--draw a b c",
	} {
		if code, _, errs := benched(strings.Fields(args)...); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d: %s; want %q", args, code, errs, want)
		}
	}
}
