package io.weir.control.audit;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;

/**
 * The Ed25519 key with which an instance signs heads of the audit log. It lies in a file outside of
 * the database ({@code state.dir/audit.key} unless configured): a person who can only write to the
 * database cannot sign.
 *
 * <p>The file has two lines, the private key (PKCS #8) and the public key (X.509), in base64; only
 * its owner may read it.
 */
public final class AuditKey {
  private final PrivateKey secret;
  private final PublicAuditKey open;

  private AuditKey(PrivateKey secret, PublicAuditKey open) {
    this.secret = secret;
    this.open = open;
  }

  /** Reads the key; makes the file if there is none. */
  public static AuditKey load(Path file) throws IOException {
    try {
      return parse(Files.readAllLines(file), file);
    } catch (NoSuchFileException absent) {
      return create(file);
    }
  }

  private static AuditKey parse(List<String> lines, Path file) throws IOException {
    if (lines.size() < 2) {
      throw new IOException(file + " is no audit key: two lines expected");
    }
    try {
      byte[] secret = Base64.getDecoder().decode(lines.get(0));
      return new AuditKey(
          KeyFactory.getInstance("Ed25519").generatePrivate(new PKCS8EncodedKeySpec(secret)),
          PublicAuditKey.parse(lines.get(1)));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IOException(file + " is no audit key: " + e.getMessage(), e);
    }
  }

  private static AuditKey create(Path file) throws IOException {
    try {
      KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
      Base64.Encoder base64 = Base64.getEncoder();
      String secret = base64.encodeToString(pair.getPrivate().getEncoded());
      String open = base64.encodeToString(pair.getPublic().getEncoded());
      Path folder = Files.createDirectories(file.toAbsolutePath().getParent());
      Path next =
          Files.createTempFile(
              folder,
              "audit-",
              ".tmp",
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.write(next, List.of(secret, open));
      return publish(next, file)
          ? new AuditKey(pair.getPrivate(), PublicAuditKey.parse(open))
          : parse(Files.readAllLines(file), file);
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every JDK from 15 on has Ed25519", e);
    }
  }

  /**
   * Gives a complete key file its name; false if another process was first. A link never replaces a
   * file, which a move does.
   */
  private static boolean publish(Path next, Path file) throws IOException {
    try {
      Files.createLink(file, next);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    } catch (UnsupportedOperationException | FileSystemException e) {
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE); // a file system without links
      return true;
    } finally {
      Files.deleteIfExists(next);
    }
  }

  /** The first 16 hex digits of the public key's digest. */
  public String id() {
    return open.id();
  }

  public PublicAuditKey open() {
    return open;
  }

  /** The signature of a head, in base64. */
  String sign(AuditHead head) {
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(secret);
      signature.update(PublicAuditKey.message(head));
      return Base64.getEncoder().encodeToString(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot sign with the audit key", e);
    }
  }
}
