package io.weir.bench.peer;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;

/**
 * Spring Cloud Gateway before an upstream, with its rate limiter on Redis: {@code --upstream=URL
 * --server.port=N --spring.data.redis.port=N}. One key, and a limit that never refuses.
 */
@SpringBootApplication
public class SpringCloudGateway {
  public static void main(String[] args) {
    SpringApplication.run(SpringCloudGateway.class, args);
  }

  @Bean
  RedisRateLimiter limiter() {
    return new RedisRateLimiter(1_000_000, 1_000_000);
  }

  @Bean
  KeyResolver byNobody() {
    return exchange -> Mono.just("all");
  }

  @Bean
  RouteLocator routes(
      RouteLocatorBuilder routes,
      RedisRateLimiter limiter,
      KeyResolver key,
      @org.springframework.beans.factory.annotation.Value("${upstream}") String upstream) {
    return routes
        .routes()
        .route(
            "all",
            route ->
                route
                    .path("/**")
                    .filters(
                        filters ->
                            filters.requestRateLimiter(
                                limit -> limit.setRateLimiter(limiter).setKeyResolver(key)))
                    .uri(upstream))
        .build();
  }
}
