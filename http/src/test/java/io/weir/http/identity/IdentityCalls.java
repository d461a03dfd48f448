package io.weir.http.identity;

import io.weir.Call;
import io.weir.http.RequestHead;

/** Creates calls from requests whose tokens are verified synchronously. */
final class IdentityCalls {
  private IdentityCalls() {}

  static Call of(Identity identity, RequestHead head, RuleHeaders headers) {
    return identity.call(head, headers, known(identity.claims(head)));
  }

  /** Claims that are already known. */
  static TokenClaims.Known known(TokenClaims claims) {
    if (claims instanceof TokenClaims.Known known) {
      return known;
    }
    return ((TokenClaims.Pending) claims).known().toCompletableFuture().join();
  }
}
