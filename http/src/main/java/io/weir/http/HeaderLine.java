package io.weir.http;

/** A header to send: its name, and a value without unsafe characters. */
public record HeaderLine(String name, String value) {
  @Override
  public String toString() {
    return name + ": " + value;
  }
}
