package driver

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// TestLevel: CHIARO_LEVEL changes the code of shaders and no result. A messenger hears of a level that the processor lacks, and of a name of
// none, which is the best level.
func TestLevel(t *testing.T) {
	for _, name := range []string{"", "best", "avx512", "avx2", "neon"} {
		t.Setenv("CHIARO_LEVEL", name)
		p := newProgram(t)
		b, content := p.buffer(8)
		pipe, layout, set := p.kernel(numbers, b)
		p.launch(pipe, layout, set, 3)
		must(p, abi.CmdQueueWaitIdle, &abi.QueueWaitIdleArgs{Queue: p.queue})
		for i, x := range content {
			if want := uint32(3 * i); i < 4 && x != want {
				t.Errorf("CHIARO_LEVEL=%s: word %d is %d; must be %d", name, i, x, want)
			}
		}
	}
	list := listen(t)
	i := newInstance(t, nil)
	info := abi.DebugUtilsMessengerCreateInfoEXT{MessageSeverity: severeError, MessageType: ofGeneral, PfnUserCallback: unsafe.Pointer(&callback)}
	var m abi.DebugUtilsMessengerEXT
	do(abi.CmdCreateDebugUtilsMessengerEXT, &abi.CreateDebugUtilsMessengerEXTArgs{Instance: i, PCreateInfo: &info, PMessenger: &m})
	t.Setenv("CHIARO_LEVEL", "sse2")
	if l := level(instanceOf(i)); l != target.Best || len(*list) != 1 || !strings.Contains((*list)[0].text, `"sse2"; want one of best, avx512, avx2, neon`) {
		t.Errorf("CHIARO_LEVEL=sse2: %v, heard %+v; must be best, with the names of the levels", l, *list)
	}
	for _, name := range target.LevelNames()[1:] {
		*list = nil
		t.Setenv("CHIARO_LEVEL", name)
		l := level(instanceOf(i))
		if _, err := jit.Choose(l); l.String() != name || (err != nil) != (len(*list) == 1) {
			t.Errorf("CHIARO_LEVEL=%s: %v, heard %+v; must name a level that is missing: %v", name, l, *list, err)
		}
	}
}
