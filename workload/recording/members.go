package recording

// The methods below make unknown members survive: each type is read and
// written as a plain struct, and what it has no field for is kept in Extra.

// MarshalJSON writes the head and its extra members.
func (h Head) MarshalJSON() ([]byte, error) {
	type plain Head
	return encode(plain(h), h.Extra)
}

// UnmarshalJSON keeps the members that it does not know in Extra.
func (h *Head) UnmarshalJSON(data []byte) (err error) {
	type plain Head
	h.Extra, err = decode(data, (*plain)(h))
	return err
}

// MarshalJSON writes the session and its extra members.
func (s Session) MarshalJSON() ([]byte, error) {
	type plain Session
	return encode(plain(s), s.Extra)
}

// UnmarshalJSON keeps the members that it does not know in Extra.
func (s *Session) UnmarshalJSON(data []byte) (err error) {
	type plain Session
	s.Extra, err = decode(data, (*plain)(s))
	return err
}

// MarshalJSON writes the variant and its extra members.
func (v Variant) MarshalJSON() ([]byte, error) {
	type plain Variant
	return encode(plain(v), v.Extra)
}

// UnmarshalJSON keeps the members that it does not know in Extra.
func (v *Variant) UnmarshalJSON(data []byte) (err error) {
	type plain Variant
	v.Extra, err = decode(data, (*plain)(v))
	return err
}

// MarshalJSON writes the binary and its extra members.
func (b Binary) MarshalJSON() ([]byte, error) {
	type plain Binary
	return encode(plain(b), b.Extra)
}

// UnmarshalJSON keeps the members that it does not know in Extra.
func (b *Binary) UnmarshalJSON(data []byte) (err error) {
	type plain Binary
	b.Extra, err = decode(data, (*plain)(b))
	return err
}

// MarshalJSON writes the event and its extra members.
func (e Event) MarshalJSON() ([]byte, error) {
	type plain Event
	return encode(plain(e), e.Extra)
}

// UnmarshalJSON keeps the members that it does not know in Extra.
func (e *Event) UnmarshalJSON(data []byte) (err error) {
	type plain Event
	e.Extra, err = decode(data, (*plain)(e))
	return err
}

// MarshalJSON writes the plan and its extra members.
func (p Plan) MarshalJSON() ([]byte, error) {
	type plain Plan
	return encode(plain(p), p.Extra)
}

// UnmarshalJSON keeps the members that it does not know in Extra.
func (p *Plan) UnmarshalJSON(data []byte) (err error) {
	type plain Plan
	p.Extra, err = decode(data, (*plain)(p))
	return err
}

// MarshalJSON writes the judge and its extra members.
func (j Judge) MarshalJSON() ([]byte, error) {
	type plain Judge
	return encode(plain(j), j.Extra)
}

// UnmarshalJSON keeps the members that it does not know in Extra.
func (j *Judge) UnmarshalJSON(data []byte) (err error) {
	type plain Judge
	j.Extra, err = decode(data, (*plain)(j))
	return err
}

// MarshalJSON writes the environment and its extra members.
func (e Env) MarshalJSON() ([]byte, error) {
	type plain Env
	return encode(plain(e), e.Extra)
}

// UnmarshalJSON keeps the members that it does not know in Extra.
func (e *Env) UnmarshalJSON(data []byte) (err error) {
	type plain Env
	e.Extra, err = decode(data, (*plain)(e))
	return err
}

// MarshalJSON writes the private and its extra members.
func (p Private) MarshalJSON() ([]byte, error) {
	type plain Private
	return encode(plain(p), p.Extra)
}

// UnmarshalJSON keeps the members that it does not know in Extra.
func (p *Private) UnmarshalJSON(data []byte) (err error) {
	type plain Private
	p.Extra, err = decode(data, (*plain)(p))
	return err
}

// MarshalJSON writes the summary and its extra members.
func (s Summary) MarshalJSON() ([]byte, error) {
	type plain Summary
	return encode(plain(s), s.Extra)
}

// UnmarshalJSON keeps the members that it does not know in Extra.
func (s *Summary) UnmarshalJSON(data []byte) (err error) {
	type plain Summary
	s.Extra, err = decode(data, (*plain)(s))
	return err
}

// MarshalJSON writes the end and its extra members.
func (e End) MarshalJSON() ([]byte, error) {
	type plain End
	return encode(plain(e), e.Extra)
}

// UnmarshalJSON keeps the members that it does not know in Extra.
func (e *End) UnmarshalJSON(data []byte) (err error) {
	type plain End
	e.Extra, err = decode(data, (*plain)(e))
	return err
}

// MarshalJSON writes the result and its extra members.
func (a AA) MarshalJSON() ([]byte, error) {
	type plain AA
	return encode(plain(a), a.Extra)
}

// UnmarshalJSON keeps the members that it does not know in Extra.
func (a *AA) UnmarshalJSON(data []byte) (err error) {
	type plain AA
	a.Extra, err = decode(data, (*plain)(a))
	return err
}

// MarshalJSON writes the floor and its extra members.
func (a AAFloor) MarshalJSON() ([]byte, error) {
	type plain AAFloor
	return encode(plain(a), a.Extra)
}

// UnmarshalJSON keeps the members that it does not know in Extra.
func (a *AAFloor) UnmarshalJSON(data []byte) (err error) {
	type plain AAFloor
	a.Extra, err = decode(data, (*plain)(a))
	return err
}

// MarshalJSON writes the sizes and their extra members.
func (s SectionSizes) MarshalJSON() ([]byte, error) {
	type plain SectionSizes
	return encode(plain(s), s.Extra)
}

// UnmarshalJSON keeps the members that it does not know in Extra.
func (s *SectionSizes) UnmarshalJSON(data []byte) (err error) {
	type plain SectionSizes
	s.Extra, err = decode(data, (*plain)(s))
	return err
}

// MarshalJSON writes the guest and its extra members.
func (g Guest) MarshalJSON() ([]byte, error) {
	type plain Guest
	return encode(plain(g), g.Extra)
}

// UnmarshalJSON keeps the members that it does not know in Extra.
func (g *Guest) UnmarshalJSON(data []byte) (err error) {
	type plain Guest
	g.Extra, err = decode(data, (*plain)(g))
	return err
}
