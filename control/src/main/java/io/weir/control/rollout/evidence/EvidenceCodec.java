package io.weir.control.rollout.evidence;

import io.weir.control.store.SampleStore;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Evidence as base64 of a binary form: numbers of variable length, hashes as the distance from the
 * one before. A key that no version refused takes 6 bytes, so that 1,024 keys fit.
 *
 * <pre>
 *   format 1 | step | flags | changed rules | below | step keys: count, distances
 *   | keys: count, then each: distance, tag, [calls], [refused by old], [refused by new]
 *   tag = calls (at most 63) * 4 + (refused by new ? 2 : 0) + (refused by old ? 1 : 0)
 * </pre>
 */
final class EvidenceCodec {
  private static final int FORMAT = 1;
  private static final int WARMING = 1;
  private static final int MANY_CALLS = 63;
  private static final int MAX_KEYS = 4096;
  private static final int MAX_BINARY = SampleStore.MAX_BYTES / 4 * 3;

  /** The most bytes before the keys: seven numbers, and the keys of the step. */
  private static final int MAX_HEAD = 7 * 6 + RuleEvidence.STEP_KEYS * 6;

  private EvidenceCodec() {}

  static String encode(RuleEvidence evidence) {
    ByteArrayOutputStream keys = new ByteArrayOutputStream();
    int count = 0;
    long before = 0;
    long below = evidence.below();
    for (KeyCounts key : evidence.keys()) {
      int size = keys.size();
      if (size > MAX_BINARY - MAX_HEAD - 40 || count == MAX_KEYS) {
        below = Math.min(below, key.hash());
        break;
      }
      write(keys, key.hash() - before);
      before = key.hash();
      writeCounts(keys, key);
      count++;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    write(out, FORMAT);
    write(out, evidence.step());
    write(out, evidence.warming() ? WARMING : 0);
    write(out, evidence.changedRules());
    write(out, below);
    List<Long> stepKeys = evidence.stepKeys();
    int shown = Math.min(stepKeys.size(), RuleEvidence.STEP_KEYS);
    write(out, shown);
    before = 0;
    for (long hash : stepKeys.subList(0, shown)) {
      write(out, hash - before);
      before = hash;
    }
    write(out, count);
    out.writeBytes(keys.toByteArray());
    return Base64.getEncoder().withoutPadding().encodeToString(out.toByteArray());
  }

  private static void writeCounts(ByteArrayOutputStream out, KeyCounts key) {
    long calls = Math.min(key.calls(), MANY_CALLS);
    int tag = (int) calls * 4 + (key.refusedByNew() > 0 ? 2 : 0) + (key.refusedByOld() > 0 ? 1 : 0);
    out.write(tag);
    if (calls == MANY_CALLS) {
      write(out, key.calls() - MANY_CALLS);
    }
    if (key.refusedByOld() > 0) {
      write(out, key.refusedByOld());
    }
    if (key.refusedByNew() > 0) {
      write(out, key.refusedByNew());
    }
  }

  /** Seven bits a byte, the lowest first; the highest bit says that more follow. */
  private static void write(ByteArrayOutputStream out, long number) {
    if (number < 0) {
      throw new IllegalArgumentException("evidence has no negative numbers and is in order");
    }
    long rest = number;
    while (rest >= 0x80) {
      out.write((int) (rest & 0x7f | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  static RuleEvidence decode(String text) {
    Reader in = new Reader(Base64.getDecoder().decode(text));
    if (in.number() != FORMAT) {
      throw new IllegalArgumentException("evidence of an unknown format");
    }
    int step = in.count(Integer.MAX_VALUE);
    boolean warming = (in.count(Integer.MAX_VALUE) & WARMING) != 0;
    int changedRules = in.count(Integer.MAX_VALUE);
    long below = in.number();
    List<Long> stepKeys = new ArrayList<>();
    long hash = 0;
    for (int left = in.count(RuleEvidence.STEP_KEYS); left > 0; left--) {
      hash += in.number();
      stepKeys.add(hash);
    }
    List<KeyCounts> keys = new ArrayList<>();
    hash = 0;
    for (int left = in.count(MAX_KEYS); left > 0; left--) {
      hash += in.number();
      keys.add(in.counts(hash));
    }
    return new RuleEvidence(step, warming, changedRules, below, stepKeys, keys);
  }

  /** Reads numbers off bytes. */
  private static final class Reader {
    private final byte[] bytes;
    private int next;

    Reader(byte[] bytes) {
      this.bytes = bytes;
    }

    private int octet() {
      if (next == bytes.length) {
        throw new IllegalArgumentException("evidence is cut off");
      }
      return bytes[next++] & 0xff;
    }

    long number() {
      long number = 0;
      for (int shift = 0; shift < 63; shift += 7) {
        int octet = octet();
        number |= (long) (octet & 0x7f) << shift;
        if (octet < 0x80) {
          return number;
        }
      }
      throw new IllegalArgumentException("evidence has a number that is too large");
    }

    int count(int most) {
      long count = number();
      if (count > most) {
        throw new IllegalArgumentException("evidence has a count of " + count);
      }
      return (int) count;
    }

    KeyCounts counts(long hash) {
      int tag = octet();
      long calls = tag >> 2;
      if (calls == MANY_CALLS) {
        calls += number();
      }
      long old = (tag & 1) != 0 ? number() : 0;
      long fresh = (tag & 2) != 0 ? number() : 0;
      return new KeyCounts(hash, calls, old, fresh);
    }
  }
}
