package io.weir.engine;

import io.weir.Key;
import io.weir.limit.TakeReceipt;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encodes a reservation as signed text. Any instance with the secret can settle it; without the
 * secret a reservation cannot be forged.
 *
 * <pre>   base64url( version · id · made at · parts… · first 16 bytes of HMAC-SHA256 )</pre>
 */
final class ReservationCodec {
  private static final int VERSION = 3;
  private static final int SIGNATURE = 16;
  private static final int MAX_LENGTH = 1 << 20;
  private static final int MAX_PARTS = 4096;
  private static final TakeReceipt.Origin[] ORIGINS = TakeReceipt.Origin.values();

  private final SecretKeySpec secret;

  /** Signs with this secret; an empty one is replaced by a random secret of this process. */
  ReservationCodec(byte[] secret) {
    byte[] bytes = secret;
    if (bytes.length == 0) {
      bytes = new byte[32];
      new SecureRandom().nextBytes(bytes);
    }
    this.secret = new SecretKeySpec(bytes, "HmacSHA256");
  }

  String encode(Reservation reservation) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      out.writeLong(reservation.id());
      out.writeLong(reservation.madeAtMicros());
      out.writeShort(reservation.parts().size());
      for (Reservation.BucketPart part : reservation.parts()) {
        write(part, out);
      }
      out.write(sign(bytes.toByteArray()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.toByteArray());
  }

  private static void write(Reservation.BucketPart part, DataOutputStream out) throws IOException {
    out.writeUTF(part.rule());
    out.writeUTF(part.slot());
    writeText(part.tenant(), out);
    out.writeShort(part.key().parts().size());
    for (String value : part.key().parts()) {
      writeText(value, out);
    }
    out.writeLong(part.amount());
    out.writeLong(part.unit());
    out.writeLong(part.receipt().time());
    out.writeLong(part.receipt().used());
    out.writeLong(part.receipt().madeAt());
    out.writeByte(part.receipt().origin().ordinal());
  }

  /** The reservation in a text signed with this secret; empty for any other text. */
  Optional<Reservation> decode(String text) {
    if (text.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    if (bytes.length <= SIGNATURE || bytes[0] != VERSION) {
      return Optional.empty();
    }
    byte[] content = Arrays.copyOf(bytes, bytes.length - SIGNATURE);
    byte[] signature = Arrays.copyOfRange(bytes, content.length, bytes.length);
    return MessageDigest.isEqual(sign(content), signature)
        ? Optional.of(read(content))
        : Optional.empty();
  }

  private static Reservation read(byte[] content) {
    try (DataInputStream in =
        new DataInputStream(new ByteArrayInputStream(content, 1, content.length))) {
      long id = in.readLong();
      long madeAt = in.readLong();
      int count = Math.min(in.readUnsignedShort(), MAX_PARTS);
      List<Reservation.BucketPart> parts = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        parts.add(readPart(in));
      }
      return new Reservation(id, madeAt, parts);
    } catch (IOException e) {
      throw new UncheckedIOException("reservation has a valid signature but cannot be read", e);
    }
  }

  private static Reservation.BucketPart readPart(DataInputStream in) throws IOException {
    String rule = in.readUTF();
    String slot = in.readUTF();
    String tenant = readText(in);
    String[] values = new String[in.readUnsignedShort()];
    for (int i = 0; i < values.length; i++) {
      values[i] = readText(in);
    }
    long amount = in.readLong();
    long unit = in.readLong();
    TakeReceipt receipt =
        new TakeReceipt(
            in.readLong(), in.readLong(), in.readLong(), ORIGINS[in.readUnsignedByte()]);
    return new Reservation.BucketPart(
        rule, slot, tenant, Key.ofParts(values), amount, unit, receipt);
  }

  /** As {@code writeUTF}, but for any length. */
  private static void writeText(String text, DataOutputStream out) throws IOException {
    out.writeInt(text.length());
    out.writeChars(text);
  }

  private static String readText(DataInputStream in) throws IOException {
    char[] chars = new char[in.readInt()];
    for (int i = 0; i < chars.length; i++) {
      chars[i] = in.readChar();
    }
    return new String(chars);
  }

  private byte[] sign(byte[] content) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(secret);
      return Arrays.copyOf(mac.doFinal(content), SIGNATURE);
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every Java platform has HmacSHA256", e);
    }
  }
}
