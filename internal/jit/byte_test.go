package jit_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// byteText divides byte BYTE of each word by 255, and stores the quotient in the lanes whose number
// modulo 2 is WHICH; in the others −1.
const byteText = `
program "bytes" compute
subgroup 16
local 64 1 1
in localindex i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	v1 = in.i32 #0
	v2 = res 0:i32, #0
	v3 = res 0:i32, #1
	v4 = at 0:i32, v1, #4
	v5 = ld.i32 v2, v4, #0
	v6 = and.i32 v1, 1:i32
	v7 = eq.b1 v6, WHICH:i32
	block L9(v20 f32) {
		if v7 {
			BYTE
			v12 = UTOF.f32.i32 v11
			v13 = fdiv.f32 v12, 255.0:f32
			br L9(v13)
		}
		br L9(-1.0:f32)
	}
	st.f32 v3, v4, v20, #0
}
`

// TestByteQuotient: a byte divided by 255 is the nearest float to that, however the byte
// is taken out of its word, and in some lanes only.
func TestByteQuotient(t *testing.T) { eachLevel(t, testByteQuotient) }

func testByteQuotient(t *testing.T, engine jit.Engine) {
	for place := range 4 {
		ways := []string{
			fmt.Sprintf("v10 = lshr.i32 v5, %d:i32\nv11 = and.i32 v10, 255:i32", 8*place),
			fmt.Sprintf("v10 = lshr.i32 v5, %d:i32\nv11 = and.i32 255:i32, v10", 8*place),
			fmt.Sprintf("v11 = bitfieldu.i32 v5, %d:i32, 8:i32", 8*place),
		}
		switch place {
		case 0:
			ways = append(ways, "v11 = and.i32 v5, 255:i32")
		case 3:
			ways = append(ways, "v11 = lshr.i32 v5, 24:i32")
		}
		for _, way := range ways {
			for _, to := range []string{"utof", "stof"} {
				for which := range 3 {
					text := strings.NewReplacer("BYTE", way, "UTOF", to, "WHICH", fmt.Sprint(which)).Replace(byteText)
					for first := 0; first < 256; first += 64 {
						in, out := make([]byte, 4*64), make([]byte, 4*64)
						for i := range 64 {
							binary.LittleEndian.PutUint32(in[4*i:], 0xa5c3961f)
							in[4*i+place] = byte(first + i)
						}
						job := exec.Job{Groups: [3]uint32{1, 1, 1}, Resources: [][]exec.Buffer{{{Bytes: in}}, {{Bytes: out}}}}
						for _, e := range []exec.Engine{interp.Engine{}, engine} {
							got := run(e, text, 0, job)
							if got.err != nil {
								t.Fatalf("%s: %v\n%s", e.Name(), got.err, text)
							}
							for i, w := range words(got.resources[1][0].Bytes) {
								want := float32(float64(first+i) / 255)
								if i&1 != which {
									want = -1
								}
								if math.Float32frombits(w) != want {
									t.Fatalf("%s: %d/255 is %g; want %g\n%s", e.Name(), first+i, math.Float32frombits(w), want, text)
								}
							}
						}
					}
				}
			}
		}
	}
}
