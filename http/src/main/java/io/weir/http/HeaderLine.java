package io.weir.http;

/** A header to send: its name, and a value that is safe to send. */
public record HeaderLine(String name, String value) {
  @Override
  public String toString() {
    return name + ": " + value;
  }
}
