package guest

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
)

// entries reads an archive back by the format's description.
func entries(t *testing.T, b []byte) (list []string) {
	t.Helper()
	for {
		if !bytes.HasPrefix(b, []byte("070701")) {
			t.Fatalf("no entry where one should begin: %q", b[:min(len(b), 20)])
		}
		field := func(i int) int {
			n, err := strconv.ParseUint(string(b[6+8*i:14+8*i]), 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			return int(n)
		}
		size, name := field(6), string(b[110:110+field(11)-1])
		body := (110 + field(11) + 3) &^ 3
		if name == "TRAILER!!!" {
			return list
		}
		line := strconv.FormatInt(int64(field(1)), 8) + " " + name
		if field(9) != 0 {
			line += " " + strconv.Itoa(field(9)) + ":" + strconv.Itoa(field(10))
		}
		if size > 0 {
			line += " " + string(b[body:body+size])
		}
		list = append(list, line)
		b = b[(body+size+3)&^3:]
	}
}

func TestArchive(t *testing.T) {
	var buf bytes.Buffer
	a := newArchive(&buf)
	a.file("/a/b/c", 0o755, []byte("hello"))
	a.file("a/b/d", 0o600, nil)
	a.dir("a/")
	a.link("bin", "a/b")
	a.device("dev/console", 0o600, 5, 1)
	if err := a.close(); err != nil {
		t.Fatal(err)
	}
	want := "40755 a|40755 a/b|100755 a/b/c hello|100600 a/b/d|120777 bin a/b|40755 dev|20600 dev/console 5:1"
	if got := strings.Join(entries(t, buf.Bytes()), "|"); got != want {
		t.Errorf("entries\n%s, want\n%s", got, want)
	}
	if buf.Len()%4 != 0 {
		t.Errorf("the archive has %d bytes, no multiple of four: another behind it would not be found", buf.Len())
	}
}
