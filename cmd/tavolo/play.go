package main

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tavolo/cmd/tavolo/play"
	"tavolo/controller/seal"
	"tavolo/display/text"
)

// clientTLS is what a client goes by that connects over TLS, nil for the system's trust and no certificate of its own.
func clientTLS(ca, certificate, key string) (*tls.Config, error) {
	if ca == "" && certificate == "" {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, fmt.Errorf("--ca: %w", err)
		}
		if c.RootCAs = x509.NewCertPool(); !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("--ca: %s: no certificate in it: want PEM", ca)
		}
	}
	if certificate != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, fmt.Errorf("--certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

func playCommand() *cobra.Command {
	opt := play.Options{}
	var lang, passwordFile, keyFile, ca, certificate, certificateKey string
	c := &cobra.Command{
		Use:   "play --as PLAYER [--table T]",
		Short: "Play a remote seat in this terminal, over MQTT",
		Long: `Play a remote seat in this terminal, over MQTT. Without more flags it is a seat of a 'tavolo demo' on this machine.

On a terminal it shows the table and takes the keys of the page; ? lists them. Otherwise, and with --json, it prints a line
for each thing that happens and reads a command a line. Amounts are the whole bet of the round, cards are named by their
numbers (discard 1 3), a plan is what to do when the player's turn comes, back is a stake behind another's box, wait waits
until it is the player's turn, hands are the last ones played, and hand tells one of them. The commands:

` + play.Commands(),
		Example: `  tavolo play --as guest
  tavolo play --broker tls://broker.example:8883 --studio riga --table nine --as bob --password-file bob.txt \
    --key-file bob.key
  printf 'sit in\nwait\ncall\n' | tavolo play --as guest`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opt.JSON = outputOf(cmd).json
			opt.In, opt.Out = cmd.InOrStdin(), cmd.OutOrStdout()
			if passwordFile != "" {
				var err error
				if opt.Password, err = passwordIn(passwordFile); err != nil {
					return fmt.Errorf("password: %w", err)
				}
			}
			if err := opt.Validate(); err != nil {
				return usageError{err}
			}
			var err error
			if opt.Words, err = text.New(lang); err != nil {
				return usageError{fmt.Errorf("--lang: %w", err)}
			}
			opt.Key = demoKey(opt.Player)
			if keyFile != "" {
				key, err := os.ReadFile(keyFile)
				if err == nil {
					opt.Key, err = seal.ParseKey(strings.TrimSpace(string(key)))
				}
				if err != nil {
					return fmt.Errorf("key: %w", err)
				}
			}
			if opt.TLS, err = clientTLS(ca, certificate, certificateKey); err != nil {
				return err
			}
			return play.Run(cmd.Context(), opt)
		},
	}
	f := c.Flags()
	f.StringVar(&opt.Player, "as", "", "player to log in as")
	f.StringVar(&lang, "lang", text.Preferred(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"))), "language: "+strings.Join(text.Languages(), " or "))
	f.StringVar(&opt.Topics.Table, "table", "t1", "table")
	f.StringVar(&opt.Topics.Studio, "studio", "demo", "studio")
	f.StringVar(&opt.URL, "broker", "tcp://127.0.0.1:1883", "broker: tcp, tls, ws or wss, then ://host:port; several nodes of one separated by commas")
	f.StringVar(&opt.Password, "password", demoPassword, "password; others on this machine can see it, rather use --password-file")
	f.StringVar(&passwordFile, "password-file", "", "file with the password")
	f.StringVar(&keyFile, "key-file", "", "file with the key that the player shares with the table (default: that of a demo's player)")
	f.StringVar(&ca, "ca", "", "PEM file of the authority that the broker's certificate is of (default: those of the system)")
	f.StringVar(&certificate, "certificate", "", "PEM file of the player's own certificate, where the broker wants one")
	f.StringVar(&certificateKey, "certificate-key", "", "PEM file of its key")
	c.MarkFlagsMutuallyExclusive("password", "password-file")
	c.MarkFlagsRequiredTogether("certificate", "certificate-key")
	_ = c.MarkFlagRequired("as") // the flag is there
	return c
}
