package direct

import _ "embed"

//go:embed table.go
var source string

// Source returns the text of table.go, so that the ledger can report the line of an
// instruction's row.
func Source() string { return source }
