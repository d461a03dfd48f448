package io.weir.testkit.process;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A separate certificate authority with a server and a client certificate, as PEM files.
 *
 * <p>The JDK's {@code keytool} creates them, so nothing has to be installed. The server's
 * certificate is valid for {@code localhost} and {@code 127.0.0.1}. Two instances do not trust each
 * other, so a second one serves as the wrong authority.
 */
public final class TlsFiles implements AutoCloseable {
  private static final String PASSWORD = "testkit";

  private final TempFolder scratch = TempFolder.create("tls");
  private final KeyStore all;

  private TlsFiles() {
    keytool("ca", "-dname", "CN=Weir test authority", "-ext", "bc:c", "-ext", "ku:c=keyCertSign");
    keytool(
        "server",
        "-dname",
        "CN=localhost",
        "-signer",
        "ca",
        "-ext",
        "san=dns:localhost,ip:127.0.0.1");
    keytool("client", "-dname", "CN=weir", "-signer", "ca");
    try {
      all = KeyStore.getInstance(store().toFile(), PASSWORD.toCharArray());
      for (String name : List.of("ca", "server", "client")) {
        Certificate certificate = all.getCertificate(name);
        Key key = all.getKey(name, PASSWORD.toCharArray());
        writePem(name + ".crt", "CERTIFICATE", certificate.getEncoded());
        writePem(name + ".key", "PRIVATE KEY", key.getEncoded());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  public static TlsFiles create() {
    return new TlsFiles();
  }

  /** The authority's certificate, which both sides trust. */
  public Path ca() {
    return scratch.file("ca.crt");
  }

  public Path serverCertificate() {
    return scratch.file("server.crt");
  }

  /** PKCS#8, not encrypted. */
  public Path serverKey() {
    return scratch.file("server.key");
  }

  public Path clientCertificate() {
    return scratch.file("client.crt");
  }

  /** PKCS#8, not encrypted. */
  public Path clientKey() {
    return scratch.file("client.key");
  }

  /** For Java's own sockets: trusts the authority and presents the client's certificate. */
  public SSLContext clientContext() {
    return context(true);
  }

  /** For Java's own sockets: trusts the authority and presents no certificate. */
  public SSLContext strangerContext() {
    return context(false);
  }

  private SSLContext context(boolean withCertificate) {
    try {
      char[] password = PASSWORD.toCharArray();
      KeyStore identity = KeyStore.getInstance("PKCS12");
      identity.load(null, password);
      if (withCertificate) {
        identity.setKeyEntry(
            "client", all.getKey("client", password), password, all.getCertificateChain("client"));
      }
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(identity, password);
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, password);
      trusted.setCertificateEntry("ca", all.getCertificate("ca"));
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
      return context;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    scratch.close();
  }

  private Path store() {
    return scratch.file("all.p12");
  }

  private void keytool(String alias, String... options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-genkeypair"));
    command.addAll(List.of("-alias", alias, "-keyalg", "EC", "-groupname", "secp256r1"));
    command.addAll(List.of("-storetype", "PKCS12", "-keystore", store().toString()));
    command.addAll(List.of("-storepass", PASSWORD, "-validity", "30"));
    command.addAll(List.of(options));
    ChildProcess.run(command);
  }

  private void writePem(String file, String kind, byte[] der) throws IOException {
    String body = Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(der);
    Files.writeString(
        scratch.file(file),
        "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n");
  }
}
