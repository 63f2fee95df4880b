package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tavolo/controller/broker"
	"tavolo/controller/mqtt"
	"tavolo/controller/seal"
)

func brokerCommand() *cobra.Command {
	c := &cobra.Command{Use: "broker", Short: "Look after who may use the broker"}
	c.AddCommand(aclCommand(), frontCommand())
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

func aclCommand() *cobra.Command {
	var dialect, file string
	var named []string
	c := &cobra.Command{
		Use:   "acl --for mosquitto|nats",
		Short: "Print access rules for an external broker",
		Long: `Print who may read and write what, for an external broker: an acl_file of Mosquitto, or the authorization block of a
NATS server, where each password is a variable of the environment. The users are those of a configuration, its table,
its players and its broker's users, and those named with --user. Without any there is one user of each role, named
after it, to be copied from.`,
		Example: `  tavolo broker acl --for mosquitto -c table.toml --user dealer=dealer > /etc/mosquitto/tavolo.acl`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var topics mqtt.Topics
			users := []mqtt.Account{}
			if file != "" {
				cfg, err := LoadConfig(file)
				if err != nil {
					return err
				}
				topics, users = cfg.Topics, cfg.accounts()
			}
			for _, text := range named {
				name, role, _ := strings.Cut(text, "=")
				users = append(users, mqtt.Account{Name: name, Role: mqtt.Role(role)})
			}
			if len(users) == 0 {
				for _, rule := range mqtt.Rules() {
					users = append(users, mqtt.Account{Name: string(rule.Role), Role: rule.Role})
				}
			}
			if err := mqtt.WriteAccess(cmd.OutOrStdout(), dialect, topics, users); err != nil {
				return usageError{err}
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&dialect, "for", "", "the broker: mosquitto or nats")
	f.StringVarP(&file, "config", "c", "", "configuration of the table")
	f.StringArrayVar(&named, "user", nil, "a further user, NAME=ROLE; may be given more than once")
	_ = c.MarkFlagRequired("for") // the flag is there
	return c
}

func frontCommand() *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use:   "front HOST:PORT...",
		Short: "Print what nginx is to do in front of an external broker",
		Long: `Print the stream block of a configuration of nginx that stands between the players and the nodes of an external broker,
and reads from each connection no more than some 50 requests a second. NATS and Mosquitto would read as much as one sends,
and have less time for the others. Tables connect to the nodes themselves.`,
		Example: `  tavolo broker front --listen 0.0.0.0:1883 10.0.0.5:1884 10.0.0.6:1884 10.0.0.7:1884 > /etc/nginx/tavolo.conf`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, nodes []string) error {
			if err := mqtt.WriteFront(cmd.OutOrStdout(), listen, nodes); err != nil {
				return usageError{err}
			}
			return nil
		},
	}
	c.Flags().StringVar(&listen, "listen", "0.0.0.0:1883", "where players connect")
	return c
}

// accounts are the users of the broker that the configuration knows of: the table itself first.
func (c *Config) accounts() []mqtt.Account {
	engine := mqtt.Account{Name: cmp.Or(c.Broker.User, "engine"), Role: mqtt.Engine}
	users := []mqtt.Account{engine}
	for _, u := range c.Broker.Users {
		users = append(users, mqtt.Account{Name: u.Name, Role: u.Role})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Keys)) {
		if !slices.ContainsFunc(users, func(u mqtt.Account) bool { return u.Name == name }) {
			users = append(users, mqtt.Account{Name: name, Role: mqtt.Player})
		}
	}
	return users
}

// askPassword reads a new password: unseen and twice from a terminal, else one line.
func askPassword(in io.Reader, prompt io.Writer) (string, error) {
	file, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		line, err := firstLine(in)
		if err != nil {
			return "", fmt.Errorf("password: %w", err)
		}
		return line, nil
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

// passwordIn is the password that a file holds in its first line.
func passwordIn(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	line, err := firstLine(f)
	return line, errors.Join(err, f.Close())
}

// firstLine reads a line, which the end of the file may end too, and leaves its end out.
func firstLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(in).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), err
}
