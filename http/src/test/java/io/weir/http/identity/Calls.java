package io.weir.http.identity;

import io.weir.Call;
import io.weir.http.RequestHead;

/** Makes calls of requests whose tokens are verified at once. */
final class Calls {
  private Calls() {}

  static Call of(Identity identity, RequestHead head, RuleHeaders headers) {
    return identity.call(head, headers, known(identity.claims(head)));
  }

  /** Claims that are known by now. */
  static Claims.Known known(Claims claims) {
    if (claims instanceof Claims.Known known) {
      return known;
    }
    return ((Claims.Pending) claims).known().toCompletableFuture().join();
  }
}
