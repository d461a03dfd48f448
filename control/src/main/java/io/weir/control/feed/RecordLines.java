package io.weir.control.feed;

import io.weir.control.store.Adjustment;
import io.weir.control.store.Block;
import io.weir.control.store.KeyOverride;
import io.weir.control.store.KeyRef;
import io.weir.control.store.KillSwitch;
import io.weir.control.store.Role;
import io.weir.control.store.Rollout;
import io.weir.control.store.RolloutState;
import io.weir.control.store.Token;
import io.weir.control.store.Version;
import io.weir.control.text.TextMapCodec;

/** Each record of the state as a line, and back. */
final class RecordLines {
  private RecordLines() {}

  static Line version(Version it) {
    return Line.of("version")
        .with("number", it.number())
        .with("parent", it.parent())
        .with("files", TextMapCodec.write(it.files()))
        .with("sha256", it.sha256())
        .with("author", it.author())
        .with("message", it.message())
        .with("what_if", it.whatIf())
        .with("expectation", it.expectation())
        .with("created", it.created())
        .with("seq", it.seq());
  }

  static Version version(Line line) {
    return new Version(
        line.number("number"),
        line.number("parent"),
        TextMapCodec.read(line.text("files")),
        line.text("sha256"),
        line.text("author"),
        line.text("message"),
        line.text("what_if"),
        line.text("expectation"),
        line.instant("created"),
        line.number("seq"));
  }

  static Line rollout(Rollout it) {
    return Line.of("rollout")
        .with("id", it.id())
        .with("from", it.from())
        .with("to", it.to())
        .with("plan", it.plan())
        .with("step", it.step())
        .with("state", it.state())
        .with("reason", it.reason())
        .with("evidence", it.evidence())
        .with("revision", it.revision())
        .with("started", it.started())
        .with("entered", it.entered())
        .with("seq", it.seq());
  }

  static Rollout rollout(Line line) {
    return new Rollout(
        line.number("id"),
        line.number("from"),
        line.number("to"),
        line.text("plan"),
        (int) line.number("step"),
        line.choice("state", RolloutState.class),
        line.text("reason"),
        line.text("evidence"),
        line.number("revision"),
        line.instant("started"),
        line.instant("entered"),
        line.number("seq"));
  }

  static Line override(KeyOverride it) {
    Line line =
        key(Line.of("override"), it.key())
            .with("id", it.id())
            .with("rule", it.rule())
            .with("reason", it.reason())
            .with("author", it.author())
            .with("created", it.created())
            .with("starts", it.starts())
            .with("expires", it.expires())
            .with("last_used", it.lastUsed())
            .with("live", it.live())
            .with("seq", it.seq());
    if (it.adjustment() instanceof Adjustment.Limit limit) {
      line.with("limit_name", limit.name()).with("limit", limit.text());
    } else if (it.adjustment() instanceof Adjustment.Factor factor) {
      line.with("factor", factor.factor());
    }
    return line;
  }

  static KeyOverride override(Line line) {
    Adjustment adjustment =
        line.optionalText("limit")
            .<Adjustment>map(text -> new Adjustment.Limit(line.text("limit_name"), text))
            .or(
                () ->
                    line.optionalText("factor")
                        .map(text -> new Adjustment.Factor(Double.parseDouble(text))))
            .orElseGet(Adjustment.Unlimited::new);
    return new KeyOverride(
        line.number("id"),
        line.text("rule"),
        key(line),
        adjustment,
        line.text("reason"),
        line.text("author"),
        line.instant("created"),
        line.instant("starts"),
        line.instant("expires"),
        line.optionalInstant("last_used"),
        line.flag("live"),
        line.number("seq"));
  }

  static Line block(Block it) {
    return key(Line.of("block"), it.key())
        .with("id", it.id())
        .with("rule", it.rule())
        .with("effect", it.effect())
        .with("origin", it.kind())
        .with("until", it.until())
        .with("reason", it.reason())
        .with("source", it.source())
        .with("author", it.author())
        .with("created", it.created())
        .with("live", it.live())
        .with("seq", it.seq());
  }

  static Block block(Line line) {
    return new Block(
        line.number("id"),
        line.optionalText("rule"),
        key(line),
        line.choice("effect", Block.Effect.class),
        line.choice("origin", Block.Kind.class),
        line.instant("until"),
        line.text("reason"),
        line.text("source"),
        line.text("author"),
        line.instant("created"),
        line.flag("live"),
        line.number("seq"));
  }

  static Line killSwitch(KillSwitch it) {
    return Line.of("killswitch")
        .with("scope", it.scope())
        .with("until", it.until())
        .with("message", it.message())
        .with("author", it.author())
        .with("created", it.created());
  }

  static KillSwitch killSwitch(Line line) {
    return new KillSwitch(
        line.text("scope"),
        line.instant("until"),
        line.text("message"),
        line.text("author"),
        line.instant("created"));
  }

  static Line token(Token it) {
    return Line.of("token")
        .with("id", it.id())
        .with("hash", it.hash())
        .with("role", it.role())
        .with("label", it.label())
        .with("author", it.author())
        .with("created", it.created())
        .with("expires", it.expires())
        .with("last_used", it.lastUsed())
        .with("revoked", it.revoked());
  }

  static Token token(Line line) {
    return new Token(
        line.number("id"),
        line.text("hash"),
        line.choice("role", Role.class),
        line.text("label"),
        line.text("author"),
        line.instant("created"),
        line.optionalInstant("expires"),
        line.optionalInstant("last_used"),
        line.flag("revoked"));
  }

  private static Line key(Line line, KeyRef key) {
    return line.with("key", key.hash())
        .with("key_hash64", key.hash64())
        .with("key_label", key.label());
  }

  private static KeyRef key(Line line) {
    return new KeyRef(line.text("key"), line.number("key_hash64"), line.optionalText("key_label"));
  }
}
