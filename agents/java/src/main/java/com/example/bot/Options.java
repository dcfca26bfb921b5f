package com.example.bot;

import com.example.bot.arena.Bot;
import com.example.bot.arena.Host;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ServerCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The command line. What is wrong with it is thrown as a ParameterException. */
final class Options {
    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--connect", paramLabel = "URL",
            description = "Dial the arena at HOST:PORT or a URL; https:// is TLS (default: 127.0.0.1:4600).")
    private String connect;

    @Option(names = "--ca", paramLabel = "FILE", description = "Trust this authority at an https:// address; in PEM.")
    private File ca;

    @Option(names = "--serve", paramLabel = "HOST:PORT",
            description = "Let the arena dial this address; port 0 takes a free one.")
    private String serve;

    @Option(names = "--tls-cert", paramLabel = "FILE", description = "Serve TLS with this certificate; in PEM.")
    private File cert;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "Its private key; in PEM.")
    private File key;

    @Option(names = "--name", paramLabel = "NAME", defaultValue = "java-bot",
            description = "Its name, one bot a name (default: ${DEFAULT-VALUE}).")
    private String name;

    @Option(names = "--matches", paramLabel = "N", defaultValue = "8",
            description = "How many matches at once (default: ${DEFAULT-VALUE}).")
    private int matches;

    @Option(names = "--seed", paramLabel = "N", description = "Makes its random choices the same every time.")
    private Long seed;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
    private boolean help;

    String name() {
        return name;
    }

    int matches() {
        if (matches < 1) {
            throw wrong("--matches must be at least 1");
        }
        return matches;
    }

    long seed() {
        return seed == null ? ThreadLocalRandom.current().nextLong() : seed;
    }

    boolean serves() {
        if (serve != null && connect != null) {
            throw wrong("--connect and --serve cannot be used together");
        }
        if (serve == null && (cert != null || key != null)) {
            throw wrong("--tls-cert and --tls-key are for --serve");
        }
        if (serve != null && ca != null) {
            throw wrong("--ca is for --connect; to serve TLS give --tls-cert and --tls-key");
        }
        return serve != null;
    }

    private URI arena() {
        String address = connect == null ? "127.0.0.1:4600" : connect;
        try {
            URI arena = URI.create(address.contains("://") ? address : "http://" + address);
            boolean plain = arena.getRawPath().isEmpty() || arena.getRawPath().equals("/");
            if (arena.getHost() != null && arena.getPort() > 0 && plain && arena.getRawUserInfo() == null
                    && arena.getRawQuery() == null && arena.getRawFragment() == null) {
                return arena;
            }
        } catch (IllegalArgumentException malformed) {
            // Said below.
        }
        throw wrong("--connect: \"%s\" is no address of an arena: give HOST:PORT, http://HOST:PORT or https://HOST:PORT", address);
    }

    /** HOST:PORT of the arena. */
    String target() {
        return arena().getRawAuthority();
    }

    /** How the arena is trusted. */
    ChannelCredentials trust() {
        switch (arena().getScheme()) {
            case "https" -> {
                return ca == null ? TlsChannelCredentials.create() : trust(ca);
            }
            case "http" -> {
                if (ca != null) {
                    throw wrong("--ca needs an https:// address in --connect");
                }
                return InsecureChannelCredentials.create();
            }
            default -> throw wrong("--connect: \"%s\": only http:// and https:// are known", connect);
        }
    }

    private ChannelCredentials trust(File authority) {
        try (InputStream pem = Files.newInputStream(authority.toPath())) {
            if (CertificateFactory.getInstance("X.509").generateCertificates(pem).isEmpty()) {
                throw new CertificateException("empty");
            }
            return TlsChannelCredentials.newBuilder().trustManager(authority).build();
        } catch (CertificateException nonsense) {
            throw wrong("--ca: there is no certificate in %s; it must be in PEM", authority);
        } catch (IOException unreadable) {
            throw wrong("--ca: cannot read %s", unreadable.getMessage());
        }
    }

    /** The token, which must be one that can be sent in a header. */
    String checked(String token) {
        if (!token.strip().matches("[!-~]*")) {
            throw wrong("BROADSIDE_TOKEN holds a character that no token has; it must be one word of ASCII");
        }
        return token.strip();
    }

    String serveAddress() {
        return serve;
    }

    /** The host to serve on, as it was given. */
    String hostName() {
        return serve.substring(0, serve.lastIndexOf(':'));
    }

    /** What serves the bot at the address. */
    Host host(Bot bot) {
        if (!serve.matches("(\\[[^]]+]|[^:]*):\\d{1,5}") || port() > 65535) {
            throw wrong("--serve: \"%s\" is no HOST:PORT", serve);
        }
        InetSocketAddress address =
                hostName().isEmpty() ? new InetSocketAddress(port()) : new InetSocketAddress(hostName(), port());
        try {
            return new Host(bot, address, identity());
        } catch (IllegalArgumentException nonsense) {
            throw wrong("--tls-cert and --tls-key: %s", nonsense.getMessage());
        }
    }

    private int port() {
        return Integer.parseInt(serve.substring(serve.lastIndexOf(':') + 1));
    }

    private ServerCredentials identity() {
        if (cert == null && key == null) {
            return InsecureServerCredentials.create();
        }
        if (cert == null || key == null) {
            throw wrong("--tls-cert and --tls-key must be used together");
        }
        try {
            return TlsServerCredentials.create(cert, key);
        } catch (IOException unreadable) {
            throw wrong("--tls-cert and --tls-key: cannot read %s", unreadable.getMessage());
        }
    }

    private ParameterException wrong(String format, Object... values) {
        return new ParameterException(spec.commandLine(), String.format(format, values));
    }
}
