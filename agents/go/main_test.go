package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"example.com/broadside-bot/internal/arenatest"
	"example.com/broadside-bot/internal/pb"
)

func TestWrongUsageIsSaidAndEndsWith2(t *testing.T) {
	nonsense := filepath.Join(t.TempDir(), "nonsense.pem")
	if err := os.WriteFile(nonsense, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]string{
		"--nosuch":                                                      "--nosuch",
		"--connect host":                                                `"host" is no address`,
		"--connect http://host:1/path":                                  `"http://host:1/path" is no address`,
		"--connect ftp://host:1":                                        `"ftp://host:1": only http:// and https://`,
		"--connect host:1 --serve host:2":                               "can't be used together",
		"--connect http://h:1 --ca " + nonsense:                         "needs an https:// address",
		"--connect https://h:1 --ca " + nonsense:                        "no certificate",
		"--connect https://h:1 --ca /none":                              "/none",
		"--serve host":                                                  `"host" is no HOST:PORT`,
		"--serve h:0 --ca " + nonsense:                                  "--ca is for --connect",
		"--serve h:0 --tls-cert " + nonsense:                            "must be used together",
		"--tls-cert " + nonsense + " --tls-key " + nonsense:             "are for --serve",
		"--serve h:0 --tls-cert " + nonsense + " --tls-key " + nonsense: "--tls-cert and --tls-key",
		"--matches 0":                                                   "--matches",
		"--matches -1":                                                  "--matches",
		"--seed x":                                                      "--seed",
	} {
		t.Run(arguments, func(t *testing.T) {
			status, stdout, stderr := runBot(t, "", strings.Fields(arguments)...)
			if status != wrong || !strings.Contains(stderr, want) || stdout != "" {
				t.Errorf("status %d, %q, %q", status, stdout, stderr)
			}
		})
	}
	if status, _, stderr := runBot(t, "two\nlines"); status != wrong || !strings.Contains(stderr, "BROADSIDE_TOKEN") {
		t.Errorf("status %d, %q", status, stderr)
	}
}

func TestHelpNamesEveryFlag(t *testing.T) {
	status, stdout, _ := runBot(t, "", "--help")
	for _, flag := range []string{"--connect", "--ca", "--serve", "--tls-cert", "--tls-key", "--name", "--matches", "--seed", "BROADSIDE_TOKEN"} {
		if status != done || !strings.Contains(stdout, flag) {
			t.Errorf("status %d, no %s in %s", status, flag, stdout)
		}
	}
}

func TestTheExitStatusSaysWhyTheBotLeft(t *testing.T) {
	for code, want := range map[codes.Code]int{codes.Aborted: takenOver, codes.Unauthenticated: refused} {
		address := arenatest.Start(t, []arenatest.Script{func(stream *arenatest.Stream) error {
			if name, matches := stream.Hello.GetProfile().GetName(), stream.Hello.GetProfile().GetMaxMatches(); name != "ada" || matches != 2 {
				return arenatest.Fail("not the right profile: %v", stream.Hello)
			}
			return status.Error(code, "go away")
		}})
		if got, _, stderr := runBot(t, "", "--connect", "http://"+address, "--name", "ada", "--matches", "2"); got != want {
			t.Errorf("%v: status %d, want %d; %s", code, got, want, stderr)
		}
	}
}

func TestAnAddressThatIsTakenEndsWith1(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	status, stdout, stderr := runBot(t, "", "--serve", taken.Addr().String())
	if status != refused || stdout != "" || !strings.Contains(stderr, "address already in use") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}

func TestTheTokenIsSentOverTLSToAnArenaOfAPrivateAuthority(t *testing.T) {
	pair, cert, _ := certificate(t)
	address := arenatest.Start(t, []arenatest.Script{func(stream *arenatest.Stream) error {
		if len(stream.Authorization) != 1 || stream.Authorization[0] != "Bearer secret" {
			return arenatest.Fail("authorization %q", stream.Authorization)
		}
		return status.Error(codes.Aborted, "the test is over")
	}}, grpc.Creds(credentials.NewServerTLSFromCert(pair)))
	status, _, stderr := runBot(t, " secret\n", "--connect", "https://"+address, "--ca", cert)
	if status != takenOver {
		t.Errorf("status %d, %s", status, stderr)
	}
}

func TestABotThatServesTLSSaysWhereAndLeavesWith0(t *testing.T) {
	pair, cert, key := certificate(t)
	ctx, leave := context.WithCancel(t.Context())
	stdout, written := io.Pipe()
	left := make(chan int, 1)
	go func() {
		left <- run(ctx, []string{"--serve", "localhost:0", "--tls-cert", cert, "--tls-key", key}, "", written, t.Output())
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "serving on ")
	if err != nil || !ok || !strings.HasPrefix(address, "localhost:") {
		t.Fatalf("%q, %v", line, err)
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(pair.Leaf)
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: trusted, ServerName: "example.com"})))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	profile, err := pb.NewAgentServiceClient(conn).GetProfile(ctx, &pb.GetProfileRequest{})
	if err != nil || profile.GetProfile().GetName() != "go-bot" || profile.GetProfile().GetMaxMatches() != 8 {
		t.Errorf("%v, %v", profile, err)
	}
	leave()
	if status := <-left; status != done {
		t.Errorf("status %d", status)
	}
}

// runBot runs the bot to its end, which must come by itself.
func runBot(t *testing.T, token string, arguments ...string) (status int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), arenatest.Patience)
	defer cancel()
	var out, log bytes.Buffer
	status = run(ctx, arguments, token, &out, &log)
	if ctx.Err() != nil {
		t.Error("the bot did not end by itself")
	}
	return status, out.String(), log.String()
}

// certificate borrows the one that httptest has, for 127.0.0.1 and example.com, and writes it into files.
func certificate(t *testing.T) (pair *tls.Certificate, cert, key string) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	pair = &server.TLS.Certificates[0]
	pair.Leaf = server.Certificate()
	secret, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return pair, write("cert.pem", "CERTIFICATE", pair.Certificate[0]), write("key.pem", "PRIVATE KEY", secret)
}
