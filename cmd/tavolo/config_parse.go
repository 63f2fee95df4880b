package main

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"path"
	"slices"
	"strconv"
	"strings"

	"tavolo/controller/broker"
	"tavolo/controller/mqtt"
)

// The functions below read one value of the configuration. Their errors say what is wrong, then ": want", then what is
// expected, as required relies on.

func parseID(text string) (string, error) {
	if !mqtt.ValidID(text) {
		return "", fmt.Errorf("%q: want 1 to 32 of a-z 0-9 -", text)
	}
	return text, nil
}

func parsePath(text string) (string, error) {
	if text == "" || strings.ContainsRune(text, 0) {
		return "", fmt.Errorf("%q: want a path", text)
	}
	return text, nil
}

func parseRemote(kind string) (bool, error) {
	if kind != "remote" && kind != "felt" {
		return false, fmt.Errorf("unknown kind %q: want remote or felt", kind)
	}
	return kind == "remote", nil
}

func parseDelayedCards(text string) (bool, error) {
	switch text {
	case "all":
		return true, nil
	case "shown":
		return false, nil
	}
	return false, fmt.Errorf("%q: want all or shown", text)
}

func parseDeviceKind(text string) (string, error) {
	kinds := slices.Sorted(maps.Keys(deviceKinds()))
	if !slices.Contains(kinds, text) {
		return "", fmt.Errorf("unknown kind %q: want %s", text, either(kinds))
	}
	return text, nil
}

// parseRole takes every role but that of the table itself, which needs no user.
func parseRole(text string) (mqtt.Role, error) {
	var roles []mqtt.Role
	for _, rule := range mqtt.Rules() {
		if rule.Role != mqtt.Engine {
			roles = append(roles, rule.Role)
		}
	}
	if !slices.Contains(roles, mqtt.Role(text)) {
		return "", fmt.Errorf("unknown role %q: want %s", text, either(roles))
	}
	return mqtt.Role(text), nil
}

// parseHash never quotes its text.
func parseHash(text string) (string, error) {
	if broker.CheckHash(text) != nil {
		return "", errors.New("not the hash of a password: want what 'tavolo broker passwd' prints")
	}
	return text, nil
}

// parseBrokerURL takes what a link takes, or nothing.
func parseBrokerURL(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if _, err := mqtt.NewLink(mqtt.Options{URL: text, ClientID: "x"}); err != nil { // which connects to nothing yet
		return "", errors.New(strings.TrimPrefix(err.Error(), "mqtt link: "))
	}
	return text, nil
}

// parseListen takes an address to listen on, or nothing.
func parseListen(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	_, port, err := net.SplitHostPort(text)
	if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || port != strconv.FormatUint(n, 10) {
		return "", fmt.Errorf("%q: want HOST:PORT, such as 127.0.0.1:1883", text)
	}
	return text, nil
}

// parseOrigin takes a host of a web page, with * for any part of it.
func parseOrigin(text string) (string, error) {
	if _, err := path.Match(text, ""); err != nil || text == "" {
		return "", fmt.Errorf("%q: want a host, such as studio.example or *.studio.example", text)
	}
	return text, nil
}

// either lists what one may choose from: a, b or c.
func either[T ~string](all []T) string {
	var b strings.Builder
	for i, v := range all {
		switch i {
		case 0:
		case len(all) - 1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(string(v))
	}
	return b.String()
}
