// Command example is a player who checks where that is free, and folds otherwise. Its arguments are the broker's address,
// studio, table, user, password and key.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync"

	"tavolo/controller"
	"tavolo/controller/client"
	"tavolo/controller/mqtt"
	"tavolo/controller/seal"
	"tavolo/engine"
	"tavolo/engine/card"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := play(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func play(ctx context.Context, args []string) error {
	if len(args) != 6 {
		return errors.New("want the broker's address, studio, table, user, password and key")
	}
	key, err := seal.ParseKey(args[5])
	if err != nil {
		return err
	}
	c, err := client.New(client.Options{
		URL: args[0], Topics: mqtt.Topics{Studio: args[1], Table: args[2]},
		Role: mqtt.Player, User: args[3], Password: args[4], Key: key, Log: slog.Default(),
	})
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	running.Go(func() { _ = c.Run(ctx) }) // until ctx ends
	defer running.Wait()

	var own, board []card.Card
	for {
		select {
		case m := <-c.Messages():
			switch m := m.(type) {
			case client.Connected:
				if !m.Up {
					fmt.Println("no table:", m.Text)
				}
			case mqtt.StatePayload:
				board = m.View.Board
			case mqtt.HolePayload:
				own = m.Cards
			case mqtt.TurnPayload:
				if m.Kind == engine.AwaitAction {
					fmt.Printf("hand %d: %s | %s\n", m.Hand, card.Text(own), card.Text(board))
					act(ctx, c, &m)
				}
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// act answers a turn. It carries the turn's token, so that an answer that comes late answers nothing else.
func act(ctx context.Context, c *client.Client, turn *mqtt.TurnPayload) {
	action := controller.VerbFold
	if turn.Legal.Check {
		action = controller.VerbCheck
	}
	err := c.Act(ctx, mqtt.ActionPayload{Action: action, Epoch: turn.Epoch, Turn: turn.Turn})
	if refused, ok := errors.AsType[*client.Refused](err); ok {
		fmt.Println("refused:", refused.Code, refused.Text)
	} else if err == nil {
		fmt.Println(action)
	}
}
