package main

import (
	"os"
	"testing"
)

func TestHeaderIsCurrent(t *testing.T) {
	got, err := os.ReadFile("../node_messages.h")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(header()) {
		t.Error("node_messages.h is not what the message table says: run go generate ./firmware-bridge/...")
	}
}
