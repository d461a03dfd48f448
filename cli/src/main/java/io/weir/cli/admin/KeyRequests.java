package io.weir.cli.admin;

import io.weir.cli.client.AdminClient;
import io.weir.cli.output.JsonMap;
import java.util.List;

/** Requests about single keys. */
record KeyRequests(AdminClient client) {
  /** The state of a key under one rule, or under every rule with these dimensions. */
  List<JsonMap> states(String rule, KeyText key) {
    String query = "/keys?key=" + AdminClient.encode(key.text());
    return client
        .get(rule.isEmpty() ? query : query + "&rule=" + AdminClient.encode(rule))
        .maps("items");
  }

  /**
   * Fails if the rule is unknown or counts by other dimensions. A change carries the values only; a
   * typo in a name would change the key of somebody else.
   */
  void requireDimensions(String rule, KeyText key) {
    if (!rule.isEmpty() && !key.text().isEmpty()) {
      states(rule, key);
    }
  }
}
