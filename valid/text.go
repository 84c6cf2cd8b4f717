package valid

import (
	"strconv"
	"unicode/utf8"
)

// Bounds of texts in findings. A name or a file in a module may have 256 KiB and
// occur in any number of findings, so the report could exceed the module's size.
const (
	maxName    = 256  // bytes of a name in a message
	maxMessage = 2048 // bytes of a message
	maxFile    = 4096 // bytes of the name of a source file
)

func itoa(n uint64) string { return strconv.FormatUint(n, 10) }

// short cuts a text that is longer than n bytes, between characters.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
