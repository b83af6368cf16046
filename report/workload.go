package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"microcost/compare"
)

// A WorkloadRun is one run of a built-in workload: what there is to say when
// nothing is compared.
type WorkloadRun struct {
	Text      string   // the workload and its parameters
	Command   []string // that runs the same
	Operation string   // what it repeats
	Table     *compare.Table
	Shares    []WorkloadShare
}

// A WorkloadShare is what one task of the workload "fair" got of the CPU, and
// what its weight entitles it to.
type WorkloadShare struct {
	Nice   int     `json:"nice"`
	CPU    int64   `json:"cpu_ns"`
	Share  float64 `json:"share"`
	Weight float64 `json:"weight"`
}

// WorkloadText writes a run for people: one line for each metric that was
// counted, in its order, those per operation beside what they come from.
func WorkloadText(w io.Writer, r *WorkloadRun) error {
	g := &grid{}
	for i, m := range r.Table.Metrics {
		v := r.Table.Values[i][0]
		if m.Absent != "" || math.IsNaN(v) {
			continue
		}
		g.add(cell{text: Printable(m.Name), left: true}, cell{text: scaleFor(m, true, v).value(v)})
	}
	for i, s := range r.Shares {
		g.add(cell{text: fmt.Sprintf("task %d, nice %d", i+1, s.Nice), left: true},
			cell{text: fmt.Sprintf("%.2f %%", 100*s.Share)}, cell{text: fmt.Sprintf("of %.2f %%", 100*s.Weight), left: true})
	}
	if _, err := fmt.Fprintf(w, "%s: an operation is one %s\n\n", Printable(r.Text), r.Operation); err != nil {
		return err
	}
	return g.write(w)
}

// workloadVersion is the version of the shape that WorkloadJSON writes.
const workloadVersion = 1

// WorkloadJSON writes a run for programs: base units, all digits.
func WorkloadJSON(w io.Writer, r *WorkloadRun) error {
	type metric struct {
		Name    string    `json:"name"`
		Unit    string    `json:"unit,omitempty"`
		Value   jsonFloat `json:"value"`
		Derived bool      `json:"derived,omitempty"`
		Absent  string    `json:"absent,omitempty"`
		Reason  string    `json:"reason,omitempty"`
	}
	doc := struct {
		Format    string          `json:"format"` // "microcost-workload"
		Version   int             `json:"version"`
		Workload  string          `json:"workload"`
		Command   []string        `json:"command"`
		Operation string          `json:"operation"`
		Metrics   []metric        `json:"metrics"`
		Shares    []WorkloadShare `json:"shares,omitempty"`
	}{"microcost-workload", workloadVersion, r.Text, r.Command, r.Operation, nil, r.Shares}
	for i, m := range r.Table.Metrics {
		doc.Metrics = append(doc.Metrics, metric{m.Name, string(m.Unit), jsonFloat(r.Table.Values[i][0]), m.Derived, m.Absent, m.Reason})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(doc)
}
