package sched

import (
	"context"
	"testing"
	"time"
)

func TestPipeSmoke(t *testing.T) {
	for _, text := range []string{"pipe,loops=10000", "pipe,loops=10000,threads"} {
		s, err := ParseText(text)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		r, err := Run(ctx, s, Region{})
		if err != nil {
			t.Fatal(text, err)
		}
		t.Log(text, *r)
	}
}
