// Package conformance tests properties of the whole tree: that both engines give
// the same results, that undefined behavior has the documented result, that
// hostile modules end with an error, and that imports follow docs/layers.txt.
//
// It has no code of its own. A test that needs one package only belongs in that
// package.
package conformance
