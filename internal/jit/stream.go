package jit

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// defaultCacheSize is the assumed size in bytes of the last-level cache if the system does not report
// it.
const defaultCacheSize = 32 << 20

// lastLevelCache returns the size in bytes of the last-level cache of the first processor. Only the
// first processor is read: on machines with several sizes any choice is a heuristic.
var lastLevelCache = sync.OnceValue(func() uint64 {
	most := uint64(0)
	files, _ := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*/size")
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		digits, kilo := strings.CutSuffix(strings.TrimSpace(string(text)), "K")
		n, err := strconv.ParseUint(digits, 10, 32)
		if err == nil && kilo {
			most = max(most, n<<10)
		}
	}
	if most == 0 {
		return defaultCacheSize
	}
	return most
})

// exceedsCache reports whether a job's stores to a buffer of n bytes, one word per lane, exceed the
// last-level cache. They should then bypass it, since they would evict more useful lines. A normal
// store of a full line first reads the line from memory (write-allocate), so that a copy transfers
// three lines for one. A nontemporal store saves one of the three, but its line is not in the cache
// afterwards.
func exceedsCache(p *ir.Program, job *exec.Job, n int) bool {
	stored := 4 * min(job.GroupCount(), 1<<40) * uint64(p.Invocations())
	return min(uint64(n), stored) > lastLevelCache()
}
