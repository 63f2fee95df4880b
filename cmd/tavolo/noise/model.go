package noise

// Kind is a kind of thing that goes wrong at a table.
type Kind int

// The kinds, by where they happen.
const (
	// At the antennas: a look misses a tag; it misses one of three or more in one field; of three cards on one another one is
	// not seen at all until they are moved; a look sees a tag at a neighbouring antenna; a tag's number is read wrong though
	// its checksum is right; a look sees a tag that was taken away a moment ago.
	Missed Kind = iota
	Crowded
	Stacked
	Ghost
	Shifted
	Lingered
	// At the mouth of the shoe: a look misses a card that slides past; all do; the card behind it is seen too; it is jammed there.
	// A look ahead sees the card behind the next one too; that is the one which leaves.
	MissedPassing
	ShoeMissed
	ShoeTwo
	Jammed
	AheadTwo
	NotNext
	// At the contacts of the shoe: the gate opens though no card leaves, the lid in the middle of a hand; a change bounces for
	// longer than the kernel waits for that; the kernel loses one and knows that; it loses one without a trace.
	GateOpened
	LidOpened
	ContactBounced
	ContactLost
	ContactMissed
	// On the wire to a reader, in one look: an answer is lost, cut, has strange bytes before it, or a bit is wrong.
	ReaderLost
	ReaderCut
	ReaderGarbage
	ReaderBit
	// A reader falls silent at a look, or its cable is pulled.
	ReaderHung
	ReaderUnplugged
	// The dealer deals a card to the place next to the right one; drops the stub, of which some cards fall on the felt.
	WrongPlace
	DroppedStub
	// A key of a panel bounces for longer than the panel waits for it, so that it is pressed twice; it stays down.
	KeyBounced
	KeyStuck
	// At the encoder of a panel on lines of the board: a contact bounces; the kernel loses a change and knows that; it loses one
	// without a trace.
	EncoderBounced
	EncoderLost
	EncoderMissed
	// On the bus of the panels: a frame is lost, cut, or a bit of it is wrong; a panel loses its power for a moment; the
	// cable of the bus is pulled.
	BusLost
	BusCut
	BusBit
	NodeReset
	BusUnplugged
	// At the antennas under chips: a round of a look misses one; a look sees one of the spot beside. One that no round hears, for the
	// chips around it, is not among them: the reader cannot know, and the sum of the chips at the table is where it shows.
	ChipMissed
	ChipGhost
	// At the scales under chips: a sample is disturbed; their zero moves; a hand lies on chips.
	ScaleSpike
	ScaleDrift
	Palm
	kinds
)

// names are the kinds as they are printed.
var names = [kinds]string{
	Missed: "missed_read", Crowded: "missed_in_crowd", Stacked: "three_stacked", Ghost: "ghost", Shifted: "shifted_uid",
	Lingered: "slow_removal", MissedPassing: "missed_passing", ShoeMissed: "missed_at_shoe", ShoeTwo: "two_at_shoe",
	Jammed: "jammed", AheadTwo: "two_ahead", NotNext: "not_next", GateOpened: "gate_opened", LidOpened: "lid_opened",
	ContactBounced: "contact_bounced", ContactLost: "contact_lost", ContactMissed: "contact_missed",
	ReaderLost: "reader_frame_lost", ReaderCut: "reader_frame_cut", ReaderGarbage: "reader_garbage", ReaderBit: "reader_bit_wrong",
	ReaderHung: "reader_hung", ReaderUnplugged: "reader_unplugged", WrongPlace: "wrong_place", DroppedStub: "dropped_stub",
	KeyBounced: "key_bounced", KeyStuck: "key_stuck",
	EncoderBounced: "encoder_bounced", EncoderLost: "encoder_lost", EncoderMissed: "encoder_missed", BusLost: "bus_frame_lost", BusCut: "bus_frame_cut", BusBit: "bus_bit_wrong",
	NodeReset: "panel_reset", BusUnplugged: "bus_unplugged",
	ChipMissed: "missed_chip", ChipGhost: "ghost_of_chip", ScaleSpike: "scale_disturbed", ScaleDrift: "scale_drifted", Palm: "hand_on_chips",
}

func (k Kind) String() string { return names[k] }

// Model is how likely each kind is, each time it can happen.
type Model [kinds]float64

// Default is for a table that is well set up. What is published says what goes wrong, but not how often: the rates are assumed,
// on the careful side, where no source is given.
var Default = Model{
	Missed:   0.02,   // per tag and look; assumed
	Crowded:  0.10,   // per tag and look; builders of such tables found two cards on one another reliable, three not; the rate is assumed
	Stacked:  0.001,  // per third card on a place, the muck aside; assumed
	Ghost:    0.004,  // per tag of a neighbour and look, though the antennas take turns; reported of fields that overlap, the rate is assumed
	Shifted:  0.0004, // per tag and look; reported of fields that overlap, without an error of the checksum, the rate is assumed
	Lingered: 0.3,    // per tag and look in the first linger after it was taken away; assumed

	MissedPassing: 0.1,    // per look, of which there are three or four; assumed
	ShoeMissed:    0.001,  // per card; assumed
	ShoeTwo:       0.001,  // per card; assumed
	Jammed:        0.001,  // per card; assumed
	AheadTwo:      0.02,   // per look; assumed
	NotNext:       0.0005, // per card; assumed

	GateOpened:     0.001,  // per card; assumed
	LidOpened:      0.0002, // per card; assumed
	ContactBounced: 0.002,  // per change; assumed
	ContactLost:    0.0005, // per change; a buffer that is full loses them, and so does an interrupt that cannot follow; the rates are assumed
	ContactMissed:  0.0005,

	ReaderLost: 0.0015, ReaderCut: 0.0015, ReaderGarbage: 0.0015, ReaderBit: 0.0015, // per look; assumed
	ReaderHung:      0.000002, // per look, which is once in some hours; that chips hang after hours is reported, the rate is assumed
	ReaderUnplugged: 0.000001, // per look; assumed

	WrongPlace:  0.0005, // per card; assumed
	DroppedStub: 0.0005, // per card; assumed

	KeyBounced: 0.002, // per press; assumed
	KeyStuck:   0.001, // per press; assumed

	EncoderBounced: 0.1,    // per change; data sheets have up to 3 ms of chatter, the rate is assumed
	EncoderLost:    0.0005, // per change, as of the shoe's contacts
	EncoderMissed:  0.0005,

	BusLost: 0.001, BusCut: 0.001, BusBit: 0.001, // per frame; assumed
	NodeReset:    0.000005, // per panel and round; assumed
	BusUnplugged: 0.000002, // per round; assumed

	ChipMissed: 0.05,   // per chip and round, of which a look has three at least; assumed
	ChipGhost:  0.002,  // per chip of a spot beside and look; assumed
	ScaleSpike: 0.0005, // per sample; assumed
	ScaleDrift: 0.002,  // per sample; assumed, some tenths of a gram in an hour
	Palm:       0.02,   // per move; assumed
}

// loudest bounds a rate that a level has multiplied.
const loudest = 0.5

// at is the model at a level.
func (m Model) at(level float64) Model {
	for k := range m {
		m[k] = min(m[k]*level, loudest)
	}
	return m
}

// Counts are how often each kind has happened.
type Counts [kinds]int

func (c *Counts) add(o *Counts) {
	for k, n := range o {
		c[k] += n
	}
}

// ByName are those that have happened, by their names.
func (c *Counts) ByName() map[string]int {
	out := map[string]int{}
	for k, n := range c {
		if n > 0 {
			out[Kind(k).String()] = n
		}
	}
	return out
}
