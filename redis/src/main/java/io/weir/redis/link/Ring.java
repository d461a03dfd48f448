package io.weir.redis.link;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Places keys on nodes by consistent hashing.
 *
 * <pre>
 *        a₁   c₇  b₂            every node has many points on a circle;
 *      ──●────●───●────●──      a key belongs to the node at the next point
 *          ▲     k              after its own hash
 * </pre>
 *
 * <p>A new node takes its keys from all others evenly: about 1/N of them move, the rest stay. With
 * {@value #POINTS} points per node the shares differ by a few percent. Points depend on the node's
 * address only, so that all instances agree, whatever the order in which they name the nodes.
 */
public final class Ring {
  private static final int POINTS = 2048;

  private final long[] points;
  private final int[] owners;

  private record Point(long at, int owner) {}

  /** A ring of the nodes with these names. */
  public Ring(List<String> nodes) {
    List<Point> all = new ArrayList<>(nodes.size() * POINTS);
    MessageDigest digest = sha256();
    for (int node = 0; node < nodes.size(); node++) {
      for (int i = 0; i < POINTS; i++) {
        byte[] text = (nodes.get(node) + "#" + i).getBytes(UTF_8);
        all.add(new Point(ByteBuffer.wrap(digest.digest(text)).getLong(), node));
      }
    }
    all.sort(Comparator.comparingLong(Point::at));
    this.points = all.stream().mapToLong(Point::at).toArray();
    this.owners = all.stream().mapToInt(Point::owner).toArray();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  /** The index of the node that a key belongs to; keys with the same tag share one. */
  public int nodeOf(byte[] key) {
    return owners[next(mixed(key))];
  }

  /** The tag is a good hash already; its bytes only have to be combined into one number. */
  private static long mixed(byte[] key) {
    long hash = 0;
    boolean inTag = false;
    for (byte letter : key) {
      if (letter == '}') {
        break;
      }
      if (inTag) {
        hash = (hash ^ letter) * 0x9E3779B97F4A7C15L;
        hash ^= hash >>> 32;
      }
      inTag |= letter == '{';
    }
    return hash * 0xD6E8FEB86659FD93L;
  }

  /** The first point at or after a hash on the circle. */
  private int next(long hash) {
    int low = 0;
    int high = points.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (points[middle] < hash) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == points.length ? 0 : low;
  }
}
