// Package rfid is what all readers of RFID tags have in common: the words they report in, and the loop that most of them
// are run by. What a tag means, which card or chip it is in and whether it lies where a single look saw it, is decided by
// those who take the reports.
//
// A [Reader] has antennas, numbered from 1, and reports two things: a [Scan] for each look at one antenna, which is
// exactly the tags that answered; a [State] when the reader comes up or is lost. A look that something spoilt, a damaged answer, a collision that could
// not be resolved, gives no Scan at all rather than a short one, for a tag that is missing from a Scan counts as gone.
// While a reader is lost nothing is known of its antennas, which is not the same as empty.
//
// A driver for a reader that is asked, look by look, is a [Driver] and is run by a [Dev]. Package rfidtest holds what
// every reader must pass.
package rfid

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Report is what a reader has to say: a [Scan] or a [State].
type Report interface{ report() }

// Scan is one look at one antenna: these tags answered, and, if the list is not Partial, no others. Of a reader in a shoe that
// tells of passing tags by itself, it is the next that has come into the field, if any: a tag that stays is told once, until
// it has not been seen for a second.
type Scan struct {
	Antenna int
	UIDs    []string // sorted, each once; empty if nothing lies there
	Partial bool     // the reader lists no more than these, further tags may lie there
	// RSSI is how strong the answer of each tag was, in dBm by UID, the best of the look; nil for a reader that does not say.
	RSSI map[string]int
	At   time.Time
}

// State tells that the reader came up or was lost. After a loss, nothing is known of its antennas until scans come in
// again. A loss is told again only when its reason changes.
type State struct {
	Up       bool
	Firmware string // the reader's own version text; empty while it is lost
	Err      error  // why it is lost; nil while it is up
	At       time.Time
}

func (Scan) report()  {}
func (State) report() {}

// Reader is a reader at work.
type Reader interface {
	// Run holds the reader until ctx ends, through hangs, restarts and unplugging; then it puts it to rest, its fields
	// off, as far as it still listens, and returns nil within a few seconds. It may be called once.
	Run(ctx context.Context) error
	// Reports is where the reports come out, in the order they happened. It is closed when Run returns. The reader
	// waits for a taker and drops none.
	Reports() <-chan Report
	// Counters count what went wrong so far, by the names of the faults. Any goroutine may call it.
	Counters() map[string]uint64
}

// Lengths of a UID in bytes: ISO 14443 has 4, 7 or 10, ISO 15693 has 8, an EPC up to 16.
const (
	MinUID = 4
	MaxUID = 16
)

// FormatUID gives the text form of a UID: upper-case hexadecimal without separators, most significant byte first. It
// fails unless the UID has MinUID to MaxUID bytes.
//
// ISO 15693 puts the least significant byte first on the air, and some readers keep that order in some of their answers
// while labels and others turn it round. The standard fixes the most significant byte to E0, so 8 bytes that end in E0
// and do not begin with it are turned round here: one tag has one name, whichever way it was read.
func FormatUID(uid []byte) (string, error) {
	if len(uid) < MinUID || len(uid) > MaxUID {
		return "", fmt.Errorf("uid of %d bytes, want %d to %d", len(uid), MinUID, MaxUID)
	}
	if len(uid) == 8 && uid[7] == 0xE0 && uid[0] != 0xE0 {
		uid = slices.Clone(uid)
		slices.Reverse(uid)
	}
	return strings.ToUpper(hex.EncodeToString(uid)), nil
}
