package com.example.bot;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import broadside.v1.Agent.AgentProfile;
import broadside.v1.Agent.GetProfileRequest;
import broadside.v1.AgentServiceGrpc;
import com.example.bot.arena.FakeArena;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import java.io.BufferedReader;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(2 * FakeArena.PATIENCE_S)
class MainTest {
    @TempDir
    Path folder;

    /** How a run of the bot ended. */
    private record Run(int status, String out, String err) {
        static Run of(String token, String... arguments) {
            StringWriter out = new StringWriter();
            StringWriter err = new StringWriter();
            int status = bot(token, out).run(new PrintWriter(err, true), arguments);
            return new Run(status, out.toString(), err.toString());
        }
    }

    private static Main bot(String token, Writer out) {
        return new Main(token, new PrintWriter(out, true));
    }

    @TestFactory
    Stream<DynamicTest> wrongUsageIsSaidAndEndsWith2() throws Exception {
        Path nonsense = Files.writeString(folder.resolve("nonsense.pem"), "nonsense");
        return Stream.of(
                "--nosuch | --nosuch",
                "--connect host | \"host\" is no address",
                "--connect http://host:1/path | \"http://host:1/path\" is no address",
                "--connect ftp://host:1 | \"ftp://host:1\": only http:// and https://",
                "--connect host:1 --serve host:2 | cannot be used together",
                "--connect http://h:1 --ca NONSENSE | needs an https:// address",
                "--connect https://h:1 --ca NONSENSE | no certificate",
                "--connect https://h:1 --ca /none | cannot read /none",
                "--serve host | \"host\" is no HOST:PORT",
                "--serve h:0 --ca NONSENSE | --ca is for --connect",
                "--serve h:0 --tls-cert NONSENSE | must be used together",
                "--tls-cert NONSENSE --tls-key NONSENSE | are for --serve",
                "--serve h:0 --tls-cert NONSENSE --tls-key NONSENSE | --tls-cert and --tls-key",
                "--matches 0 | --matches",
                "--seed x | --seed")
                .map(line -> line.replace("NONSENSE", nonsense.toString()).split(" \\| "))
                .map(usage -> DynamicTest.dynamicTest(usage[0], () -> {
                    Run run = Run.of("", usage[0].split(" "));
                    assertAll(
                            () -> assertEquals(Main.USAGE, run.status()),
                            () -> assertEquals("", run.out()),
                            () -> assertEquals(1, run.err().lines().count(), run.err()),
                            () -> assertTrue(run.err().contains(usage[1]), run.err()));
                }));
    }

    @Test
    void aTokenThatCannotBeSentEndsWith2() {
        Run run = Run.of("two\nlines");
        assertEquals(Main.USAGE, run.status());
        assertTrue(run.err().contains("BROADSIDE_TOKEN"), run.err());
    }

    @Test
    void helpNamesEveryOption() {
        Run run = Run.of("", "--help");
        assertEquals(Main.DONE, run.status());
        Stream.of("--connect", "--ca", "--serve", "--tls-cert", "--tls-key", "--name", "--matches", "--seed", "BROADSIDE_TOKEN")
                .forEach(word -> assertTrue(run.out().contains(word), word));
    }

    @Test
    void theExitStatusSaysWhyTheBotLeft() throws Exception {
        try (FakeArena fake = new FakeArena(
                arena -> {
                    assertEquals("ada", arena.hello().getProfile().getName());
                    assertEquals(2, arena.hello().getProfile().getMaxMatches());
                    throw Status.ABORTED.asRuntimeException();
                },
                arena -> {
                    throw Status.UNAUTHENTICATED.asRuntimeException();
                })) {
            String arena = "http://" + fake.address();
            assertEquals(Main.TAKEN_OVER, Run.of("", "--connect", arena, "--name", "ada", "--matches", "2").status());
            assertEquals(Main.REFUSED, Run.of("", "--connect", arena).status());
        }
    }

    @Test
    void aBotThatIsAskedToLeaveEndsWith0() throws Exception {
        Main bot = bot("", new StringWriter());
        try (FakeArena fake = new FakeArena(arena -> {
            arena.welcome("token");
            bot.leave();
            arena.ended();
        })) {
            assertEquals(Main.DONE, bot.run(new PrintWriter(System.err), "--connect", fake.address()));
        }
    }

    @Test
    void anAddressThatIsTakenEndsWith1() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Run run = Run.of("", "--serve", "127.0.0.1:" + taken.getLocalPort());
            assertEquals(Main.REFUSED, run.status());
            assertEquals("", run.out());
        }
    }

    @Test
    void theTokenIsSentOverTlsToAnArenaOfAPrivateAuthority() throws Exception {
        Certificate certificate = Certificate.in(folder);
        try (FakeArena fake = new FakeArena(TlsServerCredentials.create(certificate.cert(), certificate.key()), arena -> {
            assertEquals("Bearer secret", arena.authorization());
            throw Status.ABORTED.asRuntimeException();
        })) {
            Run run = Run.of(" secret\n", "--connect", "https://" + fake.address(), "--ca", certificate.cert().toString());
            assertEquals(Main.TAKEN_OVER, run.status());
        }
    }

    @Test
    void aBotThatServesTlsSaysWhereAndLeavesWith0() throws Exception {
        Certificate certificate = Certificate.in(folder);
        PipedReader out = new PipedReader();
        Main bot = bot("", new PipedWriter(out));
        CompletableFuture<Integer> status = CompletableFuture.supplyAsync(() -> bot.run(new PrintWriter(System.err),
                "--serve", "127.0.0.1:0", "--tls-cert", certificate.cert().toString(), "--tls-key", certificate.key().toString()));
        String line = new BufferedReader(out).readLine();
        assertTrue(line.matches("serving on 127\\.0\\.0\\.1:[1-9]\\d*"), line);
        ManagedChannel channel = Grpc.newChannelBuilder(line.substring("serving on ".length()),
                TlsChannelCredentials.newBuilder().trustManager(certificate.cert()).build()).build();
        try {
            AgentProfile profile = AgentServiceGrpc.newBlockingStub(channel)
                    .getProfile(GetProfileRequest.getDefaultInstance())
                    .getProfile();
            assertEquals("java-bot", profile.getName());
            assertEquals(8, profile.getMaxMatches());
        } finally {
            channel.shutdownNow();
        }
        bot.leave();
        assertEquals(Main.DONE, status.get());
    }
}
