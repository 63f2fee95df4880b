package pepper

import (
	"encoding/hex"
	"encoding/json"
	"fmt"

	"tavolo/drivers/rfid"
)

// icodeUID is the length of an ISO 15693 UID in bytes.
const icodeUID = 8

// tagData reads tag type, tag parameter and UID, as they stand in the answer to CmdUID.
func tagData(data []byte) (string, error) {
	if len(data) < 2 {
		return "", fmt.Errorf("pepper: tag data of %d bytes", len(data))
	}
	return rfid.FormatUID(data[2:])
}

// reading takes the tag out of an event. The antenna is 0 where the event does not name it.
func reading(m Message) (rfid.Reading, error) {
	if m.JSON == nil {
		if len(m.Payload) < 2 {
			return rfid.Reading{}, fmt.Errorf("pepper: event of %d bytes", len(m.Payload))
		}
		uid, err := tagData(m.Payload[2:])
		return rfid.Reading{UID: uid}, err
	}
	var event struct {
		Type    string `json:"type"`
		UID     string `json:"uid"`
		Antenna int    `json:"antenna"`
	}
	if err := json.Unmarshal(m.JSON, &event); err != nil {
		return rfid.Reading{}, fmt.Errorf("pepper: event: %w", err)
	}
	if event.Type != "uid" {
		return rfid.Reading{}, fmt.Errorf("pepper: event of type %q", event.Type)
	}
	raw, err := hex.DecodeString(event.UID)
	if err != nil {
		return rfid.Reading{}, fmt.Errorf("pepper: event: uid: %w", err)
	}
	uid, err := rfid.FormatUID(raw)
	return rfid.Reading{Antenna: event.Antenna, UID: uid}, err
}
