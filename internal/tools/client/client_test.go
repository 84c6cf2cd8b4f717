package client

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// echo answers each word with a text of that many letters, or with a false length if the
// word is 7. It ends at 8 and never answers 9.
const echo = `#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
	uint32_t n;
	while (fread(&n, 4, 1, stdin) == 1) {
		if (n == 8) return 1;
		if (n == 9) sleep(60);
		uint32_t m = n == 7 ? 1u << 30 : n;
		fwrite(&m, 4, 1, stdout);
		for (uint32_t i = 0; i < n; i++) putchar('a' + i);
		fflush(stdout);
	}
	return 0;
}`

func TestProcess(t *testing.T) {
	dir := t.TempDir()
	path, err := Program{Source: []byte(echo), Name: "echo.c", Compiler: []string{"gcc", "-O1"}}.Build(dir)
	if err != nil && strings.HasPrefix(err.Error(), "missing") {
		t.Skip("the test compiles a client in C: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	ask := func(n byte) (string, error) {
		p, err := Start(path, nil, os.Environ(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Stop()
		answered := p.Patience(500 * time.Millisecond)
		defer answered()
		if err := p.Ask([]byte{n, 0, 0, 0}); err != nil {
			return "", err
		}
		return p.Text(100)
	}
	if s, err := ask(3); s != "abc" || err != nil {
		t.Errorf("asked for 3: %q, %v; must be abc", s, err)
	}
	if _, err := ask(7); err == nil || errors.Is(err, ErrDied) || !strings.Contains(err.Error(), "must be at most 100") {
		t.Errorf("a text that is too long: %v", err)
	}
	for _, n := range []byte{8, 9} {
		if _, err := ask(n); !errors.Is(err, ErrDied) {
			t.Errorf("asked for %d: %v; must be %v", n, err, ErrDied)
		}
	}
}

func TestBuild(t *testing.T) {
	if _, err := (Program{Name: "x.c", Compiler: []string{"no-such-compiler"}}).Build(t.TempDir()); err == nil || !strings.Contains(err.Error(), "missing: no-such-compiler") {
		t.Errorf("a compiler that is not there: %v", err)
	}
	_, err := Program{Source: []byte("int main("), Name: "x.c", Compiler: []string{"gcc"}, Needs: "the other half"}.Build(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "missing: gcc") && !strings.Contains(err.Error(), "is the other half there?") {
		t.Errorf("a program that does not compile: %v", err)
	}
	if err := Driver("/no/such/manifest.json"); err == nil {
		t.Error("a driver that is not there is found")
	}
}
