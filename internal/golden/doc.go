// Package golden compares the results of shaders with expected ones: numbers within a tolerance, and pictures. It reads no
// files and reports nothing; its callers do. It refuses to know shaders.
//
// # Files
//
//  1. tolerance.go: numbers.
//  2. picture.go: pictures, and the picture that shows a difference.
package golden
