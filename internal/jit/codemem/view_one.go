//go:build oneview

package codemem

// oneView is true: each page of code is either writable or executable.
const oneView = true
