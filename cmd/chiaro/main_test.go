package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// endlessVariable makes the test's binary a compiler that does not end by itself before endlessTime.
const (
	endlessVariable = "CHIARO_TEST_ENDLESS"
	endlessTime     = 10 * time.Minute
)

func TestMain(m *testing.M) {
	if os.Getenv(endlessVariable) != "" {
		time.Sleep(endlessTime)
		return
	}
	_ = flag.Set("test.parallel", "4") // scripts wait for processes; the command line of go test replaces it
	testscript.Main(m, map[string]func(){"chiaro": main})
}

// TestScripts runs the command line as a user types it.
func TestScripts(t *testing.T) {
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Abs("../../internal/amber/testdata")
	if err != nil {
		t.Fatal(err)
	}
	corpus, err := filepath.Abs("../../../shared/corpus")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Condition: func(name string) (bool, error) {
			if name != "corpus" {
				return false, fmt.Errorf("no condition %s", name)
			}
			_, err := os.Stat(corpus)
			return err == nil, nil
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("EXAMPLES", examples)
			e.Setenv("SCRIPTS", scripts)
			e.Setenv("BIN", filepath.SplitList(e.Getenv("PATH"))[0]) // has only chiaro
			e.Setenv("CORPUS", corpus)
			return nil
		},
		// code N PROGRAM ARGS...: the program must end with exit code N. library FILE SYMBOL: see writeLibrary.
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"code": wantCode, "library": writeLibrary},
	})
}

// wantCode runs a program and compares its exit code.
func wantCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N PROGRAM ARGS...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if e, ok := err.(interface{ ExitCode() int }); ok {
		got = string(rune('0' + e.ExitCode()))
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != args[0] {
		ts.Fatalf("exit code %s; want %s", got, args[0])
	}
}

// TestExamplesAssemble checks that a test runs every script of the folder.
func TestExamplesAssemble(t *testing.T) {
	files, err := filepath.Glob("../../examples/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", f, err)
		}
	}
}
