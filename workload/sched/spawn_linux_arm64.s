#include "textflag.h"

#define SYS_clone 220

// func spawn(flags, stack uintptr, t *task, tid *uint32, entry uintptr) uintptr
//
// The new task begins on a stack of its own and never returns, so nothing of
// the caller's frame is needed there. Flags decide whether it is a thread.
//
// It jumps to entry as Go code calls Go code (ABIInternal: argument in R0), and
// not through the ABI0 wrapper, which the race detector instruments. The callee
// keeps its argument in the caller's frame, above the stack pointer, so there
// must be room.
TEXT ·spawn(SB), NOSPLIT|NOFRAME, $0-48
	MOVD	flags+0(FP), R0
	MOVD	stack+8(FP), R1
	MOVD	t+16(FP), R10
	MOVD	tid+24(FP), R2
	MOVD	entry+32(FP), R11
	MOVD	$0, R3
	MOVD	R2, R4
	MOVD	$SYS_clone, R8
	SVC
	CBZ	R0, child
	MOVD	R0, ret+40(FP)
	RET
child:
	SUB	$32, RSP
	MOVD	R10, R0
	MOVD	$0, R29
	MOVD	$0, R30
	JMP	(R11)

// func add32(p *uint32, delta uint32) uint32
TEXT ·add32(SB), NOSPLIT, $0-20
	MOVD	p+0(FP), R0
	MOVW	delta+8(FP), R1
again:
	LDAXRW	(R0), R2
	ADDW	R1, R2, R2
	STLXRW	R2, (R0), R3
	CBNZ	R3, again
	MOVW	R2, ret+16(FP)
	RET

// func load32(p *uint32) uint32
TEXT ·load32(SB), NOSPLIT, $0-12
	MOVD	p+0(FP), R0
	LDARW	(R0), R0
	MOVW	R0, ret+8(FP)
	RET

// func store32(p *uint32, v uint32)
TEXT ·store32(SB), NOSPLIT, $0-12
	MOVD	p+0(FP), R0
	MOVW	v+8(FP), R1
	STLRW	R1, (R0)
	RET
