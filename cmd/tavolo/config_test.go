package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tavolo/calibration"
	"tavolo/controller"
	"tavolo/controller/mqtt"
	"tavolo/engine"
	"tavolo/engine/card"
	"tavolo/engine/rake"
	"tavolo/engine/seating"
)

func TestSampleConfig(t *testing.T) {
	c, err := LoadConfig("testdata/table.toml")
	if err != nil {
		t.Fatal(err)
	}
	if want := (mqtt.Topics{Studio: "milano", Table: "t1"}); c.Topics != want || c.Title != "Table 1" {
		t.Errorf("table %v, title %q", c.Topics, c.Title)
	}
	if c.Rules.Game.Name != "holdem" || c.Rules.Limit != engine.NoLimit || c.Rules.House.Name != "tda" {
		t.Errorf("rules %+v", c.Rules)
	}
	if want := (engine.Stakes{SmallBlind: 1, BigBlind: 2, Chip: 1}); c.Rules.Stakes != want {
		t.Errorf("stakes %+v, want %+v", c.Rules.Stakes, want)
	}
	if c.Timing != controller.TimingOf(c.Rules.House) || c.Button != 1 {
		t.Errorf("clocks %+v, button %d", c.Timing, c.Button)
	}
	if want := (seating.Rules{ReEntry: 6 * 60 * 60_000, Offer: 60_000, SitOut: 10 * 60_000}); c.Seating != want {
		t.Errorf("between hands %+v, want %+v", c.Seating, want)
	}
	seats := []SeatConfig{
		{Seat: 1, Remote: true, Player: "alice", Name: "Alice", Stack: 200},
		{Seat: 2, Player: "Carla", Name: "Carla", Stack: 200, Node: 1},
		{Seat: 3, Remote: true, Player: "bob", Name: "Bob", Stack: 200},
		{Seat: 4, Stack: 200, Node: 2},
	}
	if !reflect.DeepEqual(c.Seats, seats) {
		t.Errorf("seats %+v, want %+v", c.Seats, seats)
	}
	if c.Journal != "testdata/journal" {
		t.Errorf("journal in %s", c.Journal)
	}
	b := c.Broker
	if b.Listen != "127.0.0.1:1883" || b.URL != "" || len(b.Users) != 4 || b.Users[2].Role != mqtt.Dealer || b.MaxClients != 1024 || b.UserClients != 16 {
		t.Errorf("broker %+v", b)
	}
	if want := (WebConfig{Listen: "127.0.0.1:8080", Spectator: "viewer", SpectatorPassword: "viewer"}); c.Web != want {
		t.Errorf("web %+v, want %+v", c.Web, want)
	}
	if err := c.Deck.Covers(card.French); err != nil {
		t.Error(err)
	}
	seat := func(s engine.Seat) engine.Zone { return engine.Zone{Kind: engine.ZoneSeat, Seat: s} }
	devices := []DeviceConfig{
		{
			Name: "shoe", Kind: "pepper-c1", Path: "/dev/serial/by-id/usb-eccel-pepper-c1-0001",
			Zones: []engine.Zone{{Kind: engine.ZoneShoe}}, Air: []string{}, Apart: 300 * time.Millisecond,
		},
		{
			Name: "pads", Kind: "pepper-c1-mux", Path: "/dev/serial/by-id/usb-eccel-pepper-c1-0002", Air: []string{},
			Zones: []engine.Zone{
				seat(1), seat(2), seat(3), seat(4),
				{Kind: engine.ZoneBoard},
				{Kind: engine.ZoneBurn},
				{Kind: engine.ZoneMuck},
			},
		},
		{Name: "panels", Kind: "seat-bus", Path: "/dev/serial/by-id/usb-rs485-0001", Baud: 115200, Zones: []engine.Zone{}, Reply: 30 * time.Millisecond},
		{
			Name: "bet-2", Kind: "uhf", Path: "/dev/serial/by-path/pci-0000:00:14.0-usb-0:2.1:1.0-port0",
			Zones: []engine.Zone{{Kind: engine.ZoneSpot, Seat: 2}}, Air: []string{"felt"}, Baud: 115200, Power: 15,
		},
	}
	if !reflect.DeepEqual(c.Devices, devices) {
		t.Errorf("devices %+v, want %+v", c.Devices, devices)
	}
	if v, ok := c.Chips.Value("E280116060000205A1B2C30C"); !ok || v != 25 {
		t.Errorf("a chip is worth %d, want 25", v)
	}
}

// smallest is a configuration with nothing in it that could be left out; the tests of faults spoil it.
const smallest = `[table]
studio = "milano"
name = "t1"
game = "holdem"
limit = "no-limit"
big_blind = 2
[[seats]]
number = 1
kind = "remote"
player = "alice"
stack = 200
[[seats]]
number = 2
kind = "remote"
player = "bob"
stack = 200
[journal]
dir = "journal"
[[broker.users]]
name = "alice"
role = "player"
password = "` + hash + `"
[[broker.users]]
name = "bob"
role = "player"
password = "` + hash + `"
[[players]]
name = "alice"
key = "ABCDEFGHIJKLMNOPQRSTUVWX23"
[[players]]
name = "bob"
key = "ABCDEFGHIJKLMNOPQRSTUVWX34"
`

const hash = "$pbkdf2-sha512$i=1$c2FsdHNhbHQ$" +
	"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

func openSeats(numbers ...int) (text string) {
	for _, n := range numbers {
		text += fmt.Sprintf("[[seats]]\nnumber = %d\nkind = \"remote\"\nplayer = \"\"\n", n)
	}
	return text
}

// loadText loads a configuration from a folder that holds deck.toml and short.toml, of 52 and 51 cards, bad.toml and chips.toml, and the dealer
// button's marker.toml and, with tags of the chips and of the deck, taken.toml. Of the chips
// of large.toml the smallest is worth 25.
func loadText(t *testing.T, text string) (*Config, error) {
	t.Helper()
	deck, err := os.ReadFile("testdata/deck.toml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string]string{
		"table.toml":  text,
		"deck.toml":   string(deck),
		"short.toml":  string(deck[:strings.LastIndex(strings.TrimSpace(string(deck)), "\n")]),
		"bad.toml":    "name = \"red 7\"\n[tags]\nE0040150 = \"1h\"\nE0040151 = \"2h\"\nE0040152 = \"2h\"\n",
		"chips.toml":  "name = \"cash\"\n[tags]\nE0040150 = 1\n",
		"large.toml":  "name = \"cash\"\n[tags]\nE0040150 = 100\nE0040151 = 25\n",
		"marker.toml": "name = \"button 1\"\n[tags]\nE0040150B0770001 = \"button\"\n",
		"taken.toml":  "name = \"button 1\"\n[tags]\nE0040150 = \"button\"\nE004015100A30006 = \"button\"\n",
		"password":    "geheim\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return LoadConfig("table.toml")
}

func TestSmallestConfig(t *testing.T) {
	c, err := loadText(t, smallest)
	if err != nil {
		t.Fatal(err)
	}
	if c.Title != "t1" || c.Rules.House.Name != "tda" || c.Timing != controller.TimingOf(c.Rules.House) {
		t.Errorf("table %+v", c)
	}
	if c.Seats[1].Name != "bob" || c.Button != 0 || c.Deck != nil || c.Journal != "journal" {
		t.Errorf("table %+v", c)
	}
	if c.Broker.Listen != "127.0.0.1:1883" || c.Web.Listen != "127.0.0.1:8080" {
		t.Errorf("broker %+v, web %+v", c.Broker, c.Web)
	}
}

// Which row of the rake table applies is told by limit and stakes (NX-31, NX-32).
func TestRake(t *testing.T) {
	euros := strings.Replace(smallest, "limit = ", "currency = \"EUR\"\nlimit = ", 1)
	own := euros + `[[rake]]
limits = ["no-limit", "fixed"]
steps = [{ below = 400, take = 1, per = 20 }, { take = 5, per = 100 }]
caps = [{ from = 2, amount = 75 }]
thresholds = [{ from = 2, amount = 100 }]
[[rake]]
name = "high"
limits = ["no-limit"]
stakes = 3
steps = [{ take = 5, per = 100 }]
`
	for name, c := range map[string]struct {
		text string
		want rake.Row
	}{
		"published": {strings.Replace(euros, "limit = ", "rake = \"noxwin\"\nlimit = ", 1), rake.Noxwin[0]},
		"own": {own, rake.Row{
			Name: "own", Limits: []string{"no-limit", "fixed"},
			Steps:      []rake.Step{{Below: 400, Take: 1, Per: 20}, {Take: 5, Per: 100}},
			Caps:       []rake.ForPlayers{{From: 2, Amount: 75}},
			Thresholds: []rake.ForPlayers{{From: 2, Amount: 100}},
		}},
		"own, higher": {strings.Replace(own, "big_blind = 2", "big_blind = 4", 1), rake.Row{
			Name: "high", Limits: []string{"no-limit"}, Stakes: 3, Steps: []rake.Step{{Take: 5, Per: 100}},
		}},
		"none": {euros, rake.Row{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := loadText(t, c.text)
			if err != nil {
				t.Fatal(err)
			}
			if got.Currency != "EUR" || !reflect.DeepEqual(got.Rules.Rake, c.want) {
				t.Errorf("currency %q, rake %+v, want %+v", got.Currency, got.Rules.Rake, c.want)
			}
		})
	}
}

func TestUnitsOfACurrency(t *testing.T) {
	for code, want := range map[string]engine.Chips{"": 1, "EUR": 100, "JPY": 1, "KWD": 1000} {
		if got := (&Config{Currency: code}).units(); got != want {
			t.Errorf("%q: %d chips in one, want %d", code, got, want)
		}
	}
}

func TestOpenSeat(t *testing.T) {
	c, err := loadText(t, strings.Replace(smallest, "player = \"bob\"\nstack = 200", "player = \"\"", 1))
	if err != nil {
		t.Fatal(err)
	}
	if want := (SeatConfig{Seat: 2, Remote: true}); c.Seats[1] != want || !c.Seats[1].Open() || c.Seats[0].Open() {
		t.Errorf("seats %+v", c.Seats)
	}
}

// TestTimingOfTheHouse: what is not configured, the house says, and what is goes before.
func TestTimingOfTheHouse(t *testing.T) {
	for _, h := range engine.Houses {
		if !h.Seats(2) {
			continue
		}
		house := controller.TimingOf(h)
		own := house
		own.TimeBank, own.BankRefill, own.Grace = time.Minute, 2*time.Second, 75*time.Second
		for text, want := range map[string]controller.Timing{
			"": house, "\ntime_bank = \"1m\"\nbank_refill = \"2s\"\ndisconnect_grace = \"75s\"": own,
		} {
			t.Run(h.Name+text, func(t *testing.T) {
				c, err := loadText(t, strings.Replace(smallest, "big_blind = 2", fmt.Sprintf("big_blind = 2\nhouse = %q", h.Name)+text, 1))
				if err != nil {
					t.Fatal(err)
				}
				if c.Timing != want {
					t.Errorf("%+v, want %+v", c.Timing, want)
				}
			})
		}
	}
}

// TestSeatingOfTheHouse: what is not configured, house and limit say (NX-04, TC-07, TC-11, TC-12, TC-14).
func TestSeatingOfTheHouse(t *testing.T) {
	c, err := loadText(t, strings.Replace(smallest, "big_blind = 2", "big_blind = 100\nhouse = \"cash\"\nmax_buy_in = 5000", 1))
	if err != nil {
		t.Fatal(err)
	}
	want := seating.Rules{
		MinBuyIn: 1000, MaxBuyIn: 5000, SessionCap: 100000, BuyInRule: "TC-07",
		ReEntry: 6 * 60 * 60_000, SitOut: 15 * 60_000, Offer: 60_000,
	}
	if c.Seating != want {
		t.Errorf("between hands %+v, want %+v", c.Seating, want)
	}
}

// TestBlindsByDefault: the big blind is the lower limit of a fixed table, the small one half of that, rounded down to the chip
// (NX-21, TC-03).
func TestBlindsByDefault(t *testing.T) {
	for _, c := range []struct {
		game, limit, stakes string
		small, big          engine.Chips
	}{
		{"holdem", "no-limit", "big_blind = 2", 1, 2},
		{"holdem", "no-limit", "big_blind = 25", 12, 25},
		{"holdem", "no-limit", "big_blind = 25\nchip = 5", 10, 25},
		{"holdem", "no-limit", "big_blind = 25\nsmall_blind = 0", 0, 25},
		{"holdem", "fixed", "small_bet = 5\nbig_bet = 10", 2, 5},
		{"holdem", "fixed", "small_bet = 4\nbig_bet = 8\nbig_blind = 2", 1, 2},
		{"stud", "fixed", "ante = 1\nbring_in = 2\nsmall_bet = 4\nbig_bet = 8", 0, 0},
	} {
		text := strings.NewReplacer(`"holdem"`, strconv.Quote(c.game), `"no-limit"`, strconv.Quote(c.limit), "big_blind = 2", c.stakes).Replace(smallest)
		t.Run(c.game+" "+c.stakes, func(t *testing.T) {
			cfg, err := loadText(t, text)
			if err != nil {
				t.Fatal(err)
			}
			if st := cfg.Rules.Stakes; st.SmallBlind != c.small || st.BigBlind != c.big {
				t.Errorf("blinds %d and %d, want %d and %d", st.SmallBlind, st.BigBlind, c.small, c.big)
			}
		})
	}
}

func TestExternalBroker(t *testing.T) {
	text, users, _ := strings.Cut(smallest, "[[broker")
	_, players, _ := strings.Cut(users, "[[players]]")
	c, err := loadText(t, text+"[[players]]"+players+"[broker]\nurl = \"wss://broker.example/mqtt\"\nuser = \"engine\"\npassword_file = \"password\"\n")
	if err != nil {
		t.Fatal(err)
	}
	want := BrokerConfig{URL: "wss://broker.example/mqtt", User: "engine", Password: "geheim", Origins: []string{}}
	if !reflect.DeepEqual(c.Broker, want) {
		t.Errorf("broker %+v, want %+v", c.Broker, want)
	}
}

func TestConfigFaults(t *testing.T) {
	_, games, _ := strings.Cut(errorOf(engine.GameNamed("")), "want one of ")
	_, houses, _ := strings.Cut(errorOf(engine.HouseNamed("")), "want one of ")
	kinds := either(slices.Sorted(maps.Keys(deviceKinds())))
	names := strings.NewReplacer("GAMES", games, "HOUSES", houses, "KINDS", kinds)
	const (
		shoe  = "[[devices]]\nname = \"shoe\"\nkind = \"pepper-c1\"\npath = \"/dev/a\"\nzones = [\"shoe\"]\n"
		bus   = "[[devices]]\nname = \"panels\"\nkind = \"seat-bus\"\npath = \"/dev/b\"\n"
		deck  = "[deck]\nfile = \"deck.toml\"\n"
		chips = "[chips]\nfile = \"chips.toml\"\n"
		uhf   = "[[devices]]\nname = \"uhf-1\"\nkind = \"uhf\"\npath = \"/dev/u\"\nzones = [\"pot\"]\n"
		mux   = "[[devices]]\nname = \"pads\"\nkind = \"pepper-c1-mux\"\npath = \"/dev/c\"\nzones = "
	)
	for _, c := range []struct {
		name string
		old  string // replaced by new, once; new is put at the end if old is empty
		new  string
		want string // the faults, GAMES, HOUSES and KINDS for the names of all, without the name of the file
	}{
		{"not TOML", "limit = ", "limit ", "5: toml: expected '=' after key"},
		{"a key twice", "big_blind = 2", "big_blind = 2\nbig_blind = 3", "7: toml: key big_blind is already defined"},

		{"unknown key", "game = ", "gaem = ", `1: table.game: missing: want one of GAMES
4: table.gaem: unknown key: want one of action_clock, ante, bank_refill, big_bet, big_blind, big_blind_ante, bring_in, button, cap, chip, cover_uses, cover_window, currency, disconnect_grace, draw_clock, game, ` +
			`house, limit, max_ante, max_bonus, max_buy_in, min_ante, min_bet, min_bonus, min_buy_in, name, rake, re_entry, seat_offer, session_cap, show_clock, sit_out_limit, small_bet, ` +
			`small_blind, spread, studio, time_bank, title, tray`},
		{"unknown table", "", "[tabel]\n", "33: tabel: unknown key: want one of broker, chips, deck, delayed, devices, jackpot, journal, marker, players, powers, rake, scales, seats, table, web"},
		{
			"unknown key of a seat", "stack = 200\n[journal]", "stack = 200\ncolour = 3\n[journal]",
			"17: seats[1].colour: unknown key: want one of bot, kind, name, node, number, player, sitting_out, stack",
		},
		{"unknown key of a user", "role = \"player\"", "role = \"player\"\nage = 3", "22: broker.users[0].age: unknown key: want one of name, password, role"},
		{
			"many unknown keys", "", "[web]\nport = 1\nhost = 2\n",
			"34: web.port: unknown key: want one of certificate, key, listen, spectator, spectator_password\n" +
				"35: web.host: unknown key: want one of certificate, key, listen, spectator, spectator_password",
		},

		{"text for a number", "big_blind = 2", "big_blind = \"2\"", "1: table: no-limit needs a big_blind, a bring_in or a min_bet above 0\n6: table.big_blind: want a whole number from 0 to 1000000000000"},
		{"fraction for a number", "big_blind = 2", "big_blind = 2\nante = 0.5", "7: table.ante: want a whole number from 0 to 1000000000000"},
		{"number for a text", "name = \"t1\"", "name = 1", "3: table.name: want text in quotes"},
		{"number for a title", "name = \"t1\"", "name = \"t1\"\ntitle = 1", "4: table.title: want text in quotes"},
		{"number for a flag", "stack = 200", "stack = 200\nbot = 1", "12: seats[0].bot: want true or false"},
		{"text for an array", "", shoe[:strings.Index(shoe, "zones")] + "zones = \"shoe\"\n", "37: devices[0].zones: want an array of texts"},
		{"number in an array", "", deck + strings.Replace(shoe, `["shoe"]`, `[1]`, 1), "39: devices[0].zones[0]: want text in quotes"},
		{"value for a table", "[table]", "web = 3\n[table]", "1: web: want a table, [web]"},
		{"table for tables", "", "[devices]\n", "33: devices: want tables, [[devices]]"},
		{
			"values for tables", "[table]", "devices = [1]\n[table]",
			"1: devices[0]: want tables, [[devices]]\n1: devices[0].kind: missing: want KINDS\n" +
				"1: devices[0].name: missing: want 1 to 32 of a-z 0-9 -\n1: devices[0].path: missing: want a path",
		},
		{"control character", "name = \"t1\"", "name = \"t1\"\ntitle = \"a\\tb\"", "4: table.title: want at most 200 characters, none of them a control character"},

		{"bad studio", "\"milano\"", "\"Milano\"", `2: table.studio: "Milano": want 1 to 32 of a-z 0-9 -`},
		{"no currency", "limit = ", "currency = \"Euro\"\nlimit = ", `5: table.currency: "Euro" is no currency: want a code of ISO 4217 such as EUR, or nothing for play money`},
		{"no rake table", "limit = ", "currency = \"EUR\"\nrake = \"ours\"\nlimit = ", `6: table.rake: unknown rake table "ours": want noxwin, or rows of your own in [[rake]]`},
		{"NX-30 rake of play money", "limit = ", "rake = \"noxwin\"\nlimit = ", "5: table.rake: the table plays for play money, of which no rake is taken: name a currency, or take none"},
		{
			"TC-01 too much rake", "", "[[rake]]\nlimits = [\"no-limit\"]\nsteps = [{ take = 3, per = 20 }]\n",
			"33: rake: rake row 1 (own): a pot of 20 with 2 players would pay 3, more than a tenth of it (TC-01): lower the rate or the cap",
		},
		{"NX-B2 jackpot of play money", "", "[jackpot]\npart = 10\n", "33: jackpot: not at play-money tables (NX-B2)"},
		{
			"NX-B2 jackpot of two", "[journal]", "[jackpot]\nstart = -1\n[journal]",
			"17: jackpot: not at play-money tables (NX-B2)\n17: jackpot.part: missing: want a whole number from 1 to 100\n" +
				"18: jackpot.start: want a whole number from 0 to 1000000000000",
		},
		{"no file of chips", "", "[chips]\nfile = \"none\"\n", "34: chips.file: open none: no such file or directory"},
		{
			"faults among the chips", "", "[chips]\nfile = \"bad.toml\"\n", "bad.toml:3: tags.E0040150: want what the chip is worth, a whole number from 1 to 1000000000\n" +
				"bad.toml:4: tags.E0040151: want what the chip is worth, a whole number from 1 to 1000000000\n" +
				"bad.toml:5: tags.E0040152: want what the chip is worth, a whole number from 1 to 1000000000",
		},
		{"chips without values", "", strings.Replace(mux, "\"pepper-c1-mux\"", "\"feig\"", 1) + "[\"pot\"]\n", `1: chips.file: missing: want the chips that lie in zone "pot"`},
		{
			"chips of nobody", "", chips + mux + "[\"spot 9\", \"stack 1\"]\n",
			"39: devices[0].zones[0]: there is no seat 9\n39: devices[0].zones[1]: the player of seat 1 is elsewhere and has no chips here",
		},
		{"chips under a reader of two tags", "", chips + strings.Replace(uhf, "\"uhf\"", "\"pn532\"", 1), "39: devices[0].zones[0]: a device of kind pn532 reads 2 tags at once, too few for chips"},
		{
			"a board under a reader of two tags", "", deck + strings.Replace(mux, "\"pepper-c1-mux\"", "\"mfrc522\"", 1) + "[\"muck\"]\n" +
				strings.NewReplacer("\"pads\"", "\"more\"", "\"pepper-c1-mux\"", "\"pn532\"", "/dev/c", "/dev/z").Replace(mux) + "[\"board\"]\n",
			"39: devices[0].zones[0]: a device of kind mfrc522 reads 2 cards at once, and more lie in zone \"muck\": want another kind there\n" +
				"44: devices[1].zones[0]: a device of kind pn532 reads 2 cards at once, and more lie in zone \"board\": want another kind there",
		},
		{
			"pads of four cards on readers of two", "\"holdem\"\nlimit = \"no-limit\"\nbig_blind = 2\n",
			"\"omaha\"\nlimit = \"no-limit\"\nbig_blind = 2\n" + deck + strings.Replace(mux, "\"pepper-c1-mux\"", "\"mfrc522\"", 1) + "[\"seat 1\"]\n" +
				strings.NewReplacer("\"pads\"", "\"more\"", "\"pepper-c1-mux\"", "\"feig\"", "/dev/c", "/dev/z").Replace(mux) + "[\"seat 2\"]\n",
			"13: devices[0].zones[0]: a device of kind mfrc522 reads 2 cards at once, and more lie in zone \"seat 1\": want another kind there",
		},
		{"cards under a reader of chips", "", deck + strings.Replace(shoe, "pepper-c1", "uhf", 1), "39: devices[0].zones[0]: a device of kind uhf reads chips, and no cards: want a stack, a spot, the pot or the tray"},
		{"a marker that nobody sees", "", "[marker]\nfile = \"marker.toml\"\n", "34: marker.file: no antenna watches a seat, where the marker could be seen"},
		{
			"a marker with tags of others", "", deck + chips + mux + "[\"seat 1\", \"seat 2\"]\n[marker]\nfile = \"taken.toml\"\n",
			"43: marker.file: tag E0040150 is of chips \"cash\" too: want a tag of the marker's own\n" +
				"43: marker.file: tag E004015100A30006 is of deck \"red 7\" too: want a tag of the marker's own",
		},
		{
			"no chip for a bet of 1", "", "[chips]\nfile = \"large.toml\"\n",
			"1: table.chip: bets are whole numbers of 1, and the smallest chip at the felt is worth 25: want 25 or a multiple of it",
		},
		{
			"chips for no bet of 10", "big_blind = 2", "big_blind = 20\nchip = 10\n[chips]\nfile = \"large.toml\"",
			"7: table.chip: bets are whole numbers of 10, and the smallest chip at the felt is worth 25: want 25 or a multiple of it",
		},
		{
			"stakes in no whole chips", "big_blind = 2", "small_blind = 10\nbig_blind = 30\nante = 2\nchip = 5\ncap = 1001",
			"8: table.ante: 2 is no whole number of chips of 5, the smallest of the table\n" +
				"10: table.cap: 1001 is no whole number of chips of 5, the smallest of the table",
		},
		{"too much power", "", chips + uhf + "power = 31\n", "40: devices[0].power: want a whole number from 1 to 30"},
		{"a pile twice", "", chips + uhf + strings.NewReplacer("uhf-1", "uhf-2", "/dev/u", "/dev/v").Replace(uhf), `44: devices[1].zones[0]: pot is on line 39 too`},
		{"no studio", "studio = \"milano\"\n", "", "1: table.studio: missing: want 1 to 32 of a-z 0-9 -"},
		{"bad table", "\"t1\"", "\"t/1\"", `3: table.name: "t/1": want 1 to 32 of a-z 0-9 -`},
		{"bad player", "player = \"bob\"", "player = \"bob#\"", `15: seats[1].player: "bob#": want 1 to 32 of a-z 0-9 -`},
		{"bad user", "name = \"bob\"", "name = \"\"", "15: seats[1].player: no user \"bob\" of the broker: want one in [[broker.users]] with role player\n" +
			`24: broker.users[1].name: "": want 1 to 32 of a-z 0-9 -`},
		{"bad device", "", deck + strings.Replace(shoe, `"shoe"`, `"The shoe"`, 1), `36: devices[0].name: "The shoe": want 1 to 32 of a-z 0-9 -`},

		{"unknown game", "\"holdem\"", "\"holdum\"", `4: table.game: unknown game "holdum": want one of GAMES`},
		{"unknown limit", "\"no-limit\"", "\"nolimit\"", `5: table.limit: unknown limit "nolimit": want no-limit, pot, half-pot, fixed or spread`},
		{"unknown house", "big_blind = 2", "big_blind = 2\nhouse = \"tdb\"", `7: table.house: unknown house "tdb": want one of HOUSES`},
		{"unknown kind of seat", "\"remote\"", "\"far\"", `9: seats[0].kind: unknown kind "far": want remote or felt`},
		{"unknown kind of device", "", strings.Replace(bus, "seat-bus", "bus", 1), `35: devices[0].kind: unknown kind "bus": want KINDS`},
		{"unknown zone", "", deck + strings.Replace(shoe, `["shoe"]`, `["seat 11"]`, 1), `39: devices[0].zones[0]: unknown zone "seat 11": want shoe, board, burn, muck, next, following, house, pot, tray, or seat, stack or spot with 1 to 10`},
		{"unknown role", "role = \"player\"", "role = \"admin\"", `21: broker.users[0].role: unknown role "admin": want player, dealer, floor, spectator, delayed, auditor, technician or display`},
		{"role of the table itself", "role = \"player\"", "role = \"engine\"", `21: broker.users[0].role: unknown role "engine": want player, dealer, floor, spectator, delayed, auditor, technician or display`},

		{"blinds the wrong way round", "big_blind = 2", "small_blind = 3\nbig_blind = 2", "6: table.small_blind: 3 is above the big blind of 2"},
		{"a small blind that is not half the big one (BR-09)", "big_blind = 2", "small_blind = 2\nbig_blind = 5\nhouse = \"betrebels\"", "6: table.small_blind: 2 is not half of the big blind of 5, as house betrebels wants"},
		{"amount below zero", "big_blind = 2", "big_blind = 2\nante = -1", "7: table.ante: want a whole number from 0 to 1000000000000"},
		{"fixed limit without sizes", "\"no-limit\"", "\"fixed\"", "1: table: fixed limit needs small_bet above 0 and big_bet not below it, have 0 and 0"},
		{"bring-in missing", "game = \"holdem\"", "game = \"stud\"", "1: table.bring_in: stud needs one above 0"},
		{"spread without maxima", "\"no-limit\"", "\"spread\"", "1: table.spread: want three maxima, none below the one before or the smallest bet of 2, have [0 0 0]"},
		{"two maxima", "\"no-limit\"", "\"spread\"\nspread = [2, 4]", "6: table.spread: want 3 whole numbers from 1 to 1000000000000\n6: table.spread: want three maxima, none below the one before or the smallest bet of 2, have [0 0 0]"},
		{"no blind", "big_blind = 2\n", "", "1: table: no-limit needs a big_blind, a bring_in or a min_bet above 0"},
		{"stack too large", "stack = 200", "stack = 9_000_000_000_000_000_000", "11: seats[0].stack: want a whole number from 0 to 1000000000000"},
		{"no stack", "stack = 200\n[journal]", "[journal]", "12: seats[1].stack: missing: want a whole number from 0 to 1000000000000"},

		{"clock too short", "big_blind = 2", "big_blind = 2\naction_clock = \"999ms\"", `7: table.action_clock: "999ms": want a time from 1s to 10m0s, such as 20s`},
		{"clock too long", "big_blind = 2", "big_blind = 2\nshow_clock = \"61s\"", `7: table.show_clock: "61s": want a time from 0s to 1m0s, such as 20s`},
		{"clock without unit", "big_blind = 2", "big_blind = 2\nshow_clock = \"5\"", `7: table.show_clock: "5": want a time from 0s to 1m0s, such as 20s`},
		{"clock as a number", "big_blind = 2", "big_blind = 2\nshow_clock = 5", "7: table.show_clock: want text in quotes"},

		{"a size that the house has no tables of (TC-02)", "big_blind = 2", "big_blind = 2\nhouse = \"cash\"\n[[seats]]\nnumber = 3\nkind = \"remote\"\nplayer = \"\"", "8: seats: 3 seats: want one of 2 5 10 in house cash"},
		{"too few seats", "[[seats]]\nnumber = 2\nkind = \"remote\"\nplayer = \"bob\"\nstack = 200\n", "", "7: seats: 1 seats: want 2 to 10 in house tda"},
		{
			"more seats than the game has room for", "game = \"holdem\"\nlimit = \"no-limit\"\nbig_blind = 2\n",
			"game = \"omaha6\"\nlimit = \"no-limit\"\nbig_blind = 2\n" + openSeats(3, 4, 5, 6, 7, 8),
			"7: seats: 8 seats: omaha6 is for 7 players at most",
		},
		{"seat out of range", "number = 2", "number = 11", "13: seats[1].number: want a whole number from 1 to 10"},
		{"seat twice", "number = 2", "number = 1", "13: seats[1].number: 1 is on line 8 too"},
		{"an open seat with a stack", "player = \"bob\"", "player = \"\"\nbot = true", "16: seats[1].bot: the seat is open: who sits down there is not known yet\n" +
			"17: seats[1].stack: the seat is open: who sits down there is not known yet"},
		{"buy-ins upside down", "big_blind = 2", "big_blind = 2\nmin_buy_in = 20\nmax_buy_in = 19", "8: table.max_buy_in: 19 is below the smallest buy-in of 20"},
		{"a cap below a buy-in", "big_blind = 2", "big_blind = 2\nmin_buy_in = 20\nsession_cap = 19", "8: table.session_cap: 19 is below the smallest buy-in of 20"},
		{"a cap of the house below its buy-in", "big_blind = 2", "big_blind = 20000\nhouse = \"cash\"", "1: table.session_cap: 100000 is below the smallest buy-in of 200000"},
		{"a cap that leaving lifts", "big_blind = 2", "big_blind = 2\nsession_cap = 500\nre_entry = \"0s\"", "8: table.re_entry: 0 ms: want time for which players are remembered, so that leaving does not lift the session cap"},
		{"a negative buy-in", "big_blind = 2", "big_blind = 2\nmin_buy_in = -1", "7: table.min_buy_in: want a whole number from 0 to 1000000000000"},
		{"no time to sit down", "big_blind = 2", "big_blind = 2\nseat_offer = \"0s\"", "7: table.seat_offer: \"0s\": want a time from 1s to 1h0m0s, such as 20s"},
		{"player twice", "player = \"bob\"", "player = \"alice\"", "15: seats[1].player: alice is on line 10 too"},
		{"user twice", "name = \"bob\"", "name = \"alice\"", "15: seats[1].player: no user \"bob\" of the broker: want one in [[broker.users]] with role player\n" +
			"24: broker.users[1].name: alice is on line 20 too"},
		{"button at no seat", "big_blind = 2", "big_blind = 2\nbutton = 3", "7: table.button: there is no seat 3"},
		{"remote seat without player", "player = \"bob\"\n", "", "12: seats[1].player: missing: want 1 to 32 of a-z 0-9 -"},
		{"player without user or key", "player = \"bob\"", "player = \"carol\"", `15: seats[1].player: carol has no key: want one in [[players]]
15: seats[1].player: no user "carol" of the broker: want one in [[broker.users]] with role player`},
		{"player with another role", "role = \"player\"", "role = \"dealer\"", `10: seats[0].player: no user "alice" of the broker: want one in [[broker.users]] with role player`},
		{"spectator without user", "", "[web]\nspectator = \"viewer\"\n", `34: web.spectator: no user "viewer" of the broker: want one in [[broker.users]] with role spectator or delayed`},
		{
			"spectator who is told later where nothing is", "", "[[broker.users]]\nname = \"viewer\"\nrole = \"delayed\"\npassword = \"" + hash + "\"\n[web]\nspectator = \"viewer\"\n",
			"38: web.spectator: viewer is told the table later, by role, but nothing is: want [delayed]",
		},

		{"felt seat without panel", "kind = \"remote\"", "kind = \"felt\"", "7: seats[0].node: missing: want the address of the felt seat's panel, 1 to 14, or a panel in [[devices]]"},
		{"panel without bus", "stack = 200", "stack = 200\nnode = 3", "12: seats[0].node: no seat bus: want one in [[devices]] of kind seat-bus"},
		{"panel out of range", "stack = 200", "stack = 200\nnode = 15", "12: seats[0].node: want a whole number from 1 to 14"},
		{"panel twice", "stack = 200", "stack = 200\nnode = 3", "12: seats[0].node: no seat bus: want one in [[devices]] of kind seat-bus"},
		{"two buses", "", bus + strings.NewReplacer("panels", "more", "/dev/b", "/dev/c").Replace(bus), "39: devices[1].kind: seat-bus is on line 35 too"},

		{"device twice", "", bus + deck + strings.Replace(shoe, "shoe", "panels", 1), "40: devices[1].name: panels is on line 34 too"},
		{"path twice", "", bus + deck + strings.Replace(shoe, "/dev/a", "/dev/b", 1), "42: devices[1].path: /dev/b is on line 36 too"},
		{
			"device without anything", "", "[[devices]]\n",
			"33: devices[0].kind: missing: want KINDS\n" +
				"33: devices[0].name: missing: want 1 to 32 of a-z 0-9 -\n33: devices[0].path: missing: want a path",
		},
		{"speed out of range", "", deck + strings.Replace(shoe, "\"pepper-c1\"", "\"feig\"\nbaud = 300", 1), "38: devices[0].baud: want a whole number from 1200 to 4000000"},
		{
			"a chip without lines", "", deck + strings.Replace(shoe, "\"pepper-c1\"", "\"pn5180\"", 1),
			"35: devices[0].busy: missing: want the name of a line, as gpioinfo lists them\n" +
				"35: devices[0].reset: missing: want the name of a line, as gpioinfo lists them",
		},
		{"a chip of no line", "", deck + strings.Replace(shoe, "\"pepper-c1\"", "\"mfrc522\"\nchip = \"c\"", 1), "38: devices[0].chip: no reset line: it would be of this chip"},
		{"a key of another kind", "", deck + shoe + "advanced = true\n", "40: devices[0].advanced: unknown key: want one of air, apart, kind, name, path, zones"},
		{"a bad place in the air", "", deck + strings.Replace(shoe, "\"pepper-c1\"", "\"feig\"\nair = [\"a b\"]", 1), `38: devices[0].air[0]: "a b": want 1 to 32 of a-z 0-9 -`},
		{
			"a shoe that takes no turns", "", deck + shoe + "air = [\"left\"]\n",
			"40: devices[0].air: a pepper-c1 in the shoe is always on and takes no turns: want another kind there, or no neighbours",
		},
		{"zones of no reader", "", bus + "zones = [\"shoe\"]\n" + deck, "37: devices[0].zones: a device of kind seat-bus has no antennas"},
		{"reader without zones", "", deck + strings.Replace(shoe, "zones = [\"shoe\"]\n", "", 1), `35: devices[0].zones: missing: want what each antenna watches, such as "shoe"`},
		{"too many antennas", "", deck + strings.Replace(shoe, `["shoe"]`, "[\"shoe\",\n\"board\",\n\"burn\"]", 1), "40: devices[0].zones[1]: a device of kind pepper-c1 has no more antennas than 1"},
		{"zone twice", "", deck + shoe + mux + "[\"board\",\n\"shoe\"]\n", "45: devices[1].zones[1]: shoe is on line 39 too"},
		{"zone of no seat", "", deck + mux + "[\"seat 1\", \"seat 2\",\n\"seat 3\"]\n", "40: devices[0].zones[2]: there is no seat 3"},
		{"seat not watched", "", deck + mux + "[\"seat 1\", \"board\"]\n", "12: seats[1]: no antenna watches seat 2: want all seats watched or none"},

		{"no journal", "[journal]\ndir = \"journal\"\n", "", "1: journal.dir: missing: want a path"},
		{"empty journal", "\"journal\"", "\"\"", `18: journal.dir: "": want a path`},
		{"no hash", "\"" + hash + "\"", "\"alice\"", "22: broker.users[0].password: not the hash of a password: want what 'tavolo broker passwd' prints"},
		{"bad address of the broker", "[[broker", "[broker]\nlisten = \"1883\"\n[[broker", `20: broker.listen: "1883": want HOST:PORT, such as 127.0.0.1:1883`},
		{"bad address of the page", "", "[web]\nlisten = \":http\"\n", `34: web.listen: ":http": want HOST:PORT, such as 127.0.0.1:1883`},
		{"bad port", "", "[web]\nlisten = \":65536\"\n", `34: web.listen: ":65536": want HOST:PORT, such as 127.0.0.1:1883`},
		{"bad origin", "[[broker", "[broker]\norigins = [\"a\", \"[\"]\n[[broker", `20: broker.origins[1]: "[": want a host, such as studio.example or *.studio.example`},
		{"room for nobody", "[[broker", "[broker]\nmax_user_clients = 0\n[[broker", `20: broker.max_user_clients: want a whole number from 1 to 65536`},
		{"bad url", "[[broker", "[broker]\nurl = \"http://a\"\n[[broker", `20: broker.url: broker address "http://a": want tcp, tls, ws or wss, then ://host:port`},
		{
			"url and users", "[[broker", "[broker]\nlisten = \":1883\"\nurl = \"tcp://a\"\nmax_clients = 9\n[[broker",
			"20: broker.listen: the broker is an external one, named by url\n22: broker.max_clients: the broker is an external one, named by url\n23: broker.users: the broker is an external one, named by url",
		},
		{
			"login without url", "[[broker", "[broker]\nuser = \"engine\"\npassword_file = \"password\"\n[[broker",
			"20: broker.user: url names no external broker to log in to\n21: broker.password_file: url names no external broker to log in to",
		},

		{"TLS without a certificate", "[[broker", "[broker]\ncertificate = \"none.pem\"\n[[broker", "20: broker.certificate: open none.pem: no such file or directory"},
		{
			"certificates for a broker without TLS", "[[broker", "[broker]\nurl = \"tcp://10.0.0.2:1883\"\nca = \"none.pem\"\n[[broker",
			"20: broker.url: tcp://10.0.0.2:1883 is reached without TLS, and certificates are given: want tls:// or wss://\n" +
				"21: broker.ca: open none.pem: no such file or directory\n22: broker.users: the broker is an external one, named by url",
		},
		{"a key without a certificate", "[[broker", "[broker]\nkey = \"a\"\nclient_ca = \"b\"\n[[broker", "20: broker.key: there is no certificate to go with it\n21: broker.client_ca: there is no certificate to go with it"},
		{"a delay too long", "", "[delayed]\ndelay = \"31m\"\ncards = \"mine\"\n", `34: delayed.delay: "31m": want a time from 0s to 30m0s, such as 20s` + "\n" +
			`35: delayed.cards: "mine": want all or shown`},

		{"no deck", "", shoe, "1: deck.file: missing: want the deck whose cards shoe reads"},
		{"no such deck", "", "[deck]\nfile = \"nodeck.toml\"\n", "34: deck.file: open nodeck.toml: no such file or directory"},
		{"no such spare deck", "", deck + "spares = [\"nodeck.toml\"]\n", "35: deck.spares[0]: open nodeck.toml: no such file or directory"},
		{"a spare deck for none", "", "[deck]\nspares = [\"deck.toml\"]\nlife = 3\n", "34: deck.spares: no deck is in play that they could be changed for\n35: deck.life: no deck is in play that they could be changed for"},
		{
			"the deck in play as a spare", "", deck + "spares = [\"deck.toml\"]\n",
			`35: deck.spares[0]: deck "red 7" has the name of another, deck.file: want a name of its own` + "\n" +
				`35: deck.spares[0]: tag E004015100A30006 is of deck "red 7" too: want each in one deck`,
		},
		{"a deck for less than no hand", "", deck + "life = -1\n", "35: deck.life: want a whole number from 0 to 1000000"},
		{"deck too small", "", "[deck]\nfile = \"short.toml\"\n", `34: deck.file: deck "red 7" has no tag for As, which holdem is played with`},
		{
			"bad deck", "big_blind = 2", "big_blind = 2\nante = -1\n[deck]\nfile = \"bad.toml\"",
			"7: table.ante: want a whole number from 0 to 1000000000000\n" +
				"bad.toml:3: tags.E0040150: \"1h\" is no card: want a rank and a suit, as in Td\n" +
				"bad.toml:5: tags.E0040152: 2h is on line 4 too",
		},
		{"empty", smallest, "", `1: journal.dir: missing: want a path
1: seats: 0 seats: want 2 to 10 in house tda
1: table.game: missing: want one of GAMES
1: table.limit: missing: want no-limit, pot, half-pot, fixed or spread
1: table.name: missing: want 1 to 32 of a-z 0-9 -
1: table.studio: missing: want 1 to 32 of a-z 0-9 -`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := smallest + c.new
			if c.old != "" {
				text = strings.Replace(smallest, c.old, c.new, 1)
			}
			if text == smallest {
				t.Fatal("nothing is spoilt")
			}
			_, err := loadText(t, text)
			if err == nil {
				t.Fatal("loaded")
			}
			var got []string
			for _, e := range split(err) {
				if _, ok := errors.AsType[*calibration.Fault](e); !ok {
					t.Errorf("%v is no *Fault", e)
				}
				got = append(got, strings.TrimPrefix(e.Error(), "table.toml:"))
			}
			if s, want := strings.Join(got, "\n"), names.Replace(c.want); s != want {
				t.Errorf("got\n%s\nwant\n%s", s, want)
			}
		})
	}
}

func errorOf[T any](_ T, err error) string { return err.Error() }

// NK-25: powers need a shoe that reads ahead, and players who are elsewhere.
func TestPowersNeedAShoeThatReadsAhead(t *testing.T) {
	const (
		shoe = "[[devices]]\nname = \"shoe\"\nkind = \"pepper-c1\"\npath = \"/dev/a\"\nzones = [\"shoe\"]\n[deck]\nfile = \"deck.toml\"\n"
		pads = "[[devices]]\nname = \"pads\"\nkind = \"pepper-c1-mux\"\npath = \"/dev/b\"\nzones = "
		lack = ": powers: a peek sees the next community card: house "
	)
	base := smallest + "[powers]\n" + shoe
	naiko := strings.Replace(base, "big_blind = 2", "big_blind = 2\nhouse = \"naiko\"", 1)
	felt := "[[devices]]\nname = \"panels\"\nkind = \"seat-bus\"\npath = \"/dev/c\"\n"
	for _, c := range []struct{ text, want string }{
		{naiko, "34" + lack + `naiko needs a shoe that reads 1 ahead, and no antenna watches zone "next"`},
		{naiko + pads + "[\"next\"]\n", ""},
		{base + pads + "[\"next\"]\n", "33" + lack + `tda needs a shoe that reads 2 ahead, and no antenna watches zone "following"`},
		{base + pads + "[\"next\", \"following\"]\n", ""},
		{
			strings.Replace(naiko+pads+"[\"next\"]\n"+felt, "kind = \"remote\"", "kind = \"felt\"\nnode = 1", 1),
			"10: seats[0].kind: powers are for remote seats: a peeked card cannot be shown at the felt without others seeing it",
		},
		{strings.Replace(naiko, "[powers]", "[powers]\npeek = -1", 1) + pads + "[\"next\"]\n", "35: powers.peek: want a whole number from 0 to 100"},
		{
			strings.Replace(naiko, "holdem", "draw5", 1) + pads + "[\"next\", \"muck\"]\n",
			"34: powers: draw5 has none, want a game with hole cards first and then a board (NK-02)",
		},
	} {
		t.Run("", func(t *testing.T) {
			got := ""
			cfg, err := loadText(t, c.text)
			if err != nil {
				got = strings.TrimPrefix(err.Error(), "table.toml:")
			} else if !reflect.DeepEqual(cfg.Rules.Powers, engine.Naiko) {
				t.Errorf("powers %+v, want those of Naiko mode", cfg.Rules.Powers)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// What is thrown away in a draw must be seen, at the seats or in the muck.
func TestDrawsAreSeen(t *testing.T) {
	const (
		shoe  = "[[devices]]\nname = \"shoe\"\nkind = \"pepper-c1\"\npath = \"/dev/a\"\nzones = [\"shoe\"]\n[deck]\nfile = \"deck.toml\"\n"
		pads  = "[[devices]]\nname = \"pads\"\nkind = \"pepper-c1-mux\"\npath = \"/dev/b\"\nzones = "
		fault = "4: table.game: draw5 has draws: want an antenna that watches the muck, or one at each seat, to see what is thrown away"
	)
	draw5 := strings.Replace(smallest, "holdem", "draw5", 1) + shoe
	for _, c := range []struct{ text, want string }{
		{draw5, "table.toml:" + fault},
		{draw5 + pads + "[\"burn\"]\n", "table.toml:" + fault},
		{draw5 + pads + "[\"muck\"]\n", ""},
		{draw5 + pads + "[\"seat 1\", \"seat 2\"]\n", ""},
		{strings.Replace(draw5, "draw5", "holdem", 1), ""},
	} {
		t.Run("", func(t *testing.T) {
			got := ""
			if _, err := loadText(t, c.text); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestConfigMissing(t *testing.T) {
	if _, err := LoadConfig(filepath.Join(t.TempDir(), "table.toml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("loaded, error %v", err)
	}
}

// FuzzLoadConfig checks that no file makes the loader panic, and that every fault has a line of the file.
func FuzzLoadConfig(f *testing.F) {
	f.Add(smallest)
	f.Add("seats = [{number = 1}, 3]\n[[broker.users]]\n[broker.users.x]\n")
	f.Add("devices = [[1], [{zones = [[\"shoe\"]]}]]\ntable.game.x = 1\n\"a.b\".c = 2")
	sample, err := os.ReadFile("testdata/table.toml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(sample))
	f.Fuzz(func(t *testing.T, text string) {
		top, err := parseDocument("table.toml", []byte(text))
		if err != nil {
			return
		}
		r := configReader{doc: top.doc, dir: t.TempDir()}
		r.read(top)
		for _, fault := range r.doc.faults {
			if fault.Line < 1 || fault.Line > 1+strings.Count(text, "\n") || fault.Reason == "" {
				t.Errorf("fault %v in a file of %d lines", fault, 1+strings.Count(text, "\n"))
			}
		}
	})
}
