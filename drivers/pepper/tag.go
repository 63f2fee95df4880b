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

// reported takes the tag out of an event.
func reported(m Message) (uid string, err error) {
	if m.JSON == nil {
		if len(m.Payload) < 2 {
			return "", fmt.Errorf("pepper: event of %d bytes", len(m.Payload))
		}
		return tagData(m.Payload[2:])
	}
	var event struct {
		Type string `json:"type"`
		UID  string `json:"uid"`
	}
	if err := json.Unmarshal(m.JSON, &event); err != nil {
		return "", fmt.Errorf("pepper: event: %w", err)
	}
	if event.Type != "uid" {
		return "", fmt.Errorf("pepper: event of type %q", event.Type)
	}
	raw, err := hex.DecodeString(event.UID)
	if err != nil {
		return "", fmt.Errorf("pepper: event: uid: %w", err)
	}
	return rfid.FormatUID(raw)
}
