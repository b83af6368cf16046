package sched

// exitMachine is EM_X86_64.
const exitMachine = 62

// exitCode is xor edi, edi; mov eax, 231; syscall.
var exitCode = []byte{0x31, 0xff, 0xb8, 0xe7, 0, 0, 0, 0x0f, 0x05}
