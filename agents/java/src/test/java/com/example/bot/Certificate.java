package com.example.bot;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** A certificate of its own for 127.0.0.1 and its key, in PEM, made by the JDK's keytool. */
record Certificate(File cert, File key) {
    static Certificate in(Path folder) throws IOException, InterruptedException, GeneralSecurityException {
        Path store = folder.resolve("store.p12");
        int status = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-keystore", store.toString(), "-storepass", "secret", "-alias", "bot", "-keyalg", "EC",
                "-dname", "CN=localhost", "-ext", "SAN=ip:127.0.0.1").inheritIO().start().waitFor();
        if (status != 0) {
            throw new IOException("keytool ended with " + status);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream stored = Files.newInputStream(store)) {
            keys.load(stored, "secret".toCharArray());
        }
        return new Certificate(
                pem(folder.resolve("cert.pem"), "CERTIFICATE", keys.getCertificate("bot").getEncoded()),
                pem(folder.resolve("key.pem"), "PRIVATE KEY", keys.getKey("bot", "secret".toCharArray()).getEncoded()));
    }

    private static File pem(Path file, String kind, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, "\n".getBytes()).encodeToString(content);
        return Files.writeString(file, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n").toFile();
    }
}
