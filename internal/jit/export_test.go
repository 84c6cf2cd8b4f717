package jit

import "github.com/chiaro-gpu/chiaro/internal/exec"

// Poll makes the code of p give its processor back by polling, which it
// otherwise does only where Go's runtime leaves no other way.
func Poll(p exec.Program) { p.(*program).polling = true }

// Pass makes the code of p store past the cache wherever it is fit for that,
// which it otherwise does only where much is stored.
func Pass(p exec.Program) { p.(*program).passing = true }
