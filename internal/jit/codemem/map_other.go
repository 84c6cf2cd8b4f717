//go:build !((linux && (amd64 || arm64)) || (windows && amd64))

package codemem

import "errors"

const pageSize = 64 << 10

var errUnsupported = errors.New("codemem: executable memory needs linux on amd64 or arm64, or windows on amd64")

func mapDual(int) (mapping, error)   { return mapping{}, errUnsupported }
func mapSingle(int) (mapping, error) { return mapping{}, errUnsupported }
func unmap(mapping) error            { return nil }
