package io.weir;

import io.weir.engine.Engine;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.memory.MemoryStore;
import io.weir.time.VirtualTime;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** A limiter with rules in memory, on a clock that the test advances. */
abstract class WeirFixture {
  final VirtualTime time = new VirtualTime();

  Weir weir(Rule... rules) {
    return weir(RuleSet.of(rules));
  }

  Weir weir(RuleSet rules) {
    return Weir.builder()
        .rules(rules)
        .time(time)
        .store(MemoryStore.builder().maxKeys(1000).time(time).build())
        .build();
  }

  Engine engine(Rule... rules) {
    return engine(RuleSet.of(rules));
  }

  Engine engine(RuleSet rules) {
    return Engine.builder()
        .rules(rules)
        .time(time)
        .store(MemoryStore.builder().maxKeys(1000).time(time).build())
        .build();
  }

  static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  static Call get(String path) {
    return Call.of("GET", path);
  }

  static int admitted(Weir weir, Call call, int tries) {
    return admitted(() -> weir.check(call), tries);
  }

  static int admitted(Engine engine, Call call, int tries) {
    return admitted(() -> engine.check(call), tries);
  }

  private static int admitted(Supplier<Decision> check, int tries) {
    return (int) IntStream.range(0, tries).filter(i -> check.get().allowed()).count();
  }
}
