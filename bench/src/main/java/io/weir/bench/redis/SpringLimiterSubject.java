package io.weir.bench.redis;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter.Response;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import org.springframework.data.redis.core.script.DefaultRedisScript;

/** Spring Cloud Gateway's limiter, configured as in the gateway. */
final class SpringLimiterSubject implements RedisSubject {
  private static final String ROUTE = "route";

  /** Keys live for twice the time in which a bucket fills: over half an hour. */
  private static final int RATE = 100_000;

  private static final long BURST = 100_000_000;

  /** The remaining count it reports when Redis did not answer and it admits all calls. */
  private static final String UNKNOWN = "-1";

  private final LettuceConnectionFactory connections;
  private final RedisRateLimiter limiter;

  SpringLimiterSubject(RedisEndpoint endpoint) {
    this.connections = connections(endpoint);
    connections.start();
    this.limiter =
        new RedisRateLimiter(new ReactiveStringRedisTemplate(connections), script(), null);
    limiter
        .getConfig()
        .put(ROUTE, new RedisRateLimiter.Config().setReplenishRate(RATE).setBurstCapacity(BURST));
  }

  private static LettuceConnectionFactory connections(RedisEndpoint endpoint) {
    if (endpoint.cluster()) {
      return new LettuceConnectionFactory(new RedisClusterConfiguration(endpoint.addresses()));
    }
    String[] address = endpoint.addresses().get(0).split(":");
    return new LettuceConnectionFactory(
        new RedisStandaloneConfiguration(address[0], Integer.parseInt(address[1])));
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static DefaultRedisScript<List<Long>> script() {
    DefaultRedisScript script = new DefaultRedisScript<>();
    script.setLocation(new ClassPathResource("META-INF/scripts/request_rate_limiter.lua"));
    script.setResultType(List.class);
    return script;
  }

  @Override
  public CompletionStage<Boolean> ask(String key) {
    return limiter.isAllowed(ROUTE, key).map(SpringLimiterSubject::decided).toFuture();
  }

  private static boolean decided(Response response) {
    return response.isAllowed()
        && !UNKNOWN.equals(response.getHeaders().get(RedisRateLimiter.REMAINING_HEADER));
  }

  @Override
  public void close() {
    connections.destroy();
  }
}
