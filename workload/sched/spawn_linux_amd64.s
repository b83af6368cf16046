#include "textflag.h"

#define SYS_clone 56

// func spawn(flags, stack uintptr, t *task, tid *uint32, entry uintptr) uintptr
//
// The new task begins on a stack of its own and never returns, so nothing of
// the caller's frame is needed there. Flags decide whether it is a thread.
//
// It jumps to entry as Go code calls Go code (ABIInternal: argument in AX, X15
// zero), and not through the ABI0 wrapper, which the race detector instruments.
// R14, the goroutine, is not used by nosplit functions. The callee keeps its
// argument in the caller's frame, above the return address, so there must be
// room.
TEXT ·spawn(SB), NOSPLIT|NOFRAME, $0-48
	MOVQ	flags+0(FP), DI
	MOVQ	stack+8(FP), SI
	MOVQ	t+16(FP), R12
	MOVQ	tid+24(FP), DX
	MOVQ	entry+32(FP), R13
	MOVQ	DX, R10
	XORL	R8, R8
	MOVL	$SYS_clone, AX
	SYSCALL
	TESTQ	AX, AX
	JZ	child
	MOVQ	AX, ret+40(FP)
	RET
child:
	SUBQ	$16, SP
	MOVQ	$0, 0(SP)
	XORPS	X15, X15
	MOVQ	R12, AX
	JMP	R13

// func add32(p *uint32, delta uint32) uint32
TEXT ·add32(SB), NOSPLIT, $0-20
	MOVQ	p+0(FP), BX
	MOVL	delta+8(FP), AX
	MOVL	AX, CX
	LOCK
	XADDL	AX, 0(BX)
	ADDL	CX, AX
	MOVL	AX, ret+16(FP)
	RET

// func load32(p *uint32) uint32
TEXT ·load32(SB), NOSPLIT, $0-12
	MOVQ	p+0(FP), BX
	MOVL	0(BX), AX
	MOVL	AX, ret+8(FP)
	RET

// func store32(p *uint32, v uint32)
TEXT ·store32(SB), NOSPLIT, $0-12
	MOVQ	p+0(FP), BX
	MOVL	v+8(FP), AX
	XCHGL	AX, 0(BX)
	RET
