package guest

import (
	"debug/elf"
	"os"
	"path/filepath"
	"testing"

	"microcost/internal/tinyelf"
)

// elfMachine is an architecture in the words of ELF.
var elfMachine = map[Arch]elf.Machine{AMD64: elf.EM_X86_64, ARM64: elf.EM_AARCH64}

// loopProgram writes a static program whose loop has exactly 2*n instructions, with
// ten or so around it.
func loopProgram(t *testing.T, arch Arch, n uint32) string {
	t.Helper()
	return tinyProgram(t, arch, tinyelf.LoopCode(elfMachine[arch], n))
}

func tinyProgram(t *testing.T, arch Arch, code []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tiny")
	if err := os.WriteFile(path, tinyelf.Program(elfMachine[arch], code, ""), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
