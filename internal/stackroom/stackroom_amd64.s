#include "textflag.h"

// func Make()
//
// It compares without a frame of Size/2, because a handler that interrupts a function runs below the function's frame. The
// bound of the goroutine's stack is stackguard0, the third word of the runtime's g.
TEXT ·Make(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ (TLS), AX
	LEAQ -524288(SP), BX
	CMPQ BX, 16(AX)
	JLS  grow
	RET

grow:
	JMP grow<>(SB)

// grow grows the stack to Size. Its frame is five eighths of Size, so that a handler that interrupts it has space below.
// The prologue that the assembler adds does it.
TEXT grow<>(SB), 0, $655360-0
	RET
