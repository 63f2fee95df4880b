package calibration

import "time"

// Certificate is what is kept of a step of calibration: everything that was measured, the limit that it was held against, and
// what it came to. It goes into a file as JSON.
type Certificate struct {
	V     int    `json:"v"`     // of this format: 1
	Table string `json:"table"` // studio and name
	// Step is what was done, such as deck, and Subject to what, such as the name of the deck.
	Step    string    `json:"step"`
	Subject string    `json:"subject"`
	At      time.Time `json:"at"`
	By      string    `json:"by"` // who did it
	// Due is when it is to be done again at the latest.
	Due time.Time `json:"due"`
	// Program says with which program, Config with which configuration, by the SHA-256 of its file.
	Program any       `json:"program"`
	Config  FileState `json:"config"`
	// Devices are those that were measured with.
	Devices []DeviceState `json:"devices,omitempty"`
	Values  []Value       `json:"values"`
	// Written is the file that the step has written, and Kept where what was there before is kept.
	Written *FileState `json:"written,omitempty"`
	Kept    string     `json:"kept,omitempty"`
	Verdict Verdict    `json:"verdict"`
}

// FileState says exactly which file it was.
type FileState struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// DeviceState is a device that was measured with.
type DeviceState struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Place    string `json:"place,omitempty"`
	Firmware string `json:"firmware,omitempty"`
}

// Verdict is what a value or a certificate came to.
type Verdict string

// The verdicts. A value without a limit passes.
const (
	Pass Verdict = "pass"
	Fail Verdict = "fail"
)

// Value is one value that was measured or chosen, with its limits if it has any.
type Value struct {
	What  string   `json:"what"`
	Value float64  `json:"value"`
	Unit  string   `json:"unit,omitempty"`
	Min   *float64 `json:"min,omitempty"`
	Max   *float64 `json:"max,omitempty"`
	// Note is what cannot be told by a number.
	Note    string  `json:"note,omitempty"`
	Verdict Verdict `json:"verdict"`
}

// NewValue is a value without a limit; see its methods for those.
func NewValue(what string, value float64, unit string) Value {
	return Value{What: what, Value: value, Unit: unit, Verdict: Pass}
}

// AtMost gives the value with an upper limit.
func (v Value) AtMost(limit float64) Value {
	v.Max = &limit
	return v.judged(v.Value <= limit)
}

// AtLeast gives the value with a lower limit.
func (v Value) AtLeast(limit float64) Value {
	v.Min = &limit
	return v.judged(v.Value >= limit)
}

// Exactly gives the value with the only one that passes.
func (v Value) Exactly(want float64) Value { return v.AtLeast(want).AtMost(want) }

// Noting gives the value with what cannot be told by a number.
func (v Value) Noting(note string) Value {
	v.Note = note
	return v
}

func (v Value) judged(ok bool) Value {
	if !ok {
		v.Verdict = Fail
	}
	return v
}

// Add adds values, and has the certificate come to what they do: it passes if all of them do.
func (c *Certificate) Add(values ...Value) {
	c.Values = append(c.Values, values...)
	c.Verdict = Pass
	for _, v := range c.Values {
		if v.Verdict != Pass {
			c.Verdict = Fail
		}
	}
}
