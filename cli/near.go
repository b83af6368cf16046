package cli

import (
	ucli "github.com/urfave/cli/v2"
	"github.com/xrash/smetrics"
)

// nearest is the candidate most like name, or "" when none is like it.
func nearest(name string, candidates []string) string {
	best, score := "", 0.75
	for _, c := range candidates {
		if s := smetrics.JaroWinkler(name, c, 0.7, 4); s > score {
			best, score = c, s
		}
	}
	return best
}

func nearestFlag(c *ucli.Context, name string) string {
	var names []string
	flags := c.App.Flags
	if c.Command != nil {
		flags = c.Command.Flags
	}
	for _, f := range flags {
		names = append(names, f.Names()...)
	}
	return nearest(name, names)
}
