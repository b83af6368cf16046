package recording

import (
	"fmt"
	"time"
)

// Identity tells a session from every other one: copies of it, in whatever
// files, have the same. It is empty for sessions that do not say enough of
// themselves, as those that were read from other tools' files.
func (s *Session) Identity() string {
	if s.Imported != "" || s.Started.IsZero() || s.Env.BootID == "" {
		return ""
	}
	id := fmt.Sprintf("%s %s %d", s.Started.UTC().Format(time.RFC3339Nano), s.Env.BootID, s.Plan.Seed)
	if g := s.Guest; g != nil {
		id += fmt.Sprintf(" %d %d", g.Boot, g.Round)
	}
	return id
}
