package perfctr

import (
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// perf-utils has helpers for tracepoints (TraceFSMount, GetTracepointConfig,
// TracepointEventAttr, AvailableEvents). They are not used: they read the files
// of the running machine only, know no debugfs, never close what they open, and
// wrap errors so that a missing permission cannot be told from a missing event.

// tracefs finds the directory "events" of tracefs, relative to s.Root: where
// /proc/mounts says, or in the two places where the kernel makes room for it. It
// is never mounted on the way.
func (s *System) tracefs() (string, error) {
	if s.Root == nil {
		return "", fs.ErrNotExist
	}
	var places []string
	if s.Proc != nil {
		if mounts, err := fs.ReadFile(s.Proc, "mounts"); err == nil {
			places = tracefsMounts(string(mounts))
		}
	}
	places = append(places, "sys/kernel/tracing", "sys/kernel/debug/tracing")
	err := error(fs.ErrNotExist)
	for _, p := range places {
		dir := p + "/events"
		_, statErr := fs.Stat(s.Root, dir)
		if statErr == nil {
			return dir, nil
		}
		if errors.Is(statErr, fs.ErrPermission) {
			err = statErr
		}
	}
	return "", err
}

// tracefsMounts reads /proc/mounts: the mount points of tracefs, without the
// slash before them.
func tracefsMounts(mounts string) []string {
	var places []string
	for _, line := range strings.Split(mounts, "\n") {
		fields := strings.Fields(line)
		if len(fields) > 2 && fields[2] == "tracefs" {
			places = append(places, unescapeMount(fields[1])[1:])
		}
	}
	return places
}

// unescapeMount undoes the octal escapes of /proc/mounts (\040 is a space).
func unescapeMount(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// tracepoints makes the events of subsystem:name, either of which may be a
// pattern with *, ? and [].
func (p *parser) tracepoints(n node) ([]Event, error) {
	subsystem, name, _ := strings.Cut(n.name, ":")
	nameAt := n.offset + len(subsystem) + 1
	if name == "" || subsystem == "" || strings.ContainsAny(n.name, "/\\") {
		return nil, p.errorf(n.offset, nearest(subsystem, p.sys.names()), "unknown event %q", n.name)
	}
	dir, err := p.sys.tracefs()
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, p.errorf(n.offset, nil, "%s: tracefs may be read by root only: run as root, or let others in with "+
			"`mount -o remount,mode=755 /sys/kernel/tracing`", n.name)
	case err != nil && !p.sys.knownSubsystem(subsystem):
		return nil, p.errorf(n.offset, nearest(subsystem, p.sys.names()), "unknown event %q (as a tracepoint it would "+
			"need tracefs, which is not mounted: `mount -t tracefs tracefs /sys/kernel/tracing` as root)", n.name)
	case err != nil:
		return nil, p.errorf(n.offset, nil, "%s is a tracepoint and tracefs is not mounted: "+
			"`mount -t tracefs tracefs /sys/kernel/tracing` as root", n.name)
	}
	subsystems, err := list(p.sys.Root, dir)
	if err != nil {
		return nil, p.errorf(n.offset, nil, "listing the tracepoints: %v", err)
	}
	var events []Event
	found := false
	var known []string
	for _, sub := range subsystems {
		if !glob(subsystem, sub) {
			continue
		}
		found = true
		names, err := list(p.sys.Root, dir+"/"+sub)
		if err != nil {
			return nil, p.errorf(n.offset, nil, "listing the tracepoints of %s: %v", sub, err)
		}
		for _, nm := range names {
			known = append(known, sub+":"+nm)
			if !glob(name, nm) {
				continue
			}
			// What has no id (enable, filter, and events of ftrace's own) cannot be
			// counted.
			id, err := fs.ReadFile(p.sys.Root, dir+"/"+sub+"/"+nm+"/id")
			if errors.Is(err, fs.ErrPermission) {
				return nil, p.errorf(n.offset, nil, "%s:%s: tracefs may be read by root only", sub, nm)
			}
			config, perr := strconv.ParseUint(strings.TrimSpace(string(id)), 10, 64)
			if err != nil || perr != nil {
				continue
			}
			e := Event{Name: sub + ":" + nm, PMU: pmuTracepoint, Attr: Attr{Type: typeTracepoint, Config: config}}
			events = append(events, n.mods.apply(e))
		}
	}
	switch {
	case !found:
		return nil, p.errorf(n.offset, nearest(subsystem, append(subsystems, p.sys.names()...)), "no tracepoints %q and no event of that name", subsystem)
	case len(events) == 0:
		return nil, p.errorf(nameAt, nearest(n.name, known), "no tracepoint %q in %s", name, subsystem)
	}
	return events, nil
}

// knownSubsystem reports whether a name is that of tracepoints which every
// kernel has, so that a missing tracefs can be told from a typing error.
func (s *System) knownSubsystem(name string) bool {
	switch name {
	case "sched", "syscalls", "raw_syscalls", "irq", "timer", "power", "kmem", "exceptions", "workqueue",
		"task", "signal", "block", "net", "ext4", "writeback", "cgroup", "rcu", "migrate", "compaction",
		"vmscan", "skb", "tcp", "sock", "filemap", "mmap", "ipi", "cpuhp", "csd", "lock", "kvm", "probe":
		return true
	}
	return strings.ContainsAny(name, "*?[")
}

// glob matches a pattern; a bad one matches nothing.
func glob(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// list lists a directory, sorted.
func list(fsys fs.FS, dir string) ([]string, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}
