//go:build !oneview

package codemem

// oneView is false: code has a writable and an executable view.
const oneView = false
