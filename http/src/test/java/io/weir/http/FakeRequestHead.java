package io.weir.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A request head made by hand. */
public final class FakeRequestHead implements RequestHead {
  private final String peer;
  private final List<HeaderLine> lines = new ArrayList<>();

  private FakeRequestHead(String peer) {
    this.peer = peer;
  }

  public static FakeRequestHead from(String peer) {
    return new FakeRequestHead(peer);
  }

  public FakeRequestHead with(String name, String value) {
    lines.add(new HeaderLine(name.toLowerCase(Locale.ROOT), value));
    return this;
  }

  @Override
  public String method() {
    return "GET";
  }

  @Override
  public String path() {
    return "/a";
  }

  @Override
  public String host() {
    return "api.example.com";
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public List<String> headers(String name) {
    return lines.stream().filter(l -> l.name().equals(name)).map(HeaderLine::value).toList();
  }
}
