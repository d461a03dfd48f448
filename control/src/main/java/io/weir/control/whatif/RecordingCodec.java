package io.weir.control.whatif;

import io.weir.Call;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A recording as bytes, for the table {@code recording}.
 *
 * <pre>
 *   "WR" version level completeSince skipped
 *   shapes   count, each: method, host labels, path segments, attributes (name, numeric)
 *   words    count, each 8 bytes: every hash once
 *   callers  count, each 8 bytes and the position in the sample
 *   calls    count, each: time since the one before, caller, shape, words, cost, outcome
 * </pre>
 *
 * A call takes about 20 bytes, so 50,000 calls fit into 2 MiB unless nearly all their values
 * differ. What does not fit is left out by callers: the sample is halved until the rest fits.
 */
public final class RecordingCodec {
  private static final int VERSION = 1;
  private static final int MAGIC_W = 'W';
  private static final int MAGIC_R = 'R';
  private static final int MAX_TEXT = 4 * CallShape.MAX_NAME;
  private static final int LEAST_CALL_BYTES = 5;
  private static final RecordedOutcome[] OUTCOMES = RecordedOutcome.values();

  private RecordingCodec() {}

  /** The recording in at most so many bytes. */
  public static byte[] encode(Recording recording, int maxBytes) {
    Recording fitting = recording;
    byte[] bytes = encode(fitting);
    while (bytes.length > maxBytes) {
      if (fitting.level() == CallRing.MAX_LEVEL || fitting.size() == 0) {
        return encode(
            new Recording(
                fitting.level(), fitting.completeSince(), recording.skipped(), List.of()));
      }
      fitting = fitting.atLevel(fitting.level() + 1);
      bytes = encode(fitting);
    }
    return bytes;
  }

  private record Caller(long hash, int position) {}

  private static byte[] encode(Recording recording) {
    Map<CallShape, Integer> shapes = new LinkedHashMap<>();
    Map<Long, Integer> words = new LinkedHashMap<>();
    Map<Caller, Integer> callers = new LinkedHashMap<>();
    ByteWriter body = new ByteWriter();
    long before = 0;
    for (RecordedCall call : recording.calls()) {
      body.number(call.at() - before);
      before = call.at();
      body.number(index(callers, new Caller(call.caller(), call.position())));
      body.number(index(shapes, call.shape()));
      for (int i = 0; i < call.words().length; i++) {
        long word = call.words()[i];
        body.number(call.shape().isNumeric(i) ? word : index(words, word));
      }
      body.number(call.cost()).number(call.outcome().ordinal());
    }
    ByteWriter out = new ByteWriter();
    out.number(MAGIC_W).number(MAGIC_R).number(VERSION);
    out.number(recording.level()).number(recording.completeSince()).number(recording.skipped());
    out.number(shapes.size());
    shapes.keySet().forEach(shape -> write(out, shape));
    out.number(words.size());
    words.keySet().forEach(out::fixed);
    out.number(callers.size());
    callers.keySet().forEach(it -> out.fixed(it.hash()).number(it.position() & 0xffffffffL));
    out.number(recording.size());
    return out.append(body).bytes();
  }

  private static <T> int index(Map<T, Integer> indexes, T item) {
    Integer known = indexes.putIfAbsent(item, indexes.size());
    return known == null ? indexes.size() - 1 : known;
  }

  private static void write(ByteWriter out, CallShape shape) {
    out.text(shape.method()).number(shape.host()).number(shape.path());
    out.number(shape.attributes().size());
    shape.attributes().forEach(it -> out.text(it.name()).number(it.numeric() ? 1 : 0));
  }

  /**
   * The recording in these bytes. Takes memory in proportion to their number.
   *
   * @throws RecordingFormatException if they are no recording of a known version
   */
  public static Recording decode(byte[] bytes) throws RecordingFormatException {
    ByteReader in = new ByteReader(bytes);
    if (in.number() != MAGIC_W || in.number() != MAGIC_R) {
      throw new RecordingFormatException("not a recording");
    }
    long version = in.number();
    if (version != VERSION) {
      throw new RecordingFormatException("a recording of version " + version);
    }
    int level = in.number(CallRing.MAX_LEVEL);
    long completeSince = in.number();
    long skipped = in.number();
    List<CallShape> shapes = shapes(in);
    long[] words = words(in);
    List<Caller> callers = callers(in);
    List<RecordedCall> calls = new ArrayList<>();
    long at = 0;
    for (int left = in.count(LEAST_CALL_BYTES); left > 0; left--) {
      RecordedCall call = call(in, at, shapes, words, callers);
      at = call.at();
      if (call.isSampled(level)) {
        calls.add(call);
      }
    }
    if (!in.isAtEnd() || completeSince < 0 || skipped < 0) {
      throw new RecordingFormatException("bytes after the end, or numbers below 0");
    }
    return new Recording(level, completeSince, skipped, List.copyOf(calls));
  }

  private static List<CallShape> shapes(ByteReader in) throws RecordingFormatException {
    Map<CallShape, CallShape> distinct = new HashMap<>();
    List<CallShape> shapes = new ArrayList<>();
    for (int left = in.count(4); left > 0; left--) {
      String method = in.text(MAX_TEXT);
      int host = in.number(CallShape.MAX_WORDS);
      int path = in.number(CallShape.MAX_WORDS);
      List<CallShape.Attribute> attributes = new ArrayList<>();
      for (int more = in.count(2); more > 0; more--) {
        attributes.add(new CallShape.Attribute(in.text(MAX_TEXT), in.number(1) == 1));
      }
      try {
        CallShape shape = new CallShape(method, host, path, attributes);
        shapes.add(distinct.computeIfAbsent(shape, it -> it));
      } catch (IllegalArgumentException e) {
        throw new RecordingFormatException(e.getMessage());
      }
    }
    return shapes;
  }

  private static long[] words(ByteReader in) throws RecordingFormatException {
    long[] words = new long[in.count(Long.BYTES)];
    for (int i = 0; i < words.length; i++) {
      words[i] = in.fixed();
    }
    return words;
  }

  private static List<Caller> callers(ByteReader in) throws RecordingFormatException {
    int count = in.count(Long.BYTES + 1);
    List<Caller> callers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      callers.add(new Caller(in.fixed(), (int) in.number()));
    }
    return callers;
  }

  private static RecordedCall call(
      ByteReader in, long before, List<CallShape> shapes, long[] words, List<Caller> callers)
      throws RecordingFormatException {
    long at = before + in.number();
    if (at < before) {
      throw new RecordingFormatException("a time before the one before it");
    }
    Caller caller = callers.get(in.number(callers.size() - 1));
    CallShape shape = shapes.get(in.number(shapes.size() - 1));
    long[] own = new long[shape.words()];
    for (int i = 0; i < own.length; i++) {
      own[i] = shape.isNumeric(i) ? in.number() : words[in.number(words.length - 1)];
    }
    long cost = in.number();
    if (cost < 0 || cost > Call.MAX_COST) {
      throw new RecordingFormatException("a cost of " + cost);
    }
    RecordedOutcome outcome = OUTCOMES[in.number(OUTCOMES.length - 1)];
    return new RecordedCall(at, caller.position(), caller.hash(), shape, own, cost, outcome);
  }
}
