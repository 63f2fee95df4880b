package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
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
	c.AddCommand(aclCommand(), frontCommand(), inviteCommand())
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

func inviteCommand() *cobra.Command {
	var file, player, page string
	c := &cobra.Command{
		Use:   "invite -c FILE --player P --page URL",
		Short: "Print the link by which a player signs in at the page",
		Long: `Print the link that fills in a player's name and key at the page; the password is asked for there. Who has it can read the
player's cards: give it to the player alone, and not over the broker. What follows the # a browser sends to nobody. The page
uses a key over https only, or on the machine it is served from.`,
		Example: `  tavolo broker invite -c table.toml --player ann --page https://poker.example/`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := url.Parse(page)
			if err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Host == "" {
				return usageError{fmt.Errorf("page %q: want the page's address, such as https://poker.example/", page)}
			}
			cfg, err := LoadConfig(file)
			if err != nil {
				return err
			}
			key, ok := cfg.Keys[player]
			if !ok {
				return fmt.Errorf("%s: no player %q among [[players]]; make a key for him with 'tavolo broker key'", file, player)
			}
			link := invitation(*at, player, key)
			out := outputOf(cmd)
			out.print(struct {
				Link string `json:"link"`
			}{link}, link)
			return out.Flush()
		},
	}
	f := c.Flags()
	f.StringVarP(&file, "config", "c", "", "configuration of the table")
	f.StringVar(&player, "player", "", "the player, as in [[players]]")
	f.StringVar(&page, "page", "", "where players reach the page")
	for _, name := range []string{"config", "player", "page"} {
		_ = c.MarkFlagRequired(name) // the flag is there
	}
	return c
}

// invitation is the link by which a player signs in at a page.
func invitation(page url.URL, player string, key seal.Key) string {
	page.Path = cmp.Or(page.Path, "/")
	page.Fragment = url.Values{"player": {player}, "key": {string(key)}}.Encode()
	return page.String()
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
