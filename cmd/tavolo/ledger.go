package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tavolo/controller"
	"tavolo/controller/journal"
	"tavolo/engine"
	"tavolo/engine/ledger"
)

func journalLedgerCommand() *cobra.Command {
	var s handSource
	c := &cobra.Command{
		Use:   "ledger (--journal DIR | -c FILE)",
		Short: "Print where the money went, hand by hand, by double entry",
		Long: `Make the books of a table from its journal alone, and print them: for each hand, and for what went on between two, every
account that moved, with what it held before, by how much it changed and what it held then; and at the end all balances.

All accounts together hold nothing: what players brought is owed to the cage. The exit status is 1 if the books do not
balance, and standard error names the record, and the event that they cannot follow.

  stack N, bet N   what seat N has behind, and in front
  pots             the pots of the hand in play
  rake             what the house took of pots, less what went to the jackpot
  jackpot          the pool; jackpot due is what is taken out of it and not yet paid
  bank, rail       what the house won from boxes, and from players behind them
  adjustments      what the floor took from stacks by its corrections
  tray             the chips in the dealer's tray; exchange is what others gave and got for those it handed out and took in
  cage             all that is not at the table`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := s.dir()
			if err != nil {
				return err
			}
			return printLedger(outputOf(cmd), dir)
		},
	}
	c.Flags().StringVar(&s.journal, "journal", "", "folder of the journal")
	c.Flags().StringVarP(&s.config, "config", "c", "", "configuration of the table")
	return c
}

func printLedger(out output, dir string) error {
	sum := ledgerSum{Dir: dir, Result: "ok"}
	for page, err := range controller.ReadBooks(journal.Read(dir, 0)) {
		sum.Accounts = accountsOf(&page, func(a *accountRow) bool { return a.Balance != 0 })
		sum.Sum = 0
		for _, a := range sum.Accounts {
			sum.Sum += a.Balance
		}
		if err != nil {
			sum.Result, sum.Reason = "unbalanced", err.Error()
			out.print(sum, sum.String())
			return errors.Join(out.Flush(), err)
		}
		p := ledgerPage{Hand: page.Hand, After: page.After, Accounts: accountsOf(&page, func(a *accountRow) bool { return a.Change != 0 })}
		if !page.After {
			sum.Hands++
		}
		out.print(p, p.String())
	}
	out.print(sum, sum.String())
	return out.Flush()
}

// ledgerPage is what one hand moved, or with After set what went on after it.
type ledgerPage struct {
	Hand     uint64       `json:"hand"`
	After    bool         `json:"after,omitempty"`
	Accounts []accountRow `json:"accounts"`
}

// accountRow is one account on a page.
type accountRow struct {
	Account ledger.Account `json:"account"`
	Player  string         `json:"player,omitempty"` // who had the seat
	Before  engine.Chips   `json:"before"`
	Change  engine.Chips   `json:"change"`
	Balance engine.Chips   `json:"balance"`
}

// accountsOf are the accounts of a page that are to be told.
func accountsOf(page *controller.BookPage, told func(*accountRow) bool) []accountRow {
	rows := []accountRow{}
	for _, a := range ledger.Accounts() {
		r := accountRow{Account: a, Before: page.Before.Balance(a), Balance: page.Then.Balance(a)}
		r.Change = r.Balance - r.Before
		for _, p := range page.Players {
			if p.Seat == a.Seat() {
				r.Player = p.Player
			}
		}
		if told(&r) {
			rows = append(rows, r)
		}
	}
	return rows
}

// String is the page for people.
func (p ledgerPage) String() string {
	title := fmt.Sprintf("hand %d", p.Hand)
	switch {
	case p.After && p.Hand == 0:
		title = "before the first hand"
	case p.After:
		title = "after " + title
	}
	lines := []string{title}
	for _, r := range p.Accounts {
		lines = append(lines, fmt.Sprintf("  %-*s %12d %+12d %12d", nameWidth, r.name(), r.Before, r.Change, r.Balance))
	}
	return strings.Join(lines, "\n")
}

// nameWidth is the room for an account's name and its player's.
const nameWidth = 24

// name is the account's, with the player's where there is one.
func (r *accountRow) name() string {
	if r.Player == "" {
		return r.Account.String()
	}
	return fmt.Sprintf("%v %s", r.Account, r.Player)
}

// ledgerSum is how the books end.
type ledgerSum struct {
	Dir      string       `json:"dir"`
	Result   string       `json:"result"` // ok or unbalanced
	Reason   string       `json:"reason,omitempty"`
	Hands    int          `json:"hands"`
	Accounts []accountRow `json:"accounts"`
	Sum      engine.Chips `json:"sum"` // of all balances
}

// String is the sum for people.
func (s ledgerSum) String() string {
	lines := []string{"balances"}
	for _, r := range s.Accounts {
		lines = append(lines, fmt.Sprintf("  %-*s %12d", nameWidth, r.name(), r.Balance))
	}
	end := fmt.Sprintf("%s: ok, the books of %d hands balance", s.Dir, s.Hands)
	if s.Result != "ok" {
		end = fmt.Sprintf("%s: the books do not balance after %d hands", s.Dir, s.Hands)
	}
	return strings.Join(append(lines, fmt.Sprintf("  %-*s %12d", nameWidth, "all together", s.Sum), end), "\n")
}
