package typing

import _ "embed"

//go:embed table.go
var source string

// Source returns the text of table.go, so that the ledger can say in which
// line an instruction has its row.
func Source() string { return source }
