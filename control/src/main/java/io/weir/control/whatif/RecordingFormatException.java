package io.weir.control.whatif;

/** Bytes that are not a recording, or one of a version that this release does not know. */
public final class RecordingFormatException extends Exception {
  private static final long serialVersionUID = 1;

  RecordingFormatException(String message) {
    super(message);
  }
}
