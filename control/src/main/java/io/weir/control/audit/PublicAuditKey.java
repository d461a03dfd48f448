package io.weir.control.audit;

import io.weir.control.text.Digest;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;

/**
 * A public key that the log names, and the check of a signature with it.
 *
 * @param text X.509, base64
 */
public record PublicAuditKey(String text) {
  /** A public key from base64; a text that is no key gives a key that verifies nothing. */
  static PublicAuditKey parse(String text) {
    return new PublicAuditKey(text.strip());
  }

  /** The first 16 hex digits of the key's digest. */
  public String id() {
    return Digest.of(text).substring(0, 16);
  }

  boolean verifies(AuditHead head, String signature) {
    try {
      byte[] encoded = Base64.getDecoder().decode(text);
      PublicKey key =
          KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded));
      Signature check = Signature.getInstance("Ed25519");
      check.initVerify(key);
      check.update(message(head));
      return check.verify(Base64.getDecoder().decode(signature));
    } catch (GeneralSecurityException | IllegalArgumentException invalid) {
      return false;
    }
  }

  static byte[] message(AuditHead head) {
    String text = "weir-audit-head\n" + head.log() + "\n" + head.epoch() + "\n" + head.seq() + "\n";
    return (text + head.hash()).getBytes(StandardCharsets.US_ASCII);
  }
}
