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

// defaultCacheSize is taken for the size of the last-level cache where the system does
// not say.
const defaultCacheSize = 32 << 20

// lastLevelCache is the size in bytes of the last-level cache, as the first processor
// has it.
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

// exceedsCache reports whether the words that a job's lanes store, one each, to a
// buffer of n bytes are more than the last-level cache holds, so that stores had
// better not go there.
func exceedsCache(p *ir.Program, job *exec.Job, n int) bool {
	stored := 4 * min(job.GroupCount(), 1<<40) * uint64(p.Invocations())
	return min(uint64(n), stored) > lastLevelCache()
}
