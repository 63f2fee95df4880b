package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tavolo/calibration"
	"tavolo/controller"
	"tavolo/controller/broker"
	"tavolo/controller/mqtt"
	"tavolo/controller/seal"
	"tavolo/engine"
	"tavolo/engine/seating"
)

// Config is the configuration of a table, checked and ready to be used. Relative paths in the file are relative to its
// folder; here they are relative to the working directory, or absolute.
type Config struct {
	// Topics names the studio and the table.
	Topics mqtt.Topics
	// Title is the table's name for people.
	Title string
	Rules engine.Rules
	// Currency is the code of ISO 4217 of the currency whose smallest unit chips are counted in, "" for play money.
	Currency string
	// Tray is what the dealer's tray of a new table holds.
	Tray engine.Chips
	// Jackpot is nil for none.
	Jackpot *controller.Jackpot
	// Timing is how long the table waits for its players; what is not given, the house says.
	Timing controller.Timing
	// Button is the seat of the first button, 0 for whichever comes first.
	Button engine.Seat
	// Seating is what the table goes by between hands.
	Seating seating.Rules
	// Seats are in the order of the file.
	Seats []SeatConfig
	// Keys are what players who are elsewhere share with the table, by the names they log in with.
	Keys map[string]seal.Key
	// Journal is the folder of the journal.
	Journal string
	Broker  BrokerConfig
	Web     WebConfig
	// Delayed is the feed for spectators, nil for none.
	Delayed *DelayedConfig
	// Deck is nil if the table has no card readers. Spares are others, which it may be changed for; DeckLife is how many hands
	// each is dealt for before that is due, 0 for any number. DeckFiles are the files of the deck and of the spares: in a
	// draft, those that are not there have a nil deck.
	Deck      *calibration.Deck
	Spares    []*calibration.Deck
	DeckLife  int
	DeckFiles []string
	Devices   []DeviceConfig
	// Chips are those with tags, nil if none are read, and ChipsFile is their file.
	Chips     *calibration.ChipSet
	ChipsFile string
	// Marker is the dealer button with a tag, nil for none, and MarkerFile is its file.
	Marker     *calibration.Marker
	MarkerFile string
	// Scales are those under chips.
	Scales []ScaleConfig
}

// SeatConfig is one seat.
type SeatConfig struct {
	Seat engine.Seat
	// Remote is whether the player is elsewhere and plays over MQTT.
	Remote bool
	// Player is the broker user who plays a remote seat, "" for one that any may take; of a felt seat it is what the display
	// calls the player, if anything.
	Player string
	// Name is the player's name for people, Bot whether it is labelled as no person.
	Name string
	Bot  bool
	// Out is whether the player sits out at the first start of the table.
	Out bool
	// Stack is what the seat has at the first start of the table.
	Stack engine.Chips
	// Node is the address of the seat's panel on the seat bus, 1 to 14; 0 for none.
	Node uint8
}

// Open reports whether any player of the broker may take the seat.
func (c SeatConfig) Open() bool { return c.Remote && c.Player == "" }

// BrokerConfig says which broker the table uses.
type BrokerConfig struct {
	// Listen is the TCP address of the embedded broker, "" for none: then it is reached through the web page only.
	Listen string
	// Origins are the hosts whose web pages may connect, beside the table's own.
	Origins []string
	// TLS is for Listen, nil for plain TCP; for URL it is the table's own, nil for the system's trust and no certificate.
	TLS *tls.Config
	// Users may log in to the embedded broker.
	Users []broker.User
	// MaxClients and UserClients bound the connections to it, see broker.Options; 0 for what it has by itself.
	MaxClients, UserClients int
	// URL is the address of an external broker, or those of its nodes, "" for the embedded one. User and Password are the table's login there.
	URL, User, Password string
}

// WebConfig says how the web page is served.
type WebConfig struct {
	// Listen is the address of the page, "" for none.
	Listen string
	// TLS is for Listen, nil for plain HTTP.
	TLS *tls.Config
	// Spectator is the broker user as whom the page logs in, "" for none; one in role delayed is told the table later. The
	// password is known to all the world.
	Spectator, SpectatorPassword string
}

// DelayedConfig says how the table is told to those who see it later.
type DelayedConfig struct {
	// Delay is how much later, at least; a hand is told when it is over.
	Delay time.Duration
	// Cards is whether everybody's cards are told, or only those that were shown.
	Cards bool
}

// DeviceConfig is one device.
type DeviceConfig struct {
	// Name is unique among the table's devices, Kind one of deviceKinds, Path the port or bus, if it has one.
	Name, Kind, Path string
	// Zones are what the antennas of a reader of tags watch, in the order of the antennas.
	Zones []engine.Zone
	// Apart is how far apart in time cards leave the shoe at least whose mouth the reader watches.
	Apart time.Duration
	// Air are the places the reader's fields reach into, by any names; readers with one in common take turns.
	Air []string
	// Baud is the speed of the port, 0 for that usual with its kind.
	Baud int
	// Family is the application family of the tags that are asked, 0 for all.
	Family byte
	// Advanced is whether a FEIG reader is spoken to in advanced frames.
	Advanced bool
	// Power is what a UHF reader sends with, in dBm; 0 for what it was set to.
	Power int
	// RS485 is whether the port itself switches the seat bus between sending and hearing.
	RS485 bool
	// Reply is how long a node of the seat bus may take to answer, the way through the adapter included.
	Reply time.Duration
	// Wiring is of what hangs on the board itself.
	Wiring Wiring
}

// shoe is whether the device is the reader at the mouth of a shoe and nothing else.
func (c DeviceConfig) shoe() bool { return len(c.Zones) == 1 && c.Zones[0].Kind == engine.ZoneShoe }

// hasCards is whether cards lie in any of the zones.
func hasCards(zones []engine.Zone) bool {
	return slices.ContainsFunc(zones, func(z engine.Zone) bool { return !z.Chips() })
}

// antennas are the numbers of those a card reader looks at, one for each zone.
func (c DeviceConfig) antennas() []int {
	var out []int
	for i := range c.Zones {
		out = append(out, i+1)
	}
	return out
}

// maxChips bounds every amount, so that no sum of amounts is too large for a program that reads them from JSON.
const maxChips = 1_000_000_000_000

// LoadConfig reads and checks a configuration. The error joins every fault of the file, and of the files of the deck and of
// the chips, as *calibration.Fault in the order of their lines.
func LoadConfig(path string) (*Config, error) {
	r, err := readConfig(path)
	if err != nil {
		return nil, err
	}
	r.doc.faults = append(r.doc.faults, r.missing...)
	if err := errors.Join(r.doc.err(), r.tagsErr); err != nil {
		return nil, err
	}
	return &r.Config, nil
}

// LoadDraft is LoadConfig for a table whose decks, chips and scales are still to be registered: what is missing of them is no
// error, but given beside. The table cannot be run before.
func LoadDraft(path string) (c *Config, missing []*calibration.Fault, err error) {
	r, err := readConfig(path)
	if err == nil {
		err = errors.Join(r.doc.err(), r.tagsErr)
	}
	if err != nil {
		return nil, nil, err
	}
	return &r.Config, r.missing, nil
}

// readConfig reads a configuration with all its faults. The error is that there is none to be read.
func readConfig(path string) (*configReader, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	top, err := parseDocument(path, data)
	if err != nil {
		return nil, err
	}
	r := &configReader{doc: top.doc, dir: filepath.Dir(path)}
	r.read(top)
	return r, nil
}

// configReader fills in a Config. What belongs to one section is checked where that is read, what concerns several
// when all are read.
type configReader struct {
	Config
	doc      *document
	dir      string // of the file
	deckFile string // "" if none is given
	tagsErr  error  // the faults in them
	missing  []*calibration.Fault
}

// lacks takes down what a technician is still to register.
func (r *configReader) lacks(path, format string, args ...any) {
	r.missing = append(r.missing, &calibration.Fault{File: r.doc.file, Line: r.doc.line(path), Path: path, Reason: fmt.Sprintf(format, args...)})
}

func (r *configReader) read(top *section) {
	r.table(top.table("table"), top.tables("rake"))
	for _, s := range top.tables("seats") {
		r.seat(s)
	}
	r.players(top.tables("players"))
	if top.has("powers") {
		r.powers(top.table("powers"))
	}
	if top.has("jackpot") {
		r.jackpot(top.table("jackpot"))
	}
	if top.has("delayed") {
		r.delayed(top.table("delayed"))
	}
	r.journal(top.table("journal"))
	r.broker(top.table("broker"))
	r.web(top.table("web"))
	if b, web := r.Broker.TLS, r.Web.TLS; b != nil && web != nil && b.ClientCAs != nil { // the page's port is a way to the broker
		web.ClientAuth, web.ClientCAs = tls.VerifyClientCertIfGiven, b.ClientCAs
	}
	r.deck(top.table("deck"))
	chips := top.table("chips")
	r.ChipsFile = r.path(chips.text("file", ""))
	r.Chips = tags(r, chips, "file", r.ChipsFile, calibration.LoadChipSet)
	chips.close()
	marker := top.table("marker")
	r.MarkerFile = r.path(marker.text("file", ""))
	r.Marker = tags(r, marker, "file", r.MarkerFile, calibration.LoadMarker)
	marker.close()
	for _, s := range top.tables("devices") {
		r.device(s)
	}
	for _, s := range top.tables("scales") {
		r.scale(s)
	}
	top.close()

	r.checkStakes()
	r.checkSeats()
	r.checkUsers()
	r.checkDevices()
	zones := map[engine.Zone]string{}
	r.checkZones(zones)
	r.checkScales(zones)
	r.checkChip()
	r.checkCards()
	r.checkMarker()
}

func (r *configReader) table(s *section, rakes []*section) {
	defer s.close()
	r.Topics.Studio = required(s, "studio", parseID)
	r.Topics.Table = required(s, "name", parseID)
	r.Title = s.text("title", r.Topics.Table)
	r.Rules.Game = required(s, "game", engine.GameNamed)
	r.Rules.Limit = required(s, "limit", engine.LimitNamed)
	r.Rules.House = parsed(s, "house", nil, engine.HouseNamed)
	if !s.has("house") {
		r.Rules.House, _ = engine.HouseNamed("tda")
	}
	st := &r.Rules.Stakes
	for key, to := range stakes(st) {
		*to = engine.Chips(s.number(key, 0, 0, maxChips))
	}
	if g := r.Rules.Game; g != nil && g.Blinds() { // NX-21, TC-03, BR-09
		if r.Rules.Limit == engine.FixedLimit && !s.has("big_blind") {
			st.BigBlind = st.SmallBet
		}
		if half := st.BigBlind / 2; !s.has("small_blind") {
			st.SmallBlind = half - half%max(st.Chip, 1)
		}
	}
	for i, v := range s.numbers("spread", len(st.Spread), 1, maxChips) {
		st.Spread[i] = engine.Chips(v)
	}
	r.timing(s)
	r.Tray = engine.Chips(s.number("tray", 0, 0, maxChips))
	r.Button = engine.Seat(s.number("button", 0, 1, engine.MaxSeats))
	r.Currency = parsed(s, "currency", "", parseCurrency)
	r.rake(s, rakes)
	r.seating(s)
}

// timing is how long the table waits for its players; what is not given, the house says.
func (r *configReader) timing(s *section) {
	w := &r.Timing
	if r.Rules.House != nil {
		*w = controller.TimingOf(r.Rules.House)
	}
	w.ActionClock = s.duration("action_clock", w.ActionClock, time.Second, 10*time.Minute)
	w.DrawClock = s.duration("draw_clock", w.DrawClock, time.Second, 10*time.Minute)
	w.ShowClock = s.duration("show_clock", w.ShowClock, 0, time.Minute)
	w.TimeBank = s.duration("time_bank", w.TimeBank, 0, 10*time.Minute)
	w.BankRefill = s.duration("bank_refill", w.BankRefill, 0, 10*time.Minute)
	w.Grace = s.duration("disconnect_grace", w.Grace, 0, 5*time.Minute)
	w.Cover.Uses = int(s.number("cover_uses", int64(w.Cover.Uses), 0, 64))
	w.Cover.Window = s.duration("cover_window", w.Cover.Window, 0, 30*24*time.Hour)
}

// powers are what a table of Naiko mode plays with; what is not given is as in that mode.
func (r *configReader) powers(s *section) {
	defer s.close()
	pw := *engine.Naiko
	for key, to := range map[string]*int8{
		"gain": &pw.Gain, "most": &pw.Most, "per_round": &pw.PerRound,
		"peek": &pw.Cost[engine.Peek], "swap": &pw.Cost[engine.Swap], "anchor": &pw.Cost[engine.Anchor], "shield": &pw.Cost[engine.Shield],
	} {
		*to = int8(s.number(key, int64(*to), 0, 100))
	}
	pw.AnswerSeconds = int(s.duration("answer_clock", time.Duration(pw.AnswerSeconds)*time.Second, time.Second, time.Minute) / time.Second)
	r.Rules.Powers = &pw
}

// seating is what the table goes by between hands; what is not given, house and limit say.
func (r *configReader) seating(s *section) {
	if r.Rules.House != nil {
		r.Seating = seating.For(&r.Rules)
	}
	b := &r.Seating
	for key, to := range map[string]*engine.Chips{"min_buy_in": &b.MinBuyIn, "max_buy_in": &b.MaxBuyIn, "session_cap": &b.SessionCap} {
		*to = engine.Chips(s.number(key, int64(*to), 0, maxChips))
	}
	ms := func(key string, fallback int64, lowest, highest time.Duration) int64 {
		return s.duration(key, time.Duration(fallback)*time.Millisecond, lowest, highest).Milliseconds()
	}
	b.ReEntry = ms("re_entry", b.ReEntry, 0, 7*24*time.Hour)
	b.SitOut = ms("sit_out_limit", b.SitOut, 0, 24*time.Hour)
	b.Offer = ms("seat_offer", b.Offer, time.Second, time.Hour)
}

func (r *configReader) seat(s *section) {
	defer s.close()
	c := SeatConfig{
		Seat:   engine.Seat(s.requiredNumber("number", 1, engine.MaxSeats)),
		Remote: required(s, "kind", parseRemote),
		Bot:    s.flag("bot"),
		Out:    s.flag("sitting_out"),
		Node:   uint8(s.number("node", 0, 1, 14)),
	}
	open := c.Remote && s.values["player"] == ""
	if c.Remote && !open {
		c.Player = required(s, "player", parseID)
	} else {
		c.Player = s.text("player", "")
	}
	c.Name = s.text("name", c.Player)
	if open {
		c.Stack = engine.Chips(s.number("stack", 0, 0, maxChips))
		s.forbid("the seat is open: who sits down there is not known yet", "name", "bot", "sitting_out", "stack")
	} else {
		c.Stack = engine.Chips(s.requiredNumber("stack", 0, maxChips))
	}
	r.Seats = append(r.Seats, c)
}

func (r *configReader) players(sections []*section) {
	r.Keys = map[string]seal.Key{}
	names := map[string]string{}
	for _, s := range sections {
		name, key := required(s, "name", parseID), required(s, "key", seal.ParseKey)
		once(r.doc, names, s.at("name"), name)
		r.Keys[name] = key
		s.close()
	}
}

func (r *configReader) journal(s *section) {
	defer s.close()
	r.Journal = r.path(required(s, "dir", parsePath))
}

func (r *configReader) broker(s *section) {
	defer s.close()
	b := &r.Broker
	b.URL = parsed(s, "url", "", parseBrokerURL)
	b.Listen = parsed(s, "listen", "127.0.0.1:1883", parseListen)
	b.Origins = list(s, "origins", parseOrigin)
	b.TLS = r.brokerTLS(s, b.URL != "")
	for _, u := range s.tables("users") {
		r.user(u)
	}
	b.MaxClients = int(s.number("max_clients", 0, 1, 1<<16))
	b.UserClients = int(s.number("max_user_clients", 0, 1, 1<<16))
	b.User = s.text("user", "")
	file := s.text("password_file", "")
	if b.URL == "" {
		s.forbid("url names no external broker to log in to", "user", "password_file", "ca")
		return
	}
	s.forbid("the broker is an external one, named by url", "listen", "users", "client_ca",
		"max_clients", "max_user_clients")
	b.Listen = ""
	for node := range strings.SplitSeq(b.URL, ",") {
		if secure := strings.HasPrefix(node, "tls:") || strings.HasPrefix(node, "wss:"); b.TLS != nil && !secure {
			s.fault("url", "%s is reached without TLS, and certificates are given: want tls:// or wss://", node)
		}
	}
	if file != "" {
		var err error
		if b.Password, err = passwordIn(r.path(file)); err != nil {
			s.fault("password_file", "%v", err)
		}
	}
}

// certificate reads the certificate of what a section is about, nil where none is given.
func (r *configReader) certificate(s *section) []tls.Certificate {
	certificate, key := s.text("certificate", ""), s.text("key", "")
	if certificate == "" {
		s.forbid("there is no certificate to go with it", "key")
		return nil
	}
	pair, err := tls.LoadX509KeyPair(r.path(certificate), r.path(key))
	if err != nil {
		s.fault("certificate", "%v", err)
		return nil
	}
	return []tls.Certificate{pair}
}

// brokerTLS reads the broker's certificate, and that of the authority whose clients it lets in; for an external broker the table's
// own certificate, and that of the authority that vouches for the broker. nil where nothing is given.
func (r *configReader) brokerTLS(s *section, external bool) *tls.Config {
	clients, brokers := s.text("client_ca", ""), s.text("ca", "")
	c := &tls.Config{Certificates: r.certificate(s), MinVersion: tls.VersionTLS12}
	if external && brokers != "" {
		c.RootCAs = r.authority(s, "ca", brokers)
	}
	switch {
	case c.Certificates == nil && !r.doc.faulty(s.at("certificate")):
		s.forbid("there is no certificate to go with it", "client_ca")
	case c.Certificates != nil && !external && clients != "":
		c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, r.authority(s, "client_ca", clients)
	}
	if c.Certificates == nil && c.RootCAs == nil {
		return nil
	}
	return c
}

// authority reads the certificate of an authority from the file that a key names.
func (r *configReader) authority(s *section, key, file string) *x509.CertPool {
	pool := x509.NewCertPool()
	if pem, err := os.ReadFile(r.path(file)); err != nil {
		s.fault(key, "%v", err)
	} else if !pool.AppendCertsFromPEM(pem) {
		s.fault(key, "%s: no certificate in it: want PEM", file)
	}
	return pool
}

func (r *configReader) user(s *section) {
	defer s.close()
	r.Broker.Users = append(r.Broker.Users, broker.User{
		Name: required(s, "name", parseID),
		Role: required(s, "role", parseRole),
		Hash: required(s, "password", parseHash),
	})
}

func (r *configReader) web(s *section) {
	defer s.close()
	r.Web = WebConfig{
		Listen:            parsed(s, "listen", "127.0.0.1:8080", parseListen),
		TLS:               pageTLS(r.certificate(s)),
		Spectator:         s.text("spectator", ""),
		SpectatorPassword: s.text("spectator_password", ""),
	}
}

// pageTLS is for a page with a certificate.
func pageTLS(own []tls.Certificate) *tls.Config {
	if own == nil {
		return nil
	}
	return &tls.Config{Certificates: own, MinVersion: tls.VersionTLS12}
}

func (r *configReader) delayed(s *section) {
	defer s.close()
	r.Delayed = &DelayedConfig{
		Delay: s.duration("delay", 10*time.Minute, 0, 30*time.Minute),
		Cards: parsed(s, "cards", false, parseDelayedCards),
	}
}

func (r *configReader) deck(s *section) {
	defer s.close()
	r.deckFile = r.path(s.text("file", ""))
	r.Deck = tags(r, s, "file", r.deckFile, calibration.LoadDeck)
	r.DeckFiles = []string{r.deckFile}
	spares := list(s, "spares", parsePath)
	for i, file := range spares {
		r.DeckFiles = append(r.DeckFiles, r.path(file))
		r.Spares = append(r.Spares, tags(r, s, fmt.Sprintf("spares[%d]", i), r.path(file), calibration.LoadDeck))
	}
	r.DeckLife = int(s.number("life", 0, 0, 1_000_000))
	if r.deckFile == "" {
		s.forbid("no deck is in play that they could be changed for", "life")
		if len(spares) > 0 {
			s.fault("spares", "no deck is in play that they could be changed for")
		}
	}
}

// allDecks are the deck and the spares, in the order of DeckFiles.
func (c *Config) allDecks() []*calibration.Deck {
	return append([]*calibration.Deck{c.Deck}, c.Spares...)
}

// tags reads the registry of tags that a section names by a key, if it names one.
func tags[T any](r *configReader, s *section, key, file string, load func(string, []byte) (*T, error)) *T {
	if file == "" {
		return nil
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		r.lacks(s.at(key), "%v", err)
		return nil
	}
	if err != nil {
		s.fault(key, "%v", err)
		return nil
	}
	out, err := load(file, data)
	r.tagsErr = errors.Join(r.tagsErr, err)
	return out
}

func (r *configReader) device(s *section) {
	defer s.close()
	c := DeviceConfig{
		Name:  required(s, "name", parseID),
		Kind:  required(s, "kind", parseDeviceKind),
		Zones: list(s, "zones", engine.ParseZone),
	}
	kind := deviceKinds()[c.Kind]
	if !kind.pathless {
		c.Path = r.path(required(s, "path", parsePath))
	}
	if kind.antennas > 0 {
		c.Air = list(s, "air", parseID)
	}
	if c.shoe() {
		c.Apart = s.duration("apart", usualApart, 0, 10*time.Second)
	}
	if kind.options != nil {
		kind.options(s, &c)
	}
	r.Devices = append(r.Devices, c)
	n := kind.antennas
	switch {
	case c.Kind == "":
	case n == 0 && s.has("zones"):
		s.fault("zones", "a device of kind %s has no antennas", c.Kind)
	case n > 0 && len(c.Zones) == 0 && !r.doc.faulty(s.at("zones")):
		s.fault("zones", "missing: want what each antenna watches, such as %q", engine.Zone{Kind: engine.ZoneShoe})
	case len(c.Zones) > n:
		s.fault(fmt.Sprintf("zones[%d]", n), "a device of kind %s has no more antennas than %d", c.Kind, n)
	}
}

// path is a path of the file as seen from here.
func (r *configReader) path(p string) string {
	if p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(r.dir, p)
}

func (r *configReader) checkStakes() {
	if r.Rules.Game == nil || r.Rules.House == nil || r.doc.faulty("table.limit") {
		return
	}
	if err := r.Rules.Validate(); err != nil {
		for _, err := range split(err) { // stakes.ante: what is wrong
			path, reason, _ := strings.Cut(err.Error(), ": ")
			r.doc.fault(strings.Replace(path, "stakes", "table", 1), "%s", reason)
		}
	}
	if st := &r.Rules.Stakes; r.Rules.House.BigTwiceSmall && r.Rules.Game.Blinds() && st.BigBlind != 2*st.SmallBlind { // BR-09
		r.doc.fault("table.small_blind", "%d is not half of the big blind of %d, as house %s wants", st.SmallBlind, st.BigBlind, r.Rules.House.Name)
	}
	if err := r.Seating.Validate(); err != nil {
		for _, err := range split(err) { // min_buy_in: what is wrong
			key, reason, _ := strings.Cut(err.Error(), ": ")
			r.doc.fault("table."+key, "%s", reason)
		}
	}
}

func (r *configReader) checkSeats() {
	if h := r.Rules.House; h != nil && !h.Seats(len(r.Seats)) {
		want := fmt.Sprintf("%d to %d", h.MinSeats, h.MaxSeats)
		if h.Sizes != nil { // TC-02
			want = "one of " + strings.Trim(fmt.Sprint(h.Sizes), "[]")
		}
		r.doc.fault("seats", "%d seats: want %s in house %s", len(r.Seats), want, h.Name)
	}
	if g := r.Rules.Game; g != nil && len(r.Seats) > g.MaxPlayers() {
		r.doc.fault("seats", "%d seats: %s is for %d players at most", len(r.Seats), g.Name, g.MaxPlayers())
	}
	numbers, players, nodes := map[engine.Seat]string{}, map[string]string{}, map[uint8]string{}
	for i, seat := range r.Seats {
		path := fmt.Sprintf("seats[%d]", i)
		once(r.doc, numbers, path+".number", seat.Seat)
		if r.Rules.Game == nil || !r.Rules.Game.Banked() { // where a player may have several boxes (BP-09)
			once(r.doc, players, path+".player", seat.Player)
		}
		once(r.doc, nodes, path+".node", seat.Node)
	}
	if r.Button != 0 && !r.hasSeat(r.Button) {
		r.doc.fault("table.button", "there is no seat %d", r.Button)
	}
}

func (r *configReader) hasSeat(s engine.Seat) bool {
	return slices.ContainsFunc(r.Seats, func(c SeatConfig) bool { return c.Seat == s })
}

func (r *configReader) checkUsers() {
	names := map[string]string{}
	for i, u := range r.Broker.Users {
		once(r.doc, names, fmt.Sprintf("broker.users[%d].name", i), u.Name)
	}
	for i, seat := range r.Seats {
		path := fmt.Sprintf("seats[%d].player", i)
		if _, ok := r.Keys[seat.Player]; !ok && seat.Remote && seat.Player != "" {
			r.doc.fault(path, "%s has no key: want one in [[players]]", seat.Player)
		}
	}
	if r.Broker.URL != "" || r.doc.faulty("broker.url") {
		return
	}
	for i, seat := range r.Seats {
		if seat.Remote && seat.Player != "" {
			r.checkUser(fmt.Sprintf("seats[%d].player", i), seat.Player, mqtt.Player)
		}
	}
	if r.Web.Spectator != "" {
		r.checkUser("web.spectator", r.Web.Spectator, mqtt.Spectator, mqtt.Delayed)
		if r.spectatorDelayed() && r.Delayed == nil {
			r.doc.fault("web.spectator", "%s is told the table later, by role, but nothing is: want [delayed]", r.Web.Spectator)
		}
	}
}

// warning says what does not work for players elsewhere at the page, and what to do about it; nothing if all does.
func (c *Config) warning() (seen, do string) {
	host, _, _ := net.SplitHostPort(c.Web.Listen)
	ip, err := netip.ParseAddr(host)
	if len(c.Keys) == 0 || c.Web.Listen == "" || c.Web.TLS != nil || host == "localhost" || err == nil && ip.IsLoopback() {
		return "", ""
	}
	return "players cannot sign in over http from elsewhere: a browser seals only what came by https",
		"set certificate and key in [web], or listen on 127.0.0.1 behind a proxy with https (README.md)"
}

// spectatorDelayed reports whether the page's spectator is told the table later.
func (c *Config) spectatorDelayed() bool {
	return slices.ContainsFunc(c.Broker.Users, func(u broker.User) bool {
		return u.Name == c.Web.Spectator && u.Role == mqtt.Delayed
	})
}

// checkUser reports a name that is no user of the embedded broker in one of some roles.
func (r *configReader) checkUser(path, name string, roles ...mqtt.Role) {
	ok := func(u broker.User) bool { return u.Name == name && (u.Role == "" || slices.Contains(roles, u.Role)) }
	if !slices.ContainsFunc(r.Broker.Users, ok) {
		r.doc.fault(path, "no user %q of the broker: want one in [[broker.users]] with role %s", name, either(roles))
	}
}

func (r *configReader) checkDevices() {
	names, paths, kinds := map[string]string{}, map[string]string{}, map[string]string{}
	panels, barriers := map[engine.Seat]string{}, map[engine.Seat]string{}
	for i, d := range r.Devices {
		path := fmt.Sprintf("devices[%d]", i)
		once(r.doc, names, path+".name", d.Name)
		once(r.doc, paths, path+".path", d.place())
		r.checkWiring(path, d.Wiring)
		r.checkShoe(path, d, kinds)
		r.checkBarrier(path, d, barriers)
		if d.Kind == seatBus {
			once(r.doc, kinds, path+".kind", d.Kind)
		}
		if deviceKinds()[d.Kind].panel {
			once(r.doc, panels, path+".seat", d.Wiring.Seat)
		}
	}
	hasBus := slices.ContainsFunc(r.Devices, func(d DeviceConfig) bool { return d.Kind == seatBus })
	for i, seat := range r.Seats {
		path := fmt.Sprintf("seats[%d]", i)
		onBoard, wired := r.panelOf(seat.Seat)
		switch {
		case seat.Node > 0 && wired:
			r.doc.fault(path+".node", "the seat has a panel already, %s: want one of the two", onBoard.Name)
		case seat.Node > 0 && !hasBus:
			r.doc.fault(path+".node", "no seat bus: want one in [[devices]] of kind %s", seatBus)
		case seat.Node == 0 && !wired && !seat.Remote && !r.doc.faulty(path+".node") && !r.doc.faulty(path+".kind"):
			r.doc.fault(path+".node", "missing: want the address of the felt seat's panel, 1 to 14, or a panel in [[devices]]")
		}
	}
}

// checkWiring reports what is wired to a seat that there is not, and a second panel of a seat.
func (r *configReader) checkWiring(path string, w Wiring) {
	if w.Seat != 0 && !r.hasSeat(w.Seat) {
		r.doc.fault(path+".seat", "there is no seat %d", w.Seat)
	}
	for i, l := range w.Lamps {
		if w.Seat == 0 && l.Seat != 0 && !r.hasSeat(l.Seat) {
			r.doc.fault(fmt.Sprintf("%s.lamps[%d]", path, i), "there is no seat %d", l.Seat)
		}
	}
}

func (r *configReader) checkZones(zones map[engine.Zone]string) {
	pads := engine.Seats(0)
	for i, d := range r.Devices {
		for k, z := range d.Zones {
			path := fmt.Sprintf("devices[%d].zones[%d]", i, k)
			once(r.doc, zones, path, z)
			r.checkTagged(path, d.Kind, z)
			if banked := r.Rules.Game != nil && r.Rules.Game.Banked(); z.Kind == engine.ZoneHouse && !banked {
				r.doc.fault(path, "the house has no hand in this game")
			}
			if z.Kind != engine.ZoneSeat {
				continue
			}
			pads = pads.With(z.Seat)
			if !r.hasSeat(z.Seat) {
				r.doc.fault(path, "there is no seat %d", z.Seat)
			}
		}
	}
	r.checkAhead(zones)
	if g := r.Rules.Game; g != nil && draws(g) && pads == 0 && zones[engine.Zone{Kind: engine.ZoneMuck}] == "" && len(r.Devices) > 0 {
		r.doc.fault("table.game", "%s has draws: want an antenna that watches the muck, or one at each seat, to see what is thrown away", g.Name)
	}
	if _, watched := zones[engine.Zone{Kind: engine.ZoneHouse}]; pads != 0 && !watched && r.Rules.Game != nil && r.Rules.Game.Banked() {
		r.doc.fault("devices", "no antenna watches the house's hand: want the zone house")
	}
	for i, seat := range r.Seats {
		if pads != 0 && seat.Seat != 0 && !pads.Has(seat.Seat) {
			r.doc.fault(fmt.Sprintf("seats[%d]", i), "no antenna watches seat %d: want all seats watched or none", seat.Seat)
		}
	}
}

// checkTagged reports an antenna that reads no such tags or not as many, or has nothing to read.
func (r *configReader) checkTagged(path, name string, z engine.Zone) {
	kind := deviceKinds()[name]
	most := kind.atOnce
	switch {
	case z == engine.Zone{}:
	case z.Chips() && most > 0:
		r.doc.fault(path, "a device of kind %s reads %d tags at once, too few for chips", name, most)
	case !z.Chips() && kind.forChips:
		r.doc.fault(path, "a device of kind %s reads chips, and no cards: want a stack, a spot, the pot or the tray", name)
	case most > 0 && r.piles(z, most):
		r.doc.fault(path, "a device of kind %s reads %d cards at once, and more lie in zone %q: want another kind there", name, most, z)
	case z.Chips() && r.ChipsFile == "":
		r.doc.fault("chips.file", "missing: want the chips that lie in zone %q", z)
	case z.Chips():
		r.checkPile(path, z)
	}
}

// piles is whether more than so many cards come to lie in a zone. In the shoe they pass one by one.
func (r *configReader) piles(z engine.Zone, most int) bool {
	switch {
	case z.Kind == engine.ZoneShoe || z.InShoe():
		return false
	case z.Kind == engine.ZoneSeat && r.Rules.Game == nil: // which is a fault by itself
		return false
	case z.Kind == engine.ZoneSeat:
		hole, _ := fullHand(r.Rules.Game)
		return hole > most
	}
	return true
}

// checkPile reports a zone whose chips lie before nobody.
func (r *configReader) checkPile(path string, z engine.Zone) {
	i := slices.IndexFunc(r.Seats, func(c SeatConfig) bool { return c.Seat == z.Seat })
	switch {
	case z.Seat == 0:
	case i < 0:
		r.doc.fault(path, "there is no seat %d", z.Seat)
	case r.Seats[i].Remote:
		r.doc.fault(path, "the player of seat %d is elsewhere and has no chips here", z.Seat)
	}
}

// checkAhead reports what keeps a table from playing with powers: a peek needs a shoe that reads ahead (NK-25), and is
// nobody's to see but the player's, who must not sit before a display that his neighbours read.
func (r *configReader) checkAhead(zones map[engine.Zone]string) {
	if r.Rules.Powers == nil || r.Rules.House == nil {
		return
	}
	for _, kind := range []engine.ZoneKind{engine.ZoneNext, engine.ZoneFollowing}[:r.Rules.LooksAhead()] {
		if zones[engine.Zone{Kind: kind}] == "" {
			r.doc.fault("powers", "a peek sees the next community card: house %s needs a shoe that reads %d ahead, and no antenna watches zone %q",
				r.Rules.House.Name, r.Rules.LooksAhead(), kind)
		}
	}
	for i, seat := range r.Seats {
		if !seat.Remote && !r.doc.faulty(fmt.Sprintf("seats[%d].kind", i)) {
			r.doc.fault(fmt.Sprintf("seats[%d].kind", i), "powers are for remote seats: a peeked card cannot be shown at the felt without others seeing it")
		}
	}
}

func (r *configReader) checkCards() {
	reader := slices.IndexFunc(r.Devices, func(d DeviceConfig) bool { return hasCards(d.Zones) })
	if reader >= 0 && r.deckFile == "" {
		r.doc.fault("deck.file", "missing: want the deck whose cards %s reads", r.Devices[reader].Name)
	}
	if r.Rules.Game == nil {
		return
	}
	names, cards := map[string]string{}, map[string]string{}
	for i, d := range r.allDecks() {
		path := "deck.file"
		if i > 0 {
			path = fmt.Sprintf("deck.spares[%d]", i-1)
		}
		if d == nil {
			continue
		}
		if err := d.Covers(r.Rules.Game.Deck); err != nil {
			r.lacks(path, "%v, which %s is played with", err, r.Rules.Game.Name)
		}
		if first := names[d.Name()]; first != "" {
			r.doc.fault(path, "deck %q has the name of another, %s: want a name of its own", d.Name(), first)
		}
		names[d.Name()] = path
		for _, tag := range slices.Sorted(maps.Values(d.Tags())) {
			if other := cards[tag]; other != "" {
				r.doc.fault(path, "tag %s is of deck %q too: want each in one deck", tag, other)
				break // the others, too, most likely
			}
			cards[tag] = d.Name()
		}
	}
}

// checkMarker reports a dealer button with a tag that nobody would see, or that is something else's.
func (r *configReader) checkMarker() {
	if r.MarkerFile == "" {
		return
	}
	if !slices.ContainsFunc(r.Devices, func(d DeviceConfig) bool { return slices.ContainsFunc(d.Zones, atSeat) }) {
		r.doc.fault("marker.file", "no antenna watches a seat, where the marker could be seen")
	}
	if r.Marker == nil {
		return
	}
	for _, tag := range r.Marker.Tags() {
		if what := r.tagged(tag); what != "" {
			r.doc.fault("marker.file", "tag %s is of %s too: want a tag of the marker's own", tag, what)
		}
	}
}

// atSeat is whether a zone is one of a seat's.
func atSeat(z engine.Zone) bool { return z.Seat != 0 }

// tagged is what a tag is of, a deck or the chips, "" for neither.
func (c *Config) tagged(tag string) string {
	for _, d := range c.allDecks() {
		if d == nil {
			continue
		}
		_, inPlay := d.Card(tag)
		if _, retired := d.Retired(tag); inPlay || retired {
			return fmt.Sprintf("deck %q", d.Name())
		}
	}
	if c.Chips != nil {
		if _, ok := c.Chips.Value(tag); ok {
			return fmt.Sprintf("chips %q", c.Chips.Name())
		}
	}
	return ""
}

// draws reports whether cards are exchanged in a game.
func draws(g *engine.Game) bool {
	return slices.ContainsFunc(g.Streets, func(st engine.Street) bool { return st.Draw > 0 })
}
