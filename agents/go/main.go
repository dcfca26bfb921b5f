// A Broadside bot in Go: plays every variant, and waits for your ideas in choose().
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"example.com/broadside-bot/internal/arena"
)

// Exit statuses.
const (
	done      = 0 // asked to leave
	refused   = 1 // by the arena, or the address to serve cannot be had
	wrong     = 2 // usage
	takenOver = 3 // another bot has this name now
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the bot at once
	os.Exit(run(ctx, os.Args[1:], os.Getenv("BROADSIDE_TOKEN"), os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, token string, stdout, stderr io.Writer) int {
	flags, err := parse(args, stdout)
	if errors.Is(err, errHelp) {
		return done
	}
	if err == nil {
		token, err = checkToken(token)
	}
	if err != nil {
		fmt.Fprintf(stderr, "bot: %v (see --help)\n", err)
		return wrong
	}
	log := slog.New(slog.NewTextHandler(stderr, nil))
	bot := &arena.Bot{Name: flags.Name, Matches: flags.Matches, Seed: *flags.Seed, Choose: choose, Log: log}
	if flags.Serve != "" {
		err = serve(ctx, bot, flags, stdout)
	} else {
		err = bot.Dial(ctx, arena.Address{Target: flags.target, Credentials: flags.credentials, Token: token})
	}
	switch {
	case err == nil:
		return done
	case errors.Is(err, arena.ErrTakenOver):
		log.Error("leaving", "why", err)
		return takenOver
	default:
		log.Error("leaving", "why", err)
		return refused
	}
}

func serve(ctx context.Context, bot *arena.Bot, flags *flags, stdout io.Writer) error {
	listener, err := net.Listen("tcp", flags.Serve)
	if err != nil {
		return fmt.Errorf("cannot serve: %w", err)
	}
	address := listener.Addr().String()
	if host, _, err := net.SplitHostPort(flags.Serve); err == nil && host != "" {
		_, port, _ := net.SplitHostPort(address)
		address = net.JoinHostPort(host, port)
	}
	fmt.Fprintf(stdout, "serving on %s\n", address)
	return bot.Serve(ctx, listener, flags.credentials)
}
