package io.weir.server.envoy.quota;

import io.weir.Call;
import io.weir.engine.Engine;
import io.weir.rule.RuleSet;
import io.weir.rules.RuleDocuments;
import io.weir.time.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

/** Fixture for quotas in virtual time, with Envoys that enforce their assignments. */
abstract class QuotaFixture {
  static final Map<String, String> ACME = Map.of("tenant", "acme");
  static final Duration SECOND = Duration.ofSeconds(1);

  @TempDir Path folder;
  final VirtualTime time = new VirtualTime();
  final List<Throwable> errors = new ArrayList<>();

  RuleSet rules(String rule) throws Exception {
    Path file = folder.resolve("rules.yaml");
    Files.writeString(file, "version: 1\nrules:\n- " + rule + "\n", StandardCharsets.UTF_8);
    return RuleDocuments.load(file).value().orElseThrow();
  }

  Engine engine(String rule) throws Exception {
    return Engine.builder().rules(rules(rule)).time(time).build();
  }

  QuotaService quotaService(Engine engine) {
    return new QuotaService(engine, SECOND, Runnable::run, errors::add);
  }

  void pass(QuotaService quotaService, int seconds, Runnable eachSecond) {
    for (int i = 0; i < seconds; i++) {
      time.advance(SECOND);
      quotaService.tick().join();
      eachSecond.run();
    }
  }

  static long remaining(Engine engine) {
    return engine.check(Call.of("GET", "/").with("tenant", "acme").cost(0)).remaining();
  }
}
