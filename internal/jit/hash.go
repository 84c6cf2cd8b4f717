package jit

import (
	"crypto/sha256"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// hashOf returns a hash of everything in a program: equal hashes mean equal programs. It must be a
// cryptographic hash, because a module can come from an attacker: a collision would run the code of
// another program. The origins of instructions belong to it, as error messages have them and the
// code's sites store them.
func hashOf(p *ir.Program) [sha256.Size]byte { return sha256.Sum256(p.Append(nil)) }
