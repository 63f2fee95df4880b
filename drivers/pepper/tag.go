package pepper

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

const (
	minUID = 4
	maxUID = 8
)

// FormatUID gives the text form of a UID as it was read; see the package comment. It fails unless the UID has 4 to 8
// bytes.
func FormatUID(uid []byte) (string, error) {
	if len(uid) < minUID || len(uid) > maxUID {
		return "", fmt.Errorf("pepper: uid of %d bytes, want %d to %d", len(uid), minUID, maxUID)
	}
	if len(uid) == 8 && uid[7] == 0xE0 && uid[0] != 0xE0 {
		uid = slices.Clone(uid)
		slices.Reverse(uid)
	}
	return strings.ToUpper(hex.EncodeToString(uid)), nil
}

// tagData reads tag type, tag parameter and UID, as they stand in the answer to CmdUID.
func tagData(data []byte) (string, error) {
	if len(data) < 2 {
		return "", fmt.Errorf("pepper: tag data of %d bytes", len(data))
	}
	return FormatUID(data[2:])
}

// reading takes the tag out of an event. The antenna is 0 where the event does not name it.
func reading(m Message) (Reading, error) {
	if m.JSON == nil {
		if len(m.Payload) < 2 {
			return Reading{}, fmt.Errorf("pepper: event of %d bytes", len(m.Payload))
		}
		uid, err := tagData(m.Payload[2:])
		return Reading{UID: uid}, err
	}
	var event struct {
		Type    string `json:"type"`
		UID     string `json:"uid"`
		Antenna int    `json:"antenna"`
	}
	if err := json.Unmarshal(m.JSON, &event); err != nil {
		return Reading{}, fmt.Errorf("pepper: event: %w", err)
	}
	if event.Type != "uid" {
		return Reading{}, fmt.Errorf("pepper: event of type %q", event.Type)
	}
	raw, err := hex.DecodeString(event.UID)
	if err != nil {
		return Reading{}, fmt.Errorf("pepper: event: uid: %w", err)
	}
	uid, err := FormatUID(raw)
	return Reading{Antenna: event.Antenna, UID: uid}, err
}
