package io.weir.server.admin.api;

import io.weir.control.whatif.CallRing;
import io.weir.control.whatif.LimitSuggester;
import io.weir.control.whatif.Recording;
import io.weir.control.whatif.RecordingSettings;
import io.weir.control.whatif.Replay;
import io.weir.control.whatif.ValueHash;
import io.weir.control.whatif.WhatIfCodec;
import io.weir.rule.RuleSet;
import io.weir.server.control.TrafficOperations;
import io.weir.time.SystemTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The calls of one engine. */
final class RecordedTraffic implements TrafficOperations {
  private final ValueHash hash = ValueHash.of("test".getBytes(StandardCharsets.UTF_8));
  private final CallRing ring = new CallRing(RecordingSettings.DEFAULT, hash, SystemTime.INSTANCE);
  private final RuleSet rules;

  RecordedTraffic(RuleSet rules) {
    this.rules = rules;
    ring.rules(rules);
  }

  CallRing ring() {
    return ring;
  }

  private Optional<Recording> recording() {
    return Optional.of(ring.snapshot(0)).filter(it -> it.size() > 0);
  }

  @Override
  public Optional<String> whatIf(RuleSet candidate) {
    return recording()
        .map(
            it ->
                WhatIfCodec.write(
                    new Replay(it, hash, rules, candidate)
                        .run(SystemTime.INSTANCE, Duration.ofSeconds(5), 1, 1)));
  }

  @Override
  public Optional<String> suggestForRule(String rule) {
    return recording().map(it -> new LimitSuggester(it, hash, rules).forRule(rule).toJson());
  }

  @Override
  public Optional<String> suggestForKey(List<String> parts) {
    return recording().map(it -> new LimitSuggester(it, hash, rules).forKey(parts).toJson());
  }
}
