package io.weir.server.config;

import io.weir.http.identity.ClientAddress;
import io.weir.http.identity.Identity;
import io.weir.http.identity.JwtSettings;
import io.weir.rules.AttributeSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** How clients are identified: by address, and optionally by API keys or signed tokens. */
public record IdentitySettings(
    ClientAddress address, Optional<ApiKey> apiKey, Optional<JwtSettings> jwt) {
  /** By the address of the connection. */
  public static final IdentitySettings DEFAULT =
      new IdentitySettings(ClientAddress.OF_CONNECTION, Optional.empty(), Optional.empty());

  /**
   * The header with the API key, and the known keys.
   *
   * @param known a file of hashes; empty to accept any key
   */
  public record ApiKey(String header, Optional<Path> known) {}

  /** A copy with another source of the client address. */
  public IdentitySettings address(ClientAddress other) {
    return new IdentitySettings(other, apiKey, jwt);
  }

  /** A copy with API keys. */
  public IdentitySettings apiKey(ApiKey keys) {
    return new IdentitySettings(address, Optional.of(keys), jwt);
  }

  /** A copy with signed tokens. */
  public IdentitySettings jwt(JwtSettings tokens) {
    return new IdentitySettings(address, apiKey, Optional.of(tokens));
  }

  /**
   * The attributes that requests can have. A file of API keys can give any.
   *
   * @param requests their description in messages
   */
  public AttributeSource attributes(String requests) {
    if (apiKey.isPresent() && apiKey.get().known().isPresent()) {
      return AttributeSource.ANY;
    }
    Set<String> names = new HashSet<>(Set.of("ip"));
    apiKey.ifPresent(any -> names.add("api_key"));
    jwt.ifPresent(tokens -> names.addAll(tokens.claims().keySet()));
    return AttributeSource.only(requests, names);
  }

  /** Reads the named files, and reloads them on changes until it is closed. */
  public Identity open() throws ConfigException {
    Identity.Builder builder = Identity.builder().address(address);
    String setting = "";
    try {
      if (apiKey.isPresent() && apiKey.get().known().isPresent()) {
        setting = "identity.api_key.known";
        builder.apiKeys(apiKey.get().header(), apiKey.get().known().get());
      } else if (apiKey.isPresent()) {
        builder.anyApiKey(apiKey.get().header());
      }
      if (jwt.isPresent()) {
        setting = "identity.jwt.jwks " + jwt.get().jwks();
        builder.jwt(jwt.get());
      }
    } catch (IOException e) {
      throw new ConfigException(List.of(setting + ": " + e.getMessage()));
    }
    return builder.build();
  }
}
