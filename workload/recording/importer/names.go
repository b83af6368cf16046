package importer

// names is a list of different names in the order in which they were met.
type names struct {
	list []string
	at   map[string]int
}

// meet adds a name unless it is there.
func (n *names) meet(name string) {
	if _, ok := n.at[name]; ok {
		return
	}
	if n.at == nil {
		n.at = map[string]int{}
	}
	n.at[name] = len(n.list)
	n.list = append(n.list, name)
}
