package perfctr

// Always is the Group.Turn of a group that is open in every run.
const Always = -1

// A Group is a set of events that the kernel counts together or not at all.
type Group struct {
	Members []int // indices into Packing.Events, the leader first
	// Turn is the turn in which the group is open, from 0, or Always.
	Turn int
	// Fits says whether the group was seen to run on this machine: Yes, No
	// (nothing will be counted), or CannotTell.
	Fits Status
	// Refused is set when the kernel does not even open the members as one group.
	// Open leaves it out: the others can be counted.
	Refused bool
	// PMU is the PMU of all members, or of the leader of a group of the user's.
	PMU string
}

// A Packing is the events of a measurement put into groups, each of which fits
// the PMU as a whole, so that no count is ever extrapolated. Events that need
// no PMU are counted in every run. When the PMU does not hold the others at
// once they take turns: a run belongs to one turn, and the events of other
// turns have no value in it. A Packing is immutable and may be used by several
// goroutines.
type Packing struct {
	Events []Event // those of the Supports it was made of, in order
	Groups []Group
	// Turns is the number of turns, at least 1. Let the turn change from block
	// to block, and be the same for all variants within a block.
	Turns int
	// Multiplexed is set when all groups are open in every run, at the risk of
	// counts that are extrapolated.
	Multiplexed bool

	supported []bool // by event
	prepared
}

// PackOptions say how to pack. The zero value packs without multiplexing.
type PackOptions struct {
	// Multiplex opens all groups in every run and leaves it to the kernel to
	// rotate them, as perf stat does. Readings then say which part of the time
	// they saw (Reading.Share).
	Multiplex bool
}

// MaxGroup is the largest number of events in one group. The kernel refuses
// groups whose reading takes more than 16 KiB (perf_event_validate_size); half
// of that leaves room for what later kernels may add.
const MaxGroup = 512

// units lists what must stay together: the members of a group of the user's,
// or a single event. Only supported events that have a counter are listed.
func (p *Packing) units() [][]int {
	var units [][]int
	byGroup := map[[2]any]int{}
	for i, e := range p.Events {
		if !p.supported[i] || e.Source != SourceKernel || e.Sum > 0 {
			continue
		}
		if e.Group == 0 {
			units = append(units, []int{i})
			continue
		}
		key := [2]any{e.Group, ""}
		if e.Part || e.CPUs != "" {
			// Parts of a sum live on different PMUs, which the kernel does not
			// group: there is one group for each.
			key[1] = e.PMU
		}
		if at, ok := byGroup[key]; ok {
			units[at] = append(units[at], i)
			continue
		}
		byGroup[key] = len(units)
		units = append(units, []int{i})
	}
	return units
}

// pack puts the units into groups, asking fits about each group of events that
// need a PMU.
func (p *Packing) pack(fits func(members []int) Status) {
	var always []int
	byPMU := map[string][][]int{}
	var pmus []string
	for _, unit := range p.units() {
		software := true
		for _, i := range unit {
			software = software && p.Events[i].software()
		}
		switch {
		case software && p.alone(unit):
			p.Groups = append(p.Groups, Group{Members: unit, Turn: Always, Fits: Yes, PMU: pmuSoftware})
			continue
		case software:
			always = append(always, unit...)
			continue
		}
		pmu := p.pmuOf(unit)
		if byPMU[pmu] == nil {
			pmus = append(pmus, pmu)
		}
		byPMU[pmu] = append(byPMU[pmu], unit)
	}
	for len(always) > 0 {
		n := min(len(always), MaxGroup)
		p.Groups = append(p.Groups, Group{Members: always[:n], Turn: Always, Fits: Yes, PMU: pmuSoftware})
		always = always[n:]
	}
	p.Turns = 1
	for _, pmu := range pmus {
		groups := p.packPMU(byPMU[pmu], fits)
		for turn, g := range groups {
			g.PMU, g.Turn = pmu, turn
			if len(groups) == 1 || p.Multiplexed {
				g.Turn = Always
			}
			p.Groups = append(p.Groups, g)
		}
		if !p.Multiplexed {
			p.Turns = max(p.Turns, len(groups))
		}
	}
}

// alone reports whether a unit has a pinned or exclusive event.
func (p *Packing) alone(unit []int) bool {
	for _, i := range unit {
		if p.Events[i].Attr.Flags&(Pinned|Exclusive) != 0 {
			return true
		}
	}
	return false
}

// pmuOf is the PMU that a unit needs: of the first member that needs one.
func (p *Packing) pmuOf(unit []int) string {
	for _, i := range unit {
		if !p.Events[i].software() {
			return p.Events[i].PMU
		}
	}
	return pmuSoftware
}

// packPMU fills groups one after the other in the order of the units. Order is
// kept on purpose: events that the user named side by side (cycles,
// instructions) are compared with each other and belong into the same runs.
//
// Pinned and exclusive events are about a whole group: they stay on their own.
func (p *Packing) packPMU(units [][]int, fits func(members []int) Status) []Group {
	var groups []Group
	var all []int
	rest := units[:0:0]
	for _, u := range units {
		if p.alone(u) {
			groups = append(groups, Group{Members: u, Fits: fits(u)})
			continue
		}
		all = append(all, u...)
		rest = append(rest, u)
	}
	if len(rest) == 0 {
		return groups
	}
	if answer := fits(all); answer == Yes || len(rest) == 1 {
		return append(groups, Group{Members: all, Fits: answer})
	}
	var now Group
	for _, u := range rest {
		both := append(append([]int(nil), now.Members...), u...)
		answer := fits(both)
		switch {
		case answer == Yes:
			now = Group{Members: both, Fits: Yes}
			continue
		case len(now.Members) > 0:
			groups = append(groups, now)
			answer = fits(u)
		}
		now = Group{Members: u, Fits: answer}
	}
	return append(groups, now)
}
