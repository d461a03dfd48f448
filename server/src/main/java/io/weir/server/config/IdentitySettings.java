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

/** How callers are told apart: by address, and by API keys or signed tokens if there are such. */
public record IdentitySettings(
    ClientAddress address, Optional<ApiKey> apiKey, Optional<JwtSettings> jwt) {
  /** By the address of the connection. */
  public static final IdentitySettings DEFAULT =
      new IdentitySettings(ClientAddress.OF_CONNECTION, Optional.empty(), Optional.empty());

  /**
   * Which header brings an API key, and which keys count.
   *
   * @param known a file of hashes; any key counts if there is none
   */
  public record ApiKey(String header, Optional<Path> known) {}

  /** The same, with the address found in another way. */
  public IdentitySettings address(ClientAddress other) {
    return new IdentitySettings(other, apiKey, jwt);
  }

  /** The same with API keys. */
  public IdentitySettings apiKey(ApiKey keys) {
    return new IdentitySettings(address, Optional.of(keys), jwt);
  }

  /** The same with signed tokens. */
  public IdentitySettings jwt(JwtSettings tokens) {
    return new IdentitySettings(address, apiKey, Optional.of(tokens));
  }

  /**
   * The attributes that requests can have. A file of API keys can give any.
   *
   * @param requests what they are in messages
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

  /** Reads the files that are named, and follows them until it is closed. */
  public Identity open() throws ConfigException {
    Identity.Builder builder = Identity.builder().address(address);
    String reading = "";
    try {
      if (apiKey.isPresent() && apiKey.get().known().isPresent()) {
        reading = "identity.api_key.known";
        builder.apiKeys(apiKey.get().header(), apiKey.get().known().get());
      } else if (apiKey.isPresent()) {
        builder.anyApiKey(apiKey.get().header());
      }
      if (jwt.isPresent()) {
        reading = "identity.jwt.jwks " + jwt.get().jwks();
        builder.jwt(jwt.get());
      }
    } catch (IOException e) {
      throw new ConfigException(List.of(reading + ": " + e.getMessage()));
    }
    return builder.build();
  }
}
