package io.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.route.v3.RateLimit.Action;
import io.envoyproxy.envoy.extensions.filters.http.rate_limit_quota.v3.RateLimitQuotaBucketSettings;
import io.envoyproxy.envoy.extensions.filters.http.rate_limit_quota.v3.RateLimitQuotaFilterConfig;
import io.envoyproxy.envoy.extensions.filters.http.ratelimit.v3.RateLimit;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.vertx.core.json.JsonObject;
import io.weir.server.config.ServerConfig;
import io.weir.server.fixture.EnvoyTestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Holds the examples of docs/deploy/envoy.md and of the README to Envoy's own message definitions,
 * and sends the requests that they make Envoy send.
 */
class EnvoyDocumentationTest {
  private static List<String> examples(String beginning) throws IOException {
    return examples("../docs/deploy/envoy.md", beginning);
  }

  private static List<String> examples(String page, String beginning) throws IOException {
    String text = Files.readString(Path.of(page));
    return Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL)
        .matcher(text)
        .results()
        .map(block -> block.group(1))
        .filter(block -> block.startsWith(beginning))
        .toList();
  }

  @SuppressWarnings("unchecked")
  private static Bootstrap bootstrap() throws IOException {
    String yaml = examples("static_resources:").get(0);
    Object tree = new Load(LoadSettings.builder().build()).loadFromString(yaml);
    JsonFormat.TypeRegistry types =
        JsonFormat.TypeRegistry.newBuilder()
            .add(HttpConnectionManager.getDescriptor())
            .add(RateLimit.getDescriptor())
            .add(Router.getDescriptor())
            .add(HttpProtocolOptions.getDescriptor())
            .build();
    Bootstrap.Builder bootstrap = Bootstrap.newBuilder();
    JsonFormat.parser()
        .usingTypeRegistry(types)
        .merge(new JsonObject((Map<String, Object>) tree).encode(), bootstrap);
    return bootstrap.build();
  }

  private static HttpConnectionManager manager(Bootstrap bootstrap) throws IOException {
    return bootstrap
        .getStaticResources()
        .getListeners(0)
        .getFilterChains(0)
        .getFilters(0)
        .getTypedConfig()
        .unpack(HttpConnectionManager.class);
  }

  /** The descriptor that Envoy builds from actions for a request, in the notation of tests. */
  private static String descriptor(List<Action> actions, String path, String address) {
    return actions.stream()
        .map(
            action ->
                action.hasRemoteAddress()
                    ? "remote_address=" + address
                    : action.getRequestHeaders().getDescriptorKey() + "=" + path)
        .collect(Collectors.joining(" "));
  }

  @Test
  @SuppressWarnings("unchecked")
  void quotaExampleMatchesEnvoysDefinitions() throws IOException {
    List<Object> filters =
        (List<Object>)
            new Load(LoadSettings.builder().build())
                .loadFromString(examples("- name: envoy.filters.http.rate_limit_quota").get(0));
    HttpFilter.Builder filter = HttpFilter.newBuilder();
    JsonFormat.parser()
        .usingTypeRegistry(
            JsonFormat.TypeRegistry.newBuilder()
                .add(RateLimitQuotaFilterConfig.getDescriptor())
                .add(RateLimitQuotaBucketSettings.getDescriptor())
                .build())
        .merge(new JsonObject((Map<String, Object>) filters.get(0)).encode(), filter);
    RateLimitQuotaFilterConfig config =
        filter.getTypedConfig().unpack(RateLimitQuotaFilterConfig.class);
    RateLimitQuotaBucketSettings settings =
        config
            .getBucketMatchers()
            .getOnNoMatch()
            .getAction()
            .getTypedConfig()
            .unpack(RateLimitQuotaBucketSettings.class);

    assertThat(config.getDomain()).isEqualTo("shop");
    assertThat(settings.getBucketIdBuilder().getBucketIdBuilderMap()).containsKey("tenant");
    assertThat(settings.getExpiredAssignmentBehavior().hasReuseLastAssignment()).isTrue();
  }

  @Test
  @SuppressWarnings("unchecked")
  void readmeFilterMatchesEnvoysDefinitions() throws IOException {
    List<Object> filters =
        (List<Object>)
            new Load(LoadSettings.builder().build())
                .loadFromString(
                    examples("../README.md", "- name: envoy.filters.http.ratelimit").get(0));
    HttpFilter.Builder filter = HttpFilter.newBuilder();
    JsonFormat.parser()
        .usingTypeRegistry(
            JsonFormat.TypeRegistry.newBuilder().add(RateLimit.getDescriptor()).build())
        .merge(new JsonObject((Map<String, Object>) filters.get(0)).encode(), filter);
    RateLimit limit = filter.getTypedConfig().unpack(RateLimit.class);

    assertThat(limit.getDomain()).isEqualTo("shop");
    assertThat(limit.getRateLimitService().getGrpcService().getEnvoyGrpc().getClusterName())
        .isEqualTo("weir");
  }

  @Test
  void exampleMakesEnvoySendDescriptorsOfTheFolder() throws IOException {
    Bootstrap bootstrap = bootstrap();
    HttpConnectionManager manager = manager(bootstrap);
    RateLimit filter = manager.getHttpFilters(0).getTypedConfig().unpack(RateLimit.class);
    assertThat(filter.getRateLimitService().getGrpcService().getEnvoyGrpc().getClusterName())
        .isIn(
            bootstrap.getStaticResources().getClustersList().stream()
                .map(Cluster::getName)
                .toList());
    var limits = manager.getRouteConfig().getVirtualHosts(0).getRateLimitsList();
    try (EnvoyTestServer server = EnvoyTestServer.with(examples("domain: shop").get(0))) {
      RateLimitResponse search = RateLimitResponse.getDefaultInstance();
      for (String path : List.of("/search?q=a", "/search?q=b")) {
        search =
            server.ask(
                filter.getDomain(),
                limits.stream()
                    .map(limit -> descriptor(limit.getActionsList(), path, "192.0.2.1"))
                    .toArray(String[]::new));
      }
      assertThat(search.getOverallCode()).isEqualTo(Code.OK);
      // 99 if a minute ended in between
      assertThat(search.getStatuses(0).getLimitRemaining()).isBetween(98, 99);
      assertThat(search.getStatuses(1).getCurrentLimit().getName()).isEqualTo("search");
      assertThat(search.getStatuses(2).hasCurrentLimit()).isFalse();
      RateLimitResponse login = RateLimitResponse.getDefaultInstance();
      for (int i = 0; i < 11 && login.getOverallCode() != Code.OVER_LIMIT; i++) {
        login =
            server.ask(
                filter.getDomain(),
                limits.stream()
                    .map(limit -> descriptor(limit.getActionsList(), "/login", "192.0.2.1"))
                    .toArray(String[]::new));
      }
      assertThat(login.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(login.getStatuses(2).getCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(server.ask("shop", "remote_address=192.0.2.7").getStatuses(0).hasCurrentLimit())
          .isFalse();
    }
  }

  @Test
  void documentedSettingsExist() throws Exception {
    Path file = Files.createTempFile("weir", ".yaml");
    String example = examples("rules:  { envoy").get(0).replace("…sha256…", "a".repeat(64));
    Files.writeString(file, example);
    ServerConfig config = ServerConfig.read(java.util.Optional.of(file), Map.of());
    assertThat(config.envoy().folder()).hasValue(file.resolveSibling("config-dir/"));
  }
}
