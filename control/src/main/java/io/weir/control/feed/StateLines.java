package io.weir.control.feed;

import io.weir.control.audit.AuditHead;
import io.weir.control.audit.ChainMemory;
import io.weir.control.store.Active;
import io.weir.control.store.Block;
import io.weir.control.store.KeyOverride;
import io.weir.control.store.KillSwitch;
import io.weir.control.store.Rollout;
import io.weir.control.store.Tenant;
import io.weir.control.store.Token;
import io.weir.control.store.Version;
import io.weir.control.text.TextMapCodec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A state as lines of text, one record each. Lines of a kind that this release does not know are
 * skipped.
 */
final class StateLines {
  /** Takes lines. */
  @FunctionalInterface
  interface Sink {
    void accept(String line) throws IOException;
  }

  private StateLines() {}

  static void write(FeedUpdate.Snapshot state, Sink sink) throws IOException {
    ChainMemory memory = state.position().memory();
    AuditHead head = memory.head();
    sink.accept(
        Line.of("position")
            .with("seq", state.position().seq())
            .with("log", head.log())
            .with("epoch", head.epoch())
            .with("audit_seq", head.seq())
            .with("hash", head.hash())
            .format());
    for (var known : memory.versions().entrySet()) {
      sink.accept(
          Line.of("known")
              .with("version", known.getKey())
              .with("sha256", known.getValue())
              .format());
    }
    for (String key : memory.keys()) {
      sink.accept(Line.of("signer").with("key", key).format());
    }
    RuleState rules = state.rules();
    sink.accept(
        Line.of("active")
            .with("version", rules.active().version())
            .with("rollout", rules.active().rollout())
            .with("epoch", rules.active().epoch())
            .format());
    if (rules.rollout().isPresent()) {
      sink.accept(RecordLines.rollout(rules.rollout().get()).format());
    }
    for (Version version :
        Stream.of(rules.stable(), rules.target()).flatMap(Optional::stream).distinct().toList()) {
      sink.accept(RecordLines.version(version).format());
    }
    for (KeyOverride it : state.overrides()) {
      sink.accept(RecordLines.override(it).format());
    }
    for (Block it : state.blocks()) {
      sink.accept(RecordLines.block(it).format());
    }
    for (KillSwitch it : state.killSwitches()) {
      sink.accept(RecordLines.killSwitch(it).format());
    }
    for (Token it : state.tokens()) {
      sink.accept(RecordLines.token(it).format());
    }
    for (Tenant it : state.tenants()) {
      sink.accept(
          Line.of("tenant")
              .with("id", it.id())
              .with("tier", it.tier())
              .with("numbers", TextMapCodec.write(it.numbers()))
              .format());
    }
  }

  static FeedUpdate.Snapshot read(Stream<String> lines) {
    Reader reader = new Reader();
    lines.map(Line::parse).forEach(reader::accept);
    return reader.finish();
  }

  private static final class Reader {
    private Optional<Line> position = Optional.empty();
    private final Map<Long, String> known = new HashMap<>();
    private final Set<String> signers = new HashSet<>();
    private Active active = new Active(0, 0, 0);
    private Optional<Rollout> rollout = Optional.empty();
    private final Map<Long, Version> versions = new HashMap<>();
    private final List<KeyOverride> overrides = new ArrayList<>();
    private final List<Block> blocks = new ArrayList<>();
    private final List<KillSwitch> killSwitches = new ArrayList<>();
    private final List<Token> tokens = new ArrayList<>();
    private final List<Tenant> tenants = new ArrayList<>();

    void accept(Line line) {
      switch (line.kind()) {
        case "position" -> position = Optional.of(line);
        case "known" -> known.put(line.number("version"), line.text("sha256"));
        case "signer" -> signers.add(line.text("key"));
        case "active" ->
            active =
                new Active(line.number("version"), line.number("rollout"), line.number("epoch"));
        case "rollout" -> rollout = Optional.of(RecordLines.rollout(line));
        case "version" -> versions.put(line.number("number"), RecordLines.version(line));
        case "override" -> overrides.add(RecordLines.override(line));
        case "block" -> blocks.add(RecordLines.block(line));
        case "killswitch" -> killSwitches.add(RecordLines.killSwitch(line));
        case "token" -> tokens.add(RecordLines.token(line));
        case "tenant" ->
            tenants.add(
                new Tenant(
                    line.text("id"), line.text("tier"), TextMapCodec.read(line.text("numbers"))));
        default -> {
          // By a newer release.
        }
      }
    }

    FeedUpdate.Snapshot finish() {
      Line at =
          position.orElseThrow(() -> new IllegalArgumentException("a line of position is missing"));
      AuditHead head =
          new AuditHead(
              at.text("log"), at.number("epoch"), at.number("audit_seq"), at.text("hash"));
      return new FeedUpdate.Snapshot(
          new FeedPosition(at.number("seq"), new ChainMemory(head, known, signers)),
          new RuleState(
              active,
              Optional.ofNullable(versions.get(active.version())),
              rollout,
              rollout.map(it -> versions.get(it.to()))),
          overrides,
          blocks,
          killSwitches,
          tokens,
          tenants);
    }
  }
}
