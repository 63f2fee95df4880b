package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tavolo/controller"
	"tavolo/controller/journal"
	"tavolo/engine"
	"tavolo/engine/history"
	"tavolo/engine/phh"
)

func handsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "hands",
		Short: "List, show or export the hands in the journal of a table",
		Long: `List, show or export the hands in the journal of a table, also while the table runs.

Give the folder of the journal, or the configuration that names it. The journal holds all there is to know, also by which
rules each hand was played.

Hole cards that were not shown are hidden unless --all-cards is given; those of a hand in play always are.`,
	}
	var s handSource
	f := c.PersistentFlags()
	f.StringVar(&s.journal, "journal", "", "folder of the journal")
	f.StringVarP(&s.config, "config", "c", "", "configuration of the table")
	f.BoolVar(&s.allCards, "all-cards", false, "tell also the cards that were not shown")
	c.AddCommand(handsListCommand(&s), handsShowCommand(&s), handsExportCommand(&s))
	return c
}

func handsListCommand(s *handSource) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "Print a line for each hand",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := outputOf(cmd)
			for h, err := range s.read(nil) {
				if err != nil {
					return errors.Join(out.Flush(), err)
				}
				row := rowOf(&h)
				out.print(row, row.String())
			}
			return out.Flush()
		},
	}
}

func handsShowCommand(s *handSource) *cobra.Command {
	e := handExport{source: s, format: "text"}
	c := &cobra.Command{
		Use:   "show [HAND...]",
		Short: "Tell hands in words: those of the numbers given, or all",
		RunE:  e.run,
	}
	c.Flags().StringVar(&e.lang, "lang", "en", "language: en or it")
	return c
}

func handsExportCommand(s *handSource) *cobra.Command {
	e := handExport{source: s}
	c := &cobra.Command{
		Use:   "export [HAND...]",
		Short: "Write hands for other programs: those of the numbers given, or all",
		Long: `Write hands for other programs: those of the numbers given, or all.

  phh   Poker Hand History: what tavolo replay reads
  ohh   Open Hand History 1.4.7, a line of JSON a hand
  json  everything the journal has of a hand, a line of JSON each
  text  in words

Where no numbers are given, a hand that the format has no words for is left out, and standard error says why.`,
		RunE: e.run,
	}
	f := c.Flags()
	f.StringVar(&e.format, "format", "phh", "phh, ohh, json or text")
	f.StringVar(&e.lang, "lang", "en", "language of text: en or it")
	f.StringVar(&e.dir, "dir", "", "folder to write a file for each hand into, made if it is not there (default: print them)")
	return c
}

// handSource says where hands are read from, and who reads them.
type handSource struct {
	journal, config string
	allCards        bool
}

// read yields the hands of these numbers, or all if there are none, in the order of the journal. An error is yielded last.
func (s *handSource) read(numbers []uint64) iter.Seq2[history.Hand, error] {
	return func(yield func(history.Hand, error) bool) {
		dir, err := s.dir()
		if err != nil {
			yield(history.Hand{}, err)
			return
		}
		left := map[uint64]bool{}
		for _, n := range numbers {
			left[n] = true
		}
		for played, err := range controller.ReadHands(journal.Read(dir, 0)) {
			if err != nil {
				yield(history.Hand{}, err)
				return
			}
			number := played.Events[0].Hand
			if len(numbers) > 0 && !left[number] {
				continue
			}
			delete(left, number)
			h, err := history.New(played.Before, played.Events, s.details(&played))
			if !yield(h, err) || err != nil {
				return
			}
		}
		for _, n := range numbers {
			if left[n] {
				yield(history.Hand{}, fmt.Errorf("%s: no hand %d", dir, n))
				return
			}
		}
	}
}

// dir is the folder of the journal.
func (s *handSource) dir() (string, error) {
	switch {
	case s.journal != "":
		return s.journal, nil
	case s.config == "":
		return "", usageError{errors.New("whose hands? Give --journal or --config")}
	}
	cfg, err := LoadConfig(s.config)
	if err != nil {
		return "", err
	}
	return cfg.Journal, nil
}

// details are what the journal tells of a hand beside its events.
func (s *handSource) details(h *controller.PlayedHand) history.Details {
	d := history.Details{
		Table:  h.Table,
		Start:  h.Began.UTC().Format("2006-01-02T15:04:05Z"),
		Seats:  len(h.Players),
		Viewer: engine.Viewer{All: s.allCards},
	}
	for _, p := range h.Players {
		d.Names[p.Seat] = p.Name
	}
	return d
}

// handRow is one hand in a list.
type handRow struct {
	Hand    uint64       `json:"hand"`
	Start   string       `json:"start"`
	Game    string       `json:"game"`
	Limit   string       `json:"limit"`
	Players int          `json:"players"`
	Pot     engine.Chips `json:"pot"`
	Winners []string     `json:"winners"`
	Result  string       `json:"result"` // played, void or in play
}

func rowOf(h *history.Hand) handRow {
	row := handRow{
		Hand: h.Number, Start: h.Start, Game: h.Rules.Game.Name, Limit: h.Rules.Limit.String(), Players: len(h.Players),
		Pot: h.Pot(), Winners: []string{}, Result: "played",
	}
	switch {
	case !h.Over:
		row.Result = "in play"
	case h.Void:
		row.Result = "void"
	}
	for _, p := range h.Players {
		if p.Won > 0 {
			row.Winners = append(row.Winners, p.Name)
		}
	}
	return row
}

// String is the row as a line for people.
func (r handRow) String() string {
	result := r.Result
	if r.Result == "played" {
		result = fmt.Sprintf("pot %d to %s", r.Pot, strings.Join(r.Winners, ", "))
	}
	return fmt.Sprintf("%-6d %s  %s %s  %d players  %s", r.Hand, r.Start, r.Game, r.Limit, r.Players, result)
}

// handExport writes hands in a format.
type handExport struct {
	source            *handSource
	format, lang, dir string
}

func (e *handExport) run(cmd *cobra.Command, args []string) error {
	out := outputOf(cmd)
	if out.json && !cmd.Flags().Changed("format") {
		e.format = "json"
	}
	numbers, err := e.check(args)
	if err != nil {
		return usageError{err}
	}
	if e.dir != "" {
		if err := os.MkdirAll(e.dir, 0o700); err != nil {
			return err
		}
	}
	var texts []string
	var records []phh.Hand
	for h, err := range e.source.read(numbers) {
		if err != nil {
			return err
		}
		text, record, err := e.write(&h)
		switch {
		case err != nil && len(numbers) > 0:
			return err
		case err != nil:
			fmt.Fprintf(cmd.ErrOrStderr(), "tavolo: left out: %v\n", err)
			continue
		case e.dir != "":
			name := fmt.Sprintf("hand-%d.%s", h.Number, map[string]string{"phh": "phh", "ohh": "ohh", "json": "json", "text": "txt"}[e.format])
			if err := os.WriteFile(filepath.Join(e.dir, name), []byte(text), 0o600); err != nil {
				return err
			}
			continue
		}
		texts, records = append(texts, text), append(records, record)
	}
	return errors.Join(e.print(out, texts, records), out.Flush())
}

// check gives the numbers of the hands asked for.
func (e *handExport) check(args []string) (numbers []uint64, err error) {
	switch e.format {
	case "phh", "ohh", "json", "text":
	default:
		return nil, fmt.Errorf("unknown format %q: want phh, ohh, json or text", e.format)
	}
	if e.lang != "en" && e.lang != "it" {
		return nil, fmt.Errorf("unknown language %q: want en or it", e.lang)
	}
	for _, a := range args {
		n, err := strconv.ParseUint(a, 10, 64)
		if err != nil || n == 0 {
			return nil, fmt.Errorf("%q is no number of a hand", a)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// write gives a hand as a file of its own, and where that is one the record.
func (e *handExport) write(h *history.Hand) (string, phh.Hand, error) {
	switch e.format {
	case "phh":
		record, err := h.PHH()
		return string(phh.Format(record)), record, err
	case "ohh":
		line, err := h.OHH()
		return string(line) + "\n", phh.Hand{}, err
	case "json":
		line, err := json.Marshal(h)
		return string(line) + "\n", phh.Hand{}, err
	}
	return h.Text(e.lang), phh.Hand{}, nil
}

// print writes hands one after another, records as one file of many.
func (e *handExport) print(out io.Writer, texts []string, records []phh.Hand) error {
	between := ""
	switch e.format {
	case "phh":
		_, err := out.Write(phh.Format(records...))
		return err
	case "text":
		between = "\n"
	}
	_, err := io.WriteString(out, strings.Join(texts, between))
	return err
}
