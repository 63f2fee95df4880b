package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tavolo/controller/broker"
	"tavolo/controller/seal"
)

func brokerCommand() *cobra.Command {
	c := &cobra.Command{Use: "broker", Short: "Look after who may use the broker"}
	c.AddCommand(&cobra.Command{
		Use:   "key",
		Short: "Make a key that a player shares with a table",
		Long: `Make a key for [[players]] of a configuration. With it the table seals a player's cards, and knows the player's
requests, so that neither the broker nor anybody else on the way reads or makes them. Give it to the player, but not over
the broker.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			key := seal.NewKey()
			out := outputOf(cmd)
			out.print(struct {
				Key seal.Key `json:"key"`
			}{key}, string(key))
			return out.Flush()
		},
	})
	c.AddCommand(&cobra.Command{
		Use:   "passwd",
		Short: "Hash a password for a user of the embedded broker",
		Long: `Hash a password for [[broker.users]] of a configuration. On a terminal it is asked for, twice and unseen; otherwise
it is the first line of standard input.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			password, err := askPassword(cmd.InOrStdin(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			hash, err := broker.HashPassword(password)
			if err != nil {
				return err
			}
			out := outputOf(cmd)
			out.print(struct {
				Hash string `json:"hash"`
			}{hash}, hash)
			return out.Flush()
		},
	})
	return c
}

// askPassword reads a new password: unseen and twice from a terminal, else one line.
func askPassword(in io.Reader, prompt io.Writer) (string, error) {
	file, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		line, err := bufio.NewReader(in).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("password: %w", err)
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	var read [2]string
	for i, text := range []string{"Password: ", "Once more: "} {
		fmt.Fprint(prompt, text)
		b, err := term.ReadPassword(int(file.Fd()))
		fmt.Fprintln(prompt)
		if err != nil {
			return "", fmt.Errorf("password: %w", err)
		}
		read[i] = string(b)
	}
	if read[0] != read[1] {
		return "", errors.New("the passwords differ")
	}
	return read[0], nil
}
