package io.weir.server;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.vertx.core.buffer.Buffer;
import io.weir.Limit;
import io.weir.engine.Engine;
import io.weir.rules.envoy.EnvoyDomain;
import io.weir.server.check.CallReader;
import io.weir.server.check.DecisionWriter;
import io.weir.server.config.RateLimitHeaderNames;
import io.weir.server.envoy.EnvoyService;
import io.weir.server.envoy.EnvoyStats;
import io.weir.server.envoy.limit.EnvoyConfig;
import io.weir.server.envoy.limit.EnvoyLimiter;
import io.weir.server.front.LoadShedder;
import io.weir.server.http.JsonWriter;
import io.weir.store.memory.MemoryStore;
import io.weir.time.SystemTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides calls of its own before the process reports ready, so that the first real call does not
 * wait for class loading. On the shared store the calls only look: they take and count nothing.
 * Calls that take and count run on a temporary memory store.
 */
final class CodeWarmUp {
  private static final Logger LOG = LoggerFactory.getLogger(CodeWarmUp.class);
  private static final int CALLS = 100;
  private static final int KEYS = 1_000;
  private static final Duration AT_MOST = Duration.ofMillis(300);
  private static final byte[] BODY =
      """
      {"method":"GET","path":"/","host":"weir.invalid","cost":1,
       "attributes":{"ip":"192.0.2.1","user":"warm-up","tenant":"warm-up","api_key":"warm-up"}}"""
          .getBytes(StandardCharsets.US_ASCII);

  /**
   * The same call as {@link CodeWarmUp#BODY} from Envoy: in the domain of Weir's own rules, and in
   * another.
   */
  private static final List<RateLimitRequest> REQUESTS =
      Stream.of(EnvoyDomain.OWN_RULES, "weir.invalid").map(CodeWarmUp::request).toList();

  /** One round of the warm-up. */
  private interface WarmUpTask {
    void run() throws Exception;
  }

  private CodeWarmUp() {}

  /** The request body that a client would send. */
  static Buffer body() {
    return Buffer.buffer(BODY);
  }

  private static RateLimitRequest request(String domain) {
    RateLimitDescriptor.Entry ip =
        RateLimitDescriptor.Entry.newBuilder().setKey("ip").setValue("192.0.2.1").build();
    return RateLimitRequest.newBuilder()
        .setDomain(domain)
        .addDescriptors(RateLimitDescriptor.newBuilder().addEntries(ip))
        .build();
  }

  static void run(Engine engine) {
    JsonWriter json = new JsonWriter();
    repeat(
        () -> DecisionWriter.write(json.clear(), await(engine.lookAsync(CallReader.read(BODY)))));
    MemoryStore store = MemoryStore.builder().maxKeys(KEYS).build();
    try (Engine scratch = Engine.builder().rules(engine.rules()).store(store).build()) {
      EnvoyService service = service(scratch, store);
      repeat(
          () -> {
            DecisionWriter.write(json.clear(), await(scratch.checkAsync(CallReader.read(BODY))));
            for (RateLimitRequest request : REQUESTS) {
              await(service.decide(RateLimitRequest.parseFrom(request.toByteArray())))
                  .toByteArray();
            }
          });
    }
  }

  private static EnvoyService service(Engine engine, MemoryStore store) {
    return new EnvoyService(
        new EnvoyLimiter(store, SystemTime.INSTANCE, EnvoyLimiter.Modes.PLAIN, EnvoyConfig.EMPTY),
        engine,
        new LoadShedder(Limit.perSecond(KEYS), CALLS, SystemTime.INSTANCE),
        RateLimitHeaderNames.DEFAULT,
        new EnvoyStats(1, source -> {}),
        SystemTime.INSTANCE,
        micros -> {});
  }

  private static void repeat(WarmUpTask task) {
    long end = System.nanoTime() + AT_MOST.toNanos();
    try {
      for (int i = 0; i < CALLS && System.nanoTime() - end < 0; i++) {
        task.run();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      LOG.debug("code warm-up failed; the first calls may be slow", e);
    }
  }

  private static <T> T await(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(AT_MOST.toNanos(), TimeUnit.NANOSECONDS);
  }
}
