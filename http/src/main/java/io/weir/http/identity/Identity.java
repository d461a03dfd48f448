package io.weir.http.identity;

import io.weir.Call;
import io.weir.http.RequestHead;
import io.weir.http.RequestTarget;
import io.weir.time.SystemTime;
import io.weir.time.TimeSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns a request into a {@link Call}: the client's address, and further attributes of the caller
 * that can be trusted. Untrusted ones are omitted, and the rules decide what happens to calls that
 * lack an attribute.
 *
 * <p>Never blocks. Background threads read files and URLs, and verify signatures.
 */
public final class Identity implements AutoCloseable {
  /** The header that carries a bypass token; it must not be forwarded upstream. */
  public static final String BYPASS_HEADER = "x-weir-bypass";

  private static final Set<String> RESERVED =
      Set.of("ip", "bypass", "method", "path", "route", "host", "api_key");

  private final ClientAddress address;
  private final @Nullable ApiKeys apiKeys;
  private final @Nullable JwtIdentity jwts;
  private final @Nullable ScheduledExecutorService background;
  private final @Nullable VerificationQueue queue;

  private Identity(Builder builder) {
    this.address = builder.address;
    this.apiKeys = builder.apiKeys;
    this.jwts = builder.jwts;
    this.queue = builder.queue;
    this.background =
        builder.inBackground && (apiKeys != null || jwts != null) ? background(this::tick) : null;
  }

  private static ScheduledExecutorService background(Runnable turn) {
    ScheduledExecutorService executor =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread thread = new Thread(work, "weir-identity");
              thread.setDaemon(true);
              return thread;
            });
    var unused = executor.scheduleWithFixedDelay(turn, 1, 1, TimeUnit.SECONDS);
    return executor;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Attributes that only the front end itself may set. */
  static boolean isReserved(String name) {
    return RESERVED.contains(name) || name.startsWith("header.");
  }

  /** Claims of the request's signed token; pending only if its signature has to be verified. */
  public TokenClaims claims(RequestHead head) {
    if (jwts == null) {
      return TokenClaims.NONE;
    }
    TokenClaims known = jwts.known(head);
    return known != null ? known : jwts.check(head, address.of(head));
  }

  /** Outcomes of token checks; empty if signed tokens are not configured. */
  public Optional<TokenCounts> tokenCounts() {
    return Optional.ofNullable(jwts).map(JwtIdentity::counts);
  }

  /**
   * The call of a request with these claims and the headers that the rules use.
   *
   * @throws IllegalArgumentException if the target has no path that begins with a slash
   */
  public Call call(RequestHead head, RuleHeaders headers, TokenClaims.Known claims) {
    Call call = Call.of(head.method(), pathOf(head)).host(head.host());
    String ip = address.of(head);
    if (!ip.isEmpty()) {
      call = call.with("ip", ip);
    }
    if (apiKeys != null) {
      call = with(call, apiKeys.attributes(head));
    }
    call = with(call, claims.attributes()); // signed, so it takes precedence
    List<String> tokens = head.headers(BYPASS_HEADER);
    if (tokens.size() == 1) {
      call = call.with("bypass", tokens.get(0));
    }
    return headers.addTo(call, head);
  }

  /** The path of a target that may contain scheme and host, or be the {@code *} of OPTIONS. */
  private static String pathOf(RequestHead head) {
    String path = head.path();
    return path.startsWith("/") ? path : RequestTarget.of(path).path();
  }

  private static Call with(Call call, Map<String, String> attributes) {
    return attributes.isEmpty() ? call : call.with(attributes);
  }

  /** The client's address, as in {@link #call}. */
  public String address(RequestHead head) {
    return address.of(head);
  }

  /** Reloads sources that are due. */
  void tick() {
    if (apiKeys != null) {
      apiKeys.tick();
    }
    if (jwts != null) {
      jwts.tick();
    }
  }

  @Override
  public void close() {
    if (background != null) {
      background.shutdownNow();
    }
    if (queue != null) {
      queue.close();
    }
  }

  /** Sets how callers are identified; by default by the address of the connection. */
  public static final class Builder {
    private ClientAddress address = ClientAddress.OF_CONNECTION;
    private TimeSource time = SystemTime.INSTANCE;
    private boolean inBackground = true;
    private @Nullable ApiKeys apiKeys;
    private @Nullable JwtIdentity jwts;
    private @Nullable VerificationQueue queue;
    private @Nullable Consumer<VerificationQueue.Job> verifiedBy;

    private Builder() {}

    /** Sets how the client's address is found. */
    public Builder address(ClientAddress address) {
      this.address = address;
      return this;
    }

    /** Accepts any API key in this header as an identity. */
    public Builder anyApiKey(String header) {
      this.apiKeys = ApiKeys.any(header, time);
      return this;
    }

    /**
     * Accepts the API keys whose hashes are in a file.
     *
     * @throws IOException with the reason if the file is invalid
     */
    public Builder apiKeys(String header, Path file) throws IOException {
      this.apiKeys = ApiKeys.inFile(header, file, time);
      return this;
    }

    /**
     * Accepts signed tokens as an identity.
     *
     * @throws IOException with the reason if the key file is invalid
     */
    public Builder jwt(JwtSettings settings) throws IOException {
      Consumer<VerificationQueue.Job> verification = verifiedBy;
      if (verification == null) {
        queue = new VerificationQueue(settings.checks().threads(), settings.checks().queue());
        verification = queue::add;
      }
      this.jwts = JwtIdentity.by(settings, time, verification);
      return this;
    }

    /** Uses this time source and no threads; must be called first. For tests. */
    Builder withoutThreads(TimeSource time) {
      return withoutThreads(time, VerificationQueue.Job::run);
    }

    /** As {@link #withoutThreads(TimeSource)}, with another way to run signature checks. */
    Builder withoutThreads(TimeSource time, Consumer<VerificationQueue.Job> verifiedBy) {
      this.time = time;
      this.inBackground = false;
      this.verifiedBy = verifiedBy;
      return this;
    }

    public Identity build() {
      return new Identity(this);
    }
  }
}
