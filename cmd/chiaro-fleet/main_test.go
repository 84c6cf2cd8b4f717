package main

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// TestMain runs the tests. A copy of the test's binary is the program of its name.
func TestMain(m *testing.M) {
	switch strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") {
	case "chiaro-fleet":
		main()
		return
	case "glslc":
		os.Exit(compile(os.Args[1:]))
	}
	code := m.Run()
	if made.dir != "" {
		os.RemoveAll(made.dir)
	}
	os.Exit(code)
}

// executable returns the name of a program's file.
func executable(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}

// copySelf copies the test's binary.
func copySelf(file string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	data, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o700)
}

// made is the folder with chiaro, a chiaro-fleet that is the test's binary, and an archive of pipelines.
var made struct {
	sync.Once
	dir string
	err error
}

// tools returns the folder of the two programs.
func tools(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: the compilation of chiaro takes seconds")
	}
	made.Do(func() {
		if made.dir, made.err = os.MkdirTemp("", "chiaro-fleet-test-*"); made.err != nil {
			return
		}
		err := copySelf(filepath.Join(made.dir, executable("chiaro-fleet")))
		for _, args := range [][]string{
			{"build", "-o", filepath.Join(made.dir, executable("chiaro")), "../chiaro"},
			{"run", "../../internal/tools/fozgen", "-o", filepath.Join(made.dir, "a.foz"), "-pipelines", "40", "-states", "8", "-modules", "6", "-broken", "7"},
		} {
			if out, failed := exec.Command("go", args...).CombinedOutput(); failed != nil {
				err = fmt.Errorf("%w: %s", failed, out)
			}
		}
		made.err = err
	})
	if made.err != nil {
		t.Fatal(made.err)
	}
	return made.dir
}

// environment returns the environment of the two programs.
func environment(t *testing.T) []string {
	t.Helper()
	return append(os.Environ(), "CHIARO_FLEET_TOOL="+filepath.Join(tools(t), executable("chiaro")), "GITHUB_ACTIONS=")
}

// submitters are the processes that chiaro started.
var submitters struct {
	sync.Mutex
	pids map[int]bool
}

// chiaro runs chiaro in a folder. It returns the exit code and both outputs.
func chiaro(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(tools(t), executable("chiaro")), args...)
	var out, log bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &log
	cmd.Env = environment(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	submitters.Lock()
	if submitters.pids == nil {
		submitters.pids = map[int]bool{}
	}
	submitters.pids[cmd.Process.Pid] = true
	submitters.Unlock()
	var end *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &end) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), log.String()
}

// corpus writes modules that violate rules and modules that satisfy them, of each nth case, and scripts.
func corpus(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	cases, err := filepath.Glob("../../valid/testdata/SPV-*.txtar")
	if err != nil || len(cases) < 40 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	for i, file := range cases {
		if i%n != 0 {
			continue
		}
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if strings.HasSuffix(f.Name, ".spvasm") {
				write(t, filepath.Join(dir, strings.TrimSuffix(filepath.Base(file), ".txtar")+"."+f.Name), f.Data)
			}
		}
	}
	for _, name := range []string{"dispatch.amber", "blend.amber"} {
		data, err := os.ReadFile(filepath.Join("../../internal/amber/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), data)
	}
	write(t, filepath.Join(dir, "no.spv"), []byte("no module"))
	data, err := os.ReadFile(filepath.Join(tools(t), "a.foz"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "a.foz"), data)
	return dir
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// reports are the formats that have no order or time of their own.
var reports = []string{"json", "junit", "sarif", "html", "github", "text"}

// TestCheckLocal checks that a check on a fleet has the exit code and the bytes of one without.
func TestCheckLocal(t *testing.T) {
	dir := corpus(t, 8)
	for _, flags := range [][]string{nil, {"--profile", "min", "--profile", "max", "--max-errors", "1", "--verbose"}} {
		var code [2]int
		for i, on := range [][]string{{"--no-cache"}, {"--on", "local"}} {
			args := append([]string{"check", "--target-env", "vulkan1.3"}, flags...)
			args = append(args, on...)
			for _, r := range reports {
				args = append(args, "--out", fmt.Sprintf("%s=../%s.%d", r, r, i))
			}
			out := filepath.Join(dir, "corpus")
			if err := os.MkdirAll(out, 0o700); err != nil {
				t.Fatal(err)
			}
			var stderr string
			code[i], _, stderr = chiaro(t, out, append(args, "..")...)
			if code[i] != 1 {
				t.Errorf("%v: exit code %d; want 1\n%s", on, code[i], stderr)
			}
		}
		for _, r := range reports {
			one, err := os.ReadFile(filepath.Join(dir, r+".0"))
			if err != nil {
				t.Fatal(err)
			}
			two, err := os.ReadFile(filepath.Join(dir, r+".1"))
			if err != nil {
				t.Fatal(err)
			}
			if len(one) == 0 || !bytes.Equal(one, two) {
				t.Errorf("%v: the reports of %s differ", flags, r)
			}
		}
	}
}

// TestRunLocal checks that a run of scripts on a fleet has the verdicts of one without.
func TestRunLocal(t *testing.T) {
	dir := corpus(t, 8)
	write(t, filepath.Join(dir, "fail.amber"), []byte("#!amber\nBUFFER a DATA_TYPE uint32 DATA 1 END\nEXPECT a IDX 0 EQ 2\n"))
	var sarif [2]string
	for i, on := range [][]string{{"--engine", "interp"}, {"--engine", "interp", "--on", "local"}} {
		code, out, log := chiaro(t, dir, append(append([]string{"run", "--format", "sarif"}, on...), ".")...)
		if sarif[i] = out; code != 1 {
			t.Errorf("%v: exit code %d; want 1\n%s", on, code, log)
		}
	}
	if sarif[0] != sarif[1] {
		t.Errorf("the logs differ:\n%s\n%s", sarif[0], sarif[1])
	}
}

// onBoth runs a command with and without a fleet. It fails the test if the exit codes or the outputs differ, or if an item stays
// in the process of the command. It returns the output.
func onBoth(t *testing.T, dir string, want int, args ...string) string {
	t.Helper()
	var out [2]string
	for i, on := range [][]string{nil, {"--on", "local"}} {
		code, text, log := chiaro(t, dir, append(slices.Clone(args), on...)...)
		if code != want {
			t.Errorf("%v %v: exit code %d; want %d\n%s%s", args, on, code, want, text, log)
		}
		if strings.Contains(log, "this process keeps") {
			t.Errorf("%v: %s", args, log)
		}
		out[i] = text
	}
	if out[0] == "" || out[0] != out[1] {
		t.Errorf("%v: the outputs differ:\n%s\n%s", args, out[0], out[1])
	}
	return out[1]
}

// unpack writes the files of the test of a command to a folder.
func unpack(t *testing.T, name string) string {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("../chiaro/testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range a.Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, path, f.Data)
	}
	return dir
}

// TestLinkLocal checks that descriptions of pipelines have the same verdict on a fleet, by link and by check.
func TestLinkLocal(t *testing.T) {
	dir := unpack(t, "link")
	for _, format := range []string{"text", "json"} {
		onBoth(t, dir, 1, "link", "--format", format, "one.pipeline.yaml", "full.pipeline.yaml", "--library")
		onBoth(t, dir, 1, "link", "--format", format, "--profile", "min", "--maintenance4", "on", "one.pipeline.yaml", "full.pipeline.yaml")
	}
	onBoth(t, dir, 1, "check", "one.pipeline.yaml", "full.pipeline.yaml")
	for _, on := range [][]string{nil, {"--on", "local"}} {
		code, out, log := chiaro(t, dir, append([]string{"link", "one.pipeline.yaml", "odd.pipeline.yaml"}, on...)...)
		if code != 2 || !strings.Contains(out, "LINKED 1  findings 2") || !strings.Contains(log, "odd.pipeline.yaml:2:3: stages.pixel") {
			t.Errorf("%v: exit code %d, %s, %s; want 2, the findings in the other one, and the place of the mistake", on, code, out, log)
		}
	}
}

// TestTestLocal checks that the tests of tables, scripts and launches have the same results on a fleet.
func TestTestLocal(t *testing.T) {
	dir := unpack(t, "tables")
	onBoth(t, dir, 0, "test", "--format", "sarif", "saxpy.test.yaml")
	onBoth(t, dir, 1, "test", "--format", "sarif", "saxpy.test.yaml", "wrong.test.yaml")
	chiaro(t, dir, "test", "--record", "fill.test.yaml") // the expected picture
	onBoth(t, dir, 0, "test", "--format", "sarif", "fill.test.yaml")
	onBoth(t, dir, 1, "test", "--format", "sarif", "brighter.test.yaml")
	launches := unpack(t, "cuda")
	onBoth(t, launches, 1, "test", "--format", "sarif", "scale.launch.yaml", "wrong.launch.yaml", "much.launch.yaml")
	write(t, filepath.Join(launches, "bad.ptx"), []byte(".version 7.0\n.target sm_70\noops\n"))
	onBoth(t, launches, 1, "check", "--format", "json", "scale.ptx", "bad.ptx")
	code, _, log := chiaro(t, dir, "test", "--on", "local", "--coverage", "lcov=c.info", "saxpy.test.yaml")
	if code != 2 || !strings.Contains(log, "a worker writes no files") {
		t.Errorf("--coverage with --on: exit code %d, %s; want 2", code, log)
	}
}

// TestFuzzLocal checks that the shaders of seeds, changed modules and differential runs have the same results on a fleet.
func TestFuzzLocal(t *testing.T) {
	dir := unpack(t, "fuzz")
	onBoth(t, dir, 0, "fuzz", "--format", "sarif", "--seeds", "5")
	onBoth(t, dir, 2, "fuzz", "--format", "sarif", "--seeds", "3", "x.spvasm", "bad.spv")
	onBoth(t, dir, 0, "run", "--format", "sarif", "--differential", "a.amber")
}

// bomb returns an archive of Fossilize with two modules that are packed: one says that it has 4 GiB when unpacked, the other one
// has 64 MiB and says that it has 100 bytes.
func bomb(t *testing.T) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(make([]byte, 64<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	out := []byte("\x81FOSSILIZEDB\x00\x00\x00\x06")
	for hash, size := range []uint32{1<<32 - 1, 100} {
		out = fmt.Appendf(out, "%024x%016x", 4, hash+1) // a shader module
		for _, word := range []uint32{uint32(packed.Len()), 2, 0, size} {
			out = binary.LittleEndian.AppendUint32(out, word)
		}
		out = append(out, packed.Bytes()...)
	}
	return out
}

// TestHostileFiles checks that files which unpack to more than they say, that are packed, or whose names have escape sequences
// have the same report on a fleet, and that no character of the report acts on a terminal.
func TestHostileFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "bomb.foz"), bomb(t))
	write(t, filepath.Join(dir, "packed.spv"), []byte("PK\x03\x04 a ZIP archive"))
	write(t, filepath.Join(dir, "a\x1b]0;title\x07\x9b\u202e.spvasm"), []byte("no module"))
	out := onBoth(t, dir, 2, "check", "--no-cache", ".")
	if !strings.Contains(out, "must be at most") || !strings.Contains(out, "has not 100 bytes when unpacked") || !strings.Contains(out, "is a ZIP archive") {
		t.Errorf("%s; want the reason of each file", out)
	}
	if strings.ContainsAny(out, "\x1b\x07\u202e") {
		t.Errorf("%q: characters that act on a terminal", out)
	}
}

// TestNoServer checks the message without a server.
func TestNoServer(t *testing.T) {
	code, _, log := chiaro(t, corpus(t, 8), "check", "--on", "nats://127.0.0.1:1", ".")
	if code != 2 || !strings.Contains(log, "no server answers") {
		t.Errorf("exit code %d, %s; want 2 and that no server answers", code, log)
	}
}

// TestReaderGone checks that the fleet of this machine removes its folder, and the one of chiaro's modules, when chiaro was killed.
func TestReaderGone(t *testing.T) {
	dir, temporary := corpus(t, 8), t.TempDir()
	sent, err := os.MkdirTemp(temporary, "chiaro-sent-")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(sent, "module"), nil)
	cmd := exec.Command(filepath.Join(tools(t), "chiaro-fleet"), "submit", "--on", "local", "--jobs", "1", "--sent", sent)
	cmd.Env = append(os.Environ(), "CHIARO_FLEET_TOOL="+filepath.Join(tools(t), "chiaro"), "TMPDIR="+temporary)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := wire.NewWriter(in)
	for i, x := range []any{wire.Head{Verb: "check"}, wire.Item{Files: []wire.File{{Path: filepath.Join(dir, "absent")}}}, wire.Item{Files: []wire.File{{Path: dir}}}} {
		if err := w.Write(x); err != nil {
			t.Fatal(err)
		}
		if i == 1 { // its answer says that the fleet has begun
			if err := wire.NewReader(out).Read(&wire.Report{}); err != nil {
				t.Fatal(err)
			}
			out.Close()
		}
	}
	in.Close()
	_ = cmd.Wait()
	if left, err := filepath.Glob(filepath.Join(temporary, "chiaro-*")); err != nil || len(left) > 0 {
		t.Errorf("%v, %v are left; want none", left, err)
	}
}

// TestSize checks the sizes that flags accept.
func TestSize(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "17": 17, "4K": 4096, "2M": 2 << 20, "3G": 3 << 30, "1T": 1 << 40, "": -1, "K": -1, "-1": -1, "1.5G": -1, "99999999T": -1} {
		got := int64(-1)
		var n int64
		if (&size{&n}).Set(text) == nil {
			got = n
		}
		if got != want {
			t.Errorf("%q: %d; want %d", text, got, want)
		}
	}
}

// TestHelp checks that every help text has the name that users type and the exit codes, and that a failed write is an error.
func TestHelp(t *testing.T) {
	dir := tools(t)
	for _, args := range [][]string{{"--help"}, {"serve", "--help"}, {"prune", "--help"}} {
		code, out, log := chiaro(t, dir, append([]string{"fleet"}, args...)...)
		if code != 0 || !strings.Contains(out, "Usage:\n  chiaro fleet ") || !strings.Contains(out, "Exit codes:\n") {
			t.Errorf("%q: exit code %d, %s, %s", args, code, out, log)
		}
	}
	unwritable, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer unwritable.Close()
	cmd := exec.Command(filepath.Join(dir, "chiaro"), "fleet", "--help")
	cmd.Stdout = unwritable
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("a help text that cannot be written: %v", err)
	}
}
