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
)

func brokerCommand() *cobra.Command {
	c := &cobra.Command{Use: "broker", Short: "Look after who may use the broker"}
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
