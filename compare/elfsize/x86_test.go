package elfsize

import (
	"bufio"
	"encoding/hex"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// TestX86Lengths compares the decoder with objdump, instruction by instruction.
func TestX86Lengths(t *testing.T) {
	needTool(t, "objdump")
	for _, path := range elfFiles(t, "/usr/bin/size", "/usr/bin/gcc", "/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libm.so.6", "/usr/lib/x86_64-linux-gnu/libcrypto.so.3") {
		t.Run(path, func(t *testing.T) {
			m, err := Read(path, ReadOptions{})
			if err != nil || !strings.HasPrefix(machineName(m.Objects[0]), "x86_64") {
				t.Skip("not for x86-64")
			}
			checkLengths(t, path)
		})
	}
}

func checkLengths(t *testing.T, path string) {
	cmd := exec.Command("objdump", "-d", "-w", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	good, bad, unknown := 0, 0, 0
	for sc := bufio.NewScanner(out); sc.Scan(); {
		// "  401000:\tf3 0f 1e fa          \tendbr64"
		f := strings.Split(sc.Text(), "\t")
		if len(f) < 3 || !strings.HasSuffix(f[0], ":") {
			continue
		}
		if _, err := strconv.ParseUint(strings.Trim(f[0], " :"), 16, 64); err != nil {
			continue
		}
		if good+bad+unknown > 60000 {
			cmd.Process.Kill()
			break
		}
		if strings.Contains(f[2], "(bad)") || strings.HasPrefix(f[2], ".byte") {
			continue
		}
		code, err := hex.DecodeString(strings.ReplaceAll(f[1], " ", ""))
		if err != nil || len(code) == 0 {
			continue
		}
		// objdump shows a lonely prefix as an instruction of its own, and joins
		// fwait with the instruction behind it.
		if len(code) == 1 && strings.HasPrefix(f[2], "rex") || code[0] == 0x9b {
			continue
		}
		in, ok := decodeX86(append(code, make([]byte, 16)...), true)
		switch {
		case !ok:
			if unknown++; unknown < 5 {
				t.Errorf("not decoded: %x %s", code, f[2])
			}
		case in.len != len(code):
			if bad++; bad < 10 {
				t.Errorf("%d bytes, want %d: %x %s", in.len, len(code), code, f[2])
			}
		default:
			good++
		}
	}
	t.Logf("%d instructions of the right length, %d wrong, %d not decoded", good, bad, unknown)
}

func TestX86Fields(t *testing.T) {
	image := span{0xffffffff81000000, 0xffffffff83000000}
	check := func(name, in, want string) {
		t.Helper()
		b, err := hex.DecodeString(strings.ReplaceAll(in, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		maskX86(b, 0xffffffff81001000, true, image)
		if got := hex.EncodeToString(b); got != strings.ReplaceAll(want, " ", "") {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	check("call out", "e8 11223344 c3", "e8 00000000 c3")
	check("call within", "e8 00000000 c3", "e8 00000000 c3")
	check("jump within", "e9 01000000 90 c3 c3", "e9 01000000 90 c3 c3")
	check("jcc out", "0f84 00100000 c3", "0f84 00000000 c3")
	check("short jump", "74 7f c3", "74 7f c3")
	check("rip-relative", "48 8b 05 11223344 c3", "48 8b 05 00000000 c3")
	check("rip-relative with immediate", "c7 05 11223344 01000000", "c7 05 00000000 01000000")
	check("frame", "48 8b 85 11223344", "48 8b 85 11223344")
	check("image address", "48 c7 c7 00100082", "48 c7 c7 00000000")
	check("image displacement", "48 8b 04 c5 00100082", "48 8b 04 c5 00000000")
	check("small number", "48 c7 c7 00100000", "48 c7 c7 00100000")
	check("per-CPU", "65 48 8b 04 25 40ac0100", "65 48 8b 04 25 00000000")
	check("movabs in the image", "48 b8 00100082ffffffff", "48 b8 0000000000000000")
	check("movabs of a number", "48 b8 1122334455667788", "48 b8 1122334455667788")
}

func TestARM64Fields(t *testing.T) {
	check := func(name, in, want string) {
		t.Helper()
		b, err := hex.DecodeString(strings.ReplaceAll(in, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		maskARM64(b)
		if got := hex.EncodeToString(b); got != strings.ReplaceAll(want, " ", "") {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	check("bl", "10000094 c0035fd6", "00000094 c0035fd6")
	check("b within", "01000014 c0035fd6", "01000014 c0035fd6")
	check("b out", "10000014 c0035fd6", "00000014 c0035fd6")
	check("b.ne", "81ffff54", "81ffff54")
	check("adrp and add", "200100b0 00341991", "00000090 00000091")
	check("adrp and ldr", "200100b0 010840f9", "00000090 010040f9")
	check("add of a number", "00341991", "00341991")
}
