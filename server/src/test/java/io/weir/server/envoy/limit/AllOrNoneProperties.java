package io.weir.server.envoy.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FixedWindow;
import io.weir.rules.envoy.EnvoyDescriptor;
import io.weir.rules.envoy.EnvoyDomain;
import io.weir.rules.envoy.EnvoyLimit;
import io.weir.rules.envoy.EnvoyUnit;
import io.weir.server.envoy.limit.EnvoyLimiter.Modes;
import io.weir.store.memory.MemoryStore;
import io.weir.time.VirtualTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Random requests against random limits: the remaining hits equal a plain count of admitted hits,
 * for any mix of plain, shadow and quota limits.
 */
class AllOrNoneProperties {
  private static final int LIMITS = 6;

  private final Map<String, Long> used = new HashMap<>();
  private final long[] most = new long[LIMITS];
  private final EnvoyDescriptor.DescriptorOptions[] options =
      new EnvoyDescriptor.DescriptorOptions[LIMITS];

  @Property(tries = 300)
  void countsExactlyTheAllowedHits(@ForAll long seed) {
    Random random = new Random(seed);
    Modes modes = new Modes(random.nextInt(8) == 0, random.nextInt(8) == 0);
    VirtualTime time = new VirtualTime();
    MemoryStore store = MemoryStore.builder().time(time).build();
    EnvoyLimiter limiter = new EnvoyLimiter(store, time, modes, config(random));
    used.clear();
    for (int i = 0; i < 60; i++) {
      List<EnvoyRequest.Descriptor> asked = request(random);
      EnvoyDecision decision =
          limiter.decide(new EnvoyRequest("d", asked)).toCompletableFuture().join();
      assertThat(decision.allowed()).as("request %s", asked).isEqualTo(passes(asked, modes));
    }
    for (int i = 0; i < LIMITS; i++) {
      long left = most[i] - used.getOrDefault("k" + i + "=v", 0L);
      EnvoyDecision look =
          limiter
              .decide(new EnvoyRequest("d", List.of(Descriptors.hits(0, "k" + i + "=v"))))
              .toCompletableFuture()
              .join();
      assertThat(((DescriptorResult.Counted) look.statuses().get(0)).remaining()).isEqualTo(left);
    }
  }

  private EnvoyConfig config(Random random) {
    List<EnvoyDescriptor> descriptors = new ArrayList<>();
    for (int i = 0; i < LIMITS; i++) {
      most[i] = random.nextInt(12);
      options[i] =
          new EnvoyDescriptor.DescriptorOptions(
              random.nextInt(4) == 0, random.nextInt(3) == 0, false);
      EnvoyLimit.Counted terms =
          new EnvoyLimit.Counted(
              most[i],
              EnvoyUnit.DAY,
              new FixedWindow(most[i], EnvoyUnit.DAY.length(), true, ""),
              EnvoyLimit.LimitOptions.DEFAULT);
      descriptors.add(
          new EnvoyDescriptor(
              "k" + i,
              "",
              Optional.of(new EnvoyLimit("", terms, List.of())),
              options[i],
              List.of()));
    }
    return EnvoyConfig.of(List.of(new EnvoyDomain("d", descriptors)), "");
  }

  /** Each limit at most once; repeated limits are tested elsewhere. */
  private static List<EnvoyRequest.Descriptor> request(Random random) {
    List<EnvoyRequest.Descriptor> asked = new ArrayList<>();
    for (int i = 0; i < LIMITS; i++) {
      if (random.nextInt(3) == 0) {
        asked.add(Descriptors.hits(1 + random.nextInt(3), "k" + i + "=v"));
      }
    }
    if (asked.isEmpty() || random.nextInt(5) == 0) {
      asked.add(Descriptors.descriptor("unmatched=v"));
    }
    return asked;
  }

  /** The definition of the decision, without a store. */
  private boolean passes(List<EnvoyRequest.Descriptor> asked, Modes modes) {
    boolean plainOver = false;
    int quotas = 0;
    int quotasOver = 0;
    for (EnvoyRequest.Descriptor descriptor : asked) {
      int i = limitOf(descriptor);
      if (i < 0) {
        quotas += modes.quota() ? 1 : 0;
        continue;
      }
      boolean over = !hasRoom(descriptor) && !options[i].shadow();
      if (options[i].quota() || modes.quota()) {
        quotas++;
        quotasOver += over ? 1 : 0;
      } else {
        plainOver |= over;
      }
    }
    boolean passes = modes.shadow() || !(plainOver || (quotas > 0 && quotas == quotasOver));
    if (passes) {
      for (EnvoyRequest.Descriptor descriptor : asked) {
        if (limitOf(descriptor) >= 0 && hasRoom(descriptor)) {
          used.merge(nameOf(descriptor), descriptor.hits(), Long::sum);
        }
      }
    }
    return passes;
  }

  private boolean hasRoom(EnvoyRequest.Descriptor descriptor) {
    long left = most[limitOf(descriptor)] - used.getOrDefault(nameOf(descriptor), 0L);
    return descriptor.hits() <= left;
  }

  private static String nameOf(EnvoyRequest.Descriptor descriptor) {
    return descriptor.entries().get(0).key() + "=v";
  }

  private static int limitOf(EnvoyRequest.Descriptor descriptor) {
    String key = descriptor.entries().get(0).key();
    return key.startsWith("k") ? Integer.parseInt(key.substring(1)) : -1;
  }
}
