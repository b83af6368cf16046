package guest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// decode runs a console's output through a Decoder, in pieces of the given size.
func decode(console string, piece int) (records, lines []string, torn int) {
	d := Decoder{
		Record: func(n uint64, p []byte) { records = append(records, fmt.Sprintf("%d:%s", n, p)) },
		Line:   func(l []byte) { lines = append(lines, string(l)) },
	}
	for b := []byte(console); len(b) > 0; {
		n := min(piece, len(b))
		d.Write(b[:n])
		b = b[n:]
	}
	d.Close()
	return records, lines, d.Torn
}

func frame(n uint64, payload string) string { return string(appendFrame(nil, n, []byte(payload))) }

func TestFrames(t *testing.T) {
	check := func(name, console string, records, lines []string, torn int) {
		t.Helper()
		for _, piece := range []int{1, 3, 1000} {
			r, l, n := decode(console, piece)
			if !slices.Equal(r, records) || !slices.Equal(l, lines) || n != torn {
				t.Errorf("%s, %d bytes at a time: records %q, lines %q, torn %d; want %q, %q, %d", name, piece, r, l, n, records, lines, torn)
			}
		}
	}
	one, two := frame(1, `{"a":1}`), frame(2, `{"b":"é x"}`)
	check("nothing", "", nil, nil, 0)
	check("one", one, []string{`1:{"a":1}`}, nil, 0)
	check("two", one+two, []string{`1:{"a":1}`, `2:{"b":"é x"}`}, nil, 0)
	check("carriage returns", strings.ReplaceAll(one, "\n", "\r\n"), []string{`1:{"a":1}`}, nil, 0)
	check("empty payload", frame(7, ""), []string{"7:"}, nil, 0)
	check("messages between", "[ 0.1] hello\r\n"+one+"[ 0.2] x\n[ 0.3] y"+two+"end",
		[]string{`1:{"a":1}`, `2:{"b":"é x"}`}, []string{"[ 0.1] hello", "[ 0.2] x", "[ 0.3] y", "end"}, 0)

	// A message with a newline in the middle of a record: the rest of the record
	// is a line of text.
	cut := one[:20] + "[ 0.4] oops\n" + one[20:]
	check("message inside", cut+two, []string{`2:{"b":"é x"}`}, []string{one[20 : len(one)-1]}, 1)
	// One without a newline.
	check("text inside", one[:20]+"oops"+one[20:]+two, []string{`2:{"b":"é x"}`}, nil, 1)
	check("cut short", one+two[:len(two)-4], []string{`1:{"a":1}`}, nil, 1)
	check("begun again", one[:15]+strings.TrimPrefix(two, "\n"), []string{`2:{"b":"é x"}`}, nil, 1)
	check("wrong checksum", strings.Replace(one, `"a"`, `"c"`, 1), nil, nil, 1)
	check("wrong length", strings.Replace(one, " 7 ", " 8 ", 1), nil, nil, 1)
	check("negative length", strings.Replace(one, " 7 ", " -7 ", 1), nil, nil, 1)
	check("marker only", frameStart, nil, nil, 1)
}

func TestFrameRefusesControlCharacters(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a newline was taken into a payload")
		}
	}()
	appendFrame(nil, 1, []byte("a\nb"))
}

// A line that never ends must not take memory without end, and what comes behind
// it must be read.
func TestFrameEndlessLine(t *testing.T) {
	var got []string
	d := Decoder{Record: func(n uint64, p []byte) { got = append(got, string(p)) }}
	junk := bytes.Repeat([]byte("x"), 1<<20)
	for range 10 {
		d.Write(junk)
	}
	d.Write([]byte(frame(1, "ok")))
	if !slices.Equal(got, []string{"ok"}) {
		t.Errorf("records %q", got)
	}
	if cap(d.buf) > 4*maxFrame {
		t.Errorf("the decoder holds %d bytes", cap(d.buf))
	}
}

// Whatever bytes a console gives: no record comes out that was not put in, every
// record that no byte was written into does come out, and torn ones are counted.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte("[ 0.1] text\n"), uint64(1), uint8(3))
	f.Add([]byte(frameStart+"1 2 00000000 xx\x03\n"), uint64(2), uint8(5))
	f.Add([]byte("\x02mc1 \n\x03\r"), uint64(3), uint8(1))
	f.Fuzz(func(t *testing.T, noise []byte, seed uint64, n uint8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var console []byte
		sent, whole := map[string]bool{}, map[string]bool{}
		for i := range uint64(n % 8) {
			payload := fmt.Sprintf(`{"n":%d,"x":%d}`, i, rng.Uint64())
			record := appendFrame(nil, i, []byte(payload))
			key := fmt.Sprintf("%d:%s", i, payload)
			sent[key] = true
			if at := rng.IntN(2 * len(record)); at > 0 && at < len(record)-1 && len(noise) > 0 {
				record = slices.Concat(record[:at], noise, record[at:]) // torn, or lucky
			} else {
				whole[key] = true
			}
			console = append(console, record...)
		}
		console = append(console, noise...)
		records, _, torn := decode(string(console), 1+rng.IntN(20))
		for _, r := range records {
			if !sent[r] {
				// The noise may hold a record of its own; then it is whole.
				if bytes.Contains(noise, []byte(frameStart)) {
					continue
				}
				t.Fatalf("record %q was never sent", r)
			}
			delete(whole, r)
		}
		if len(whole) > 0 {
			t.Fatalf("whole records %v were lost in %q", whole, console)
		}
		if torn < 0 {
			t.Fatal("a negative number of torn records")
		}
	})
}
