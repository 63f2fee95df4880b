package phh

// field is one field of a file and where its value goes in a Hand. How it is read and written follows from the type
// that at points to.
type field struct {
	name string
	at   func(*Hand) any
	// min and max bound a number. An amount is only held against min, and only by its sign: 1 asks for a positive one.
	min, max int64
}

// What a file writes in another way than the Go type says.
type (
	label       string   // a string or an integer
	clock       string   // a local time
	seconds     string   // a number of any kind, inf among them
	secondsList []string // an array of these
)

const anyNumber = 1<<63 - 1

// fields lists every field there is, in the order they are written. All arrays but actions have one entry a player.
var fields = []field{
	{name: "variant", at: func(h *Hand) any { return &h.Variant }},
	{name: "ante_trimming_status", at: func(h *Hand) any { return &h.AnteTrimming }},
	{name: "antes", at: func(h *Hand) any { return &h.Antes }},
	{name: "blinds_or_straddles", min: -1, at: func(h *Hand) any { return &h.Blinds }},
	{name: "bring_in", min: 1, at: func(h *Hand) any { return &h.BringIn }},
	{name: "small_bet", min: 1, at: func(h *Hand) any { return &h.SmallBet }},
	{name: "big_bet", min: 1, at: func(h *Hand) any { return &h.BigBet }},
	{name: "min_bet", min: 1, at: func(h *Hand) any { return &h.MinBet }},
	{name: "starting_stacks", min: 1, at: func(h *Hand) any { return &h.StartingStacks }},
	{name: "actions", at: func(h *Hand) any { return &h.Actions }},
	{name: "author", at: func(h *Hand) any { return &h.Author }},
	{name: "event", at: func(h *Hand) any { return &h.Event }},
	{name: "url", at: func(h *Hand) any { return &h.URL }},
	{name: "venue", at: func(h *Hand) any { return &h.Venue }},
	{name: "address", at: func(h *Hand) any { return &h.Address }},
	{name: "city", at: func(h *Hand) any { return &h.City }},
	{name: "region", at: func(h *Hand) any { return &h.Region }},
	{name: "postal_code", at: func(h *Hand) any { return &h.PostalCode }},
	{name: "country", at: func(h *Hand) any { return &h.Country }},
	{name: "time", at: func(h *Hand) any { return (*clock)(&h.Time) }},
	{name: "time_zone", at: func(h *Hand) any { return &h.TimeZone }},
	{name: "time_zone_abbreviation", at: func(h *Hand) any { return &h.TimeZoneAbbreviation }},
	{name: "day", min: 1, max: 31, at: func(h *Hand) any { return &h.Day }},
	{name: "month", min: 1, max: 12, at: func(h *Hand) any { return &h.Month }},
	{name: "year", min: 1, max: anyNumber, at: func(h *Hand) any { return &h.Year }},
	{name: "hand", at: func(h *Hand) any { return (*label)(&h.Number) }},
	{name: "level", max: anyNumber, at: func(h *Hand) any { return &h.Level }},
	{name: "seats", max: anyNumber, at: func(h *Hand) any { return &h.Seats }},
	{name: "seat_count", min: 1, max: anyNumber, at: func(h *Hand) any { return &h.SeatCount }},
	{name: "table", at: func(h *Hand) any { return (*label)(&h.Table) }},
	{name: "players", at: func(h *Hand) any { return &h.Players }},
	{name: "finishing_stacks", at: func(h *Hand) any { return &h.FinishingStacks }},
	{name: "winnings", at: func(h *Hand) any { return &h.Winnings }},
	{name: "currency", at: func(h *Hand) any { return &h.Currency }},
	{name: "currency_symbol", at: func(h *Hand) any { return &h.CurrencySymbol }},
	{name: "time_limit", at: func(h *Hand) any { return (*seconds)(&h.TimeLimit) }},
	{name: "time_banks", at: func(h *Hand) any { return (*secondsList)(&h.TimeBanks) }},
	{name: "_rake", at: func(h *Hand) any { return &h.Rake }},
	{name: "_house", at: func(h *Hand) any { return &h.House }},
	{name: "_chip", at: func(h *Hand) any { return &h.Chip }},
	{name: "_bonus_bets", at: func(h *Hand) any { return &h.BonusBets }},
	{name: "_bank", at: func(h *Hand) any { return &h.Bank }},
	{name: "_carousel", at: func(h *Hand) any { return &h.Carousel }},
	{name: "_spread", at: func(h *Hand) any { return &h.Spread }},
}
