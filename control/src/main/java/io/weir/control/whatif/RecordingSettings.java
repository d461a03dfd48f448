package io.weir.control.whatif;

/**
 * The bounds of the ring of recorded calls ({@code control.recording}).
 *
 * @param calls the most calls
 * @param bytes the most bytes of heap
 */
public record RecordingSettings(int calls, long bytes) {
  /** 50,000 calls and 16 MiB. */
  public static final RecordingSettings DEFAULT = new RecordingSettings(50_000, 16 << 20);

  public RecordingSettings {
    if (calls < 100 || calls > 1_000_000) {
      throw new IllegalArgumentException("calls must be between 100 and 1000000, not " + calls);
    }
    if (bytes < 1 << 16 || bytes > 1 << 30) {
      throw new IllegalArgumentException("bytes must be between 64 KiB and 1 GiB, not " + bytes);
    }
  }
}
