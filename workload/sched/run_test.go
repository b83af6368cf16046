package sched

import (
	"context"
	"testing"
	"time"
)

func TestSmoke(t *testing.T) {
	for _, text := range []string{"pipe,loops=10000", "pipe,loops=10000,threads", "messaging,groups=2", "messaging,groups=2,threads,pipe", "futex,loops=10000", "futex,loops=10000,threads,layout=two",
		"yield,loops=10000", "fork", "exec", "thread", "timer", "timer,threads,tasks=4,loops=100", "wakeup", "wakeup,threads", "fair", "fair,threads,nices=0,0", "syscall"} {
		s, err := ParseText(text)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		r, err := Run(ctx, s, Region{})
		if err != nil {
			t.Error(text, err)
			continue
		}
		t.Logf("%s: %v/op %d %v user %v sys %v p50 %v p99 %v %+v", s, r.Elapsed/time.Duration(r.Operations), r.Operations, r.Elapsed, r.User, r.System, r.Percentile(50), r.Percentile(99), r.Shares)
	}
}
