package perfctr

import (
	"errors"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// List lists what can be counted on target, by kind, in the order of the Kind
// constants; only names and aliases that contain match, or that it matches as a
// pattern (sched:*wake*), whatever their case.
// Each event is probed, apart from tracepoints, of which one speaks for all: the
// kernel makes no difference between them when it is asked for a count.
//
// The error says why tracepoints could not be listed; the rest is there all the
// same.
func List(match string, target Target) ([]Listing, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return thisMachine().list(match, target)
}

func (m machine) list(match string, target Target) ([]Listing, error) {
	all, err := m.sys.listings(match)
	var tracepoint *Support
	for i := range all {
		l := &all[i]
		if l.Kind != KindTracepoint {
			// A sum is probed through its parts.
			events, perr := m.sys.Parse(l.Name)
			if perr != nil {
				l.Support.Reason = untried(perr)
				continue
			}
			l.Support = m.probe(events, target)[0]
			continue
		}
		if tracepoint == nil {
			events, perr := m.sys.Parse(l.Name)
			if perr != nil {
				l.Support.Reason = untried(perr)
				continue
			}
			s := m.probe(events, target)[0]
			tracepoint = &s
		}
		event := l.Support.Event
		l.Support = *tracepoint
		l.Support.Event = event
	}
	return all, err
}

// untried says why an event that is listed cannot be given as it is.
func untried(err error) string {
	var p *ParseError
	if errors.As(err, &p) {
		return p.Msg
	}
	return err.Error()
}

// PMUs lists the devices that count on this machine, with the number and the
// size of the counters of each core PMU, as far as they can be found.
func PMUs() []PMU {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m := thisMachine()
	core := map[string]bool{}
	for _, name := range m.sys.corePMUs() {
		core[name] = true
	}
	var out []PMU
	for _, name := range m.sys.pmus() {
		e := m.sys.onPMU(name)
		p := PMU{Name: name, Type: e.Attr.Type, CPUs: m.sys.pmuFile(name, "cpus"), Uncore: e.Uncore, Events: m.sys.pmuEvents(name)}
		if e.Uncore {
			p.CPUs = e.CPUs
		}
		if core[name] {
			p.Counters, p.Width = m.counters(name)
		}
		out = append(out, p)
	}
	return out
}

// counters finds how many events of one kind can be counted at the same time on
// a core PMU, and how wide a counter is. Branches are tried first, because many
// processors have a counter for cycles or instructions alone; PMUs that cannot
// count branches (that of emulated ARM machines) are asked for instructions.
func (m machine) counters(pmu string) (n, width int) {
	const most = 32 // no processor is known to have more
	var one Support
	for _, name := range []string{"branches", "instructions"} {
		events, err := m.sys.Parse(pmu + "/" + name + "/")
		if err != nil {
			continue
		}
		if one = m.ladder(events[0], Thread()); one.Status == Yes {
			break
		}
	}
	if one.Status != Yes {
		return 0, 0
	}
	p := &Packing{}
	var members []int
	for n < most {
		p.Events = append(p.Events, one.Event)
		p.attrs = append(p.attrs, kernelAttr(one.Event.Attr))
		members = append(members, n)
		if m.fits(p, members) != Yes {
			break
		}
		n++
	}
	width = m.width(p.attrs[0])
	if f, err := parseField(m.sys.pmuFile(pmu, "format/rdpmc")); width == 0 && err == nil {
		// On ARM each counter has to ask for it, and gets it where the sysctl
		// kernel.perf_user_access is 1.
		a := one.Event.Attr
		f.put(&a, 1)
		width = m.width(kernelAttr(a))
	}
	return n, width
}

// width reads the size of a counter from the page that the kernel shares with
// those who read counters without a system call. 0 when it does not say.
func (m machine) width(k kattr) int {
	k.Bits |= unix.PerfBitDisabled
	fd, err := m.open(&k, CallingThread, AnyCPU, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	page, err := unix.Mmap(fd, 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return 0
	}
	defer unix.Munmap(page)
	const userRDPMC = 1 << 2 // cap_user_rdpmc, without which pmc_width is not set
	head := (*unix.PerfEventMmapPage)(unsafe.Pointer(&page[0]))
	if head.Capabilities&userRDPMC == 0 {
		return 0
	}
	return int(head.Pmc_width)
}
