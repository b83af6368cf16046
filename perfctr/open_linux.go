package perfctr

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// kattr is struct perf_event_attr as far as it is used here. The unix package
// ends at PERF_ATTR_SIZE_VER7; Config3 is what PERF_ATTR_SIZE_VER8 adds.
type kattr struct {
	unix.PerfEventAttr
	Config3 uint64
}

const (
	attrSize7 = 128 // PERF_ATTR_SIZE_VER7, Linux 5.13
	attrSize8 = 136 // PERF_ATTR_SIZE_VER8, Linux 6.3
)

// An opener is perf_event_open(2), or what a test puts in its place.
type opener func(attr *kattr, pid, cpu, groupFD, flags int) (int, error)

func perfEventOpen(attr *kattr, pid, cpu, groupFD, flags int) (int, error) {
	// perf_event_open can be interrupted while it waits for the exec_update_lock
	// of another task.
	for {
		fd, err := unix.PerfEventOpen((*unix.PerfEventAttr)(unsafe.Pointer(attr)), pid, cpu, groupFD, flags)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// readFormat is the format of a single counter; groups add PERF_FORMAT_GROUP.
// PERF_FORMAT_ID is not asked for: the kernel gives a group's values in the
// order in which its members were opened (perf_read_group).
const readFormat = unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING

// kernelAttr makes what the kernel is told of an event, apart from grouping
// and inheritance.
func kernelAttr(a Attr) kattr {
	k := kattr{PerfEventAttr: unix.PerfEventAttr{
		Type:        a.Type,
		Size:        attrSize7,
		Config:      a.Config,
		Ext1:        a.Config1,
		Ext2:        a.Config2,
		Bp_type:     a.BPType,
		Read_format: readFormat,
	}}
	if a.Config3 != 0 {
		k.Size, k.Config3 = attrSize8, a.Config3
	}
	precise := a.Precise
	if precise == PreciseMax {
		precise = 3
	}
	k.Bits |= uint64(precise&1)*unix.PerfBitPreciseIPBit1 | uint64(precise>>1)*unix.PerfBitPreciseIPBit2
	for _, b := range []struct {
		flag Flags
		bit  uint64
	}{
		{ExcludeUser, unix.PerfBitExcludeUser},
		{ExcludeKernel, unix.PerfBitExcludeKernel},
		{ExcludeHV, unix.PerfBitExcludeHv},
		{ExcludeIdle, unix.PerfBitExcludeIdle},
		{ExcludeHost, unix.PerfBitExcludeHost},
		{ExcludeGuest, unix.PerfBitExcludeGuest},
		{Pinned, unix.PerfBitPinned},
		{Exclusive, unix.PerfBitExclusive},
	} {
		if a.Flags&b.flag != 0 {
			k.Bits |= b.bit
		}
	}
	return k
}

// bits are those that a target adds: leaders start disabled, and members
// follow their leader.
func (t Target) bits(leader bool) uint64 {
	var b uint64
	if leader {
		b |= unix.PerfBitDisabled
		if t.Kind == OnExec {
			b |= unix.PerfBitEnableOnExec
		}
	}
	if !t.wide() {
		b |= unix.PerfBitInherit
	}
	return b
}
