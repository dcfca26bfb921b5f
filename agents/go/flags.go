package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"

	"github.com/alecthomas/kong"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// errHelp says that help was asked for, and given.
var errHelp = errors.New("help")

type flags struct {
	Connect string  `xor:"where" placeholder:"URL" help:"Dial the arena at HOST:PORT or a URL; https:// is TLS (default: 127.0.0.1:4600)."`
	CA      []byte  `name:"ca" type:"filecontent" placeholder:"FILE" help:"Trust this authority at an https:// address; in PEM."`
	Serve   string  `xor:"where" placeholder:"HOST:PORT" help:"Let the arena dial this address; port 0 takes a free one."`
	Cert    []byte  `name:"tls-cert" and:"tls" type:"filecontent" placeholder:"FILE" help:"Serve TLS with this certificate; in PEM."`
	Key     []byte  `name:"tls-key" and:"tls" type:"filecontent" placeholder:"FILE" help:"Its private key; in PEM."`
	Name    string  `default:"go-bot" placeholder:"NAME" help:"Its name, one bot a name (default: ${default})."`
	Matches uint32  `default:"8" placeholder:"N" help:"How many matches at once (default: ${default})."`
	Seed    *uint64 `placeholder:"N" help:"Makes its random choices the same every time."`

	target      string // where to dial
	credentials credentials.TransportCredentials
}

func parse(args []string, stdout io.Writer) (*flags, error) {
	var parsed flags
	helped := false
	parser, err := kong.New(&parsed, kong.Name("bot"), kong.Writers(stdout, stdout), kong.Exit(func(int) { helped = true }),
		kong.Description("A Broadside bot that plays every variant.\n\nIt shows the arena the token in BROADSIDE_TOKEN, if that is set."))
	if err != nil {
		return nil, err
	}
	_, err = parser.Parse(args)
	switch {
	case helped:
		return nil, errHelp
	case err != nil:
		return nil, err
	case parsed.Matches == 0:
		return nil, errors.New("--matches must be at least 1")
	}
	if parsed.Seed == nil {
		seed := rand.Uint64()
		parsed.Seed = &seed
	}
	if parsed.Serve != "" {
		err = parsed.toServe()
	} else {
		err = parsed.toConnect()
	}
	return &parsed, err
}

func (f *flags) toServe() error {
	if _, _, err := net.SplitHostPort(f.Serve); err != nil {
		return fmt.Errorf("--serve: %q is no HOST:PORT: %w", f.Serve, err)
	}
	if f.CA != nil {
		return errors.New("--ca is for --connect; to serve TLS give --tls-cert and --tls-key")
	}
	f.credentials = insecure.NewCredentials()
	if f.Cert != nil {
		pair, err := tls.X509KeyPair(f.Cert, f.Key)
		if err != nil {
			return fmt.Errorf("--tls-cert and --tls-key: %w", err)
		}
		f.credentials = credentials.NewServerTLSFromCert(&pair)
	}
	return nil
}

func (f *flags) toConnect() error {
	if f.Cert != nil {
		return errors.New("--tls-cert and --tls-key are for --serve")
	}
	address := f.Connect
	if address == "" {
		address = "127.0.0.1:4600"
	}
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	at, err := url.Parse(address)
	if err != nil || at.Port() == "" || at.User != nil || strings.Trim(at.Path, "/")+at.RawQuery+at.Fragment != "" {
		return fmt.Errorf("--connect: %q is no address of an arena: give HOST:PORT, http://HOST:PORT or https://HOST:PORT", f.Connect)
	}
	f.target = at.Host
	switch at.Scheme {
	case "https":
		return f.trust()
	case "http":
		f.credentials = insecure.NewCredentials()
		if f.CA != nil {
			return errors.New("--ca needs an https:// address in --connect")
		}
		return nil
	default:
		return fmt.Errorf("--connect: %q: only http:// and https:// are known", f.Connect)
	}
}

func (f *flags) trust() error {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.CA != nil {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(f.CA) {
			return errors.New("--ca: there is no certificate in the file; it must be in PEM")
		}
	}
	f.credentials = credentials.NewTLS(config)
	return nil
}

// checkToken trims the token and sees that it can be sent in a header.
func checkToken(token string) (string, error) {
	token = strings.TrimSpace(token)
	if strings.IndexFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) >= 0 {
		return "", errors.New("BROADSIDE_TOKEN holds a character that no token has; it must be one word of ASCII")
	}
	return token, nil
}
