package io.weir.control.store;

import io.weir.control.text.StorableText;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A customer's plan.
 *
 * @param tier the name of a tier of the rule document
 * @param numbers numbers of its own by name, such as {@code rate} to {@code 250/s}
 */
public record Tenant(String id, String tier, SortedMap<String, String> numbers) {
  private static final int MAX_ID = 256;
  private static final int MAX_TIER = 64;

  public Tenant {
    StorableText.require("id", id);
    StorableText.require("tier", tier, MAX_TIER);
    if (id.isEmpty() || id.length() > MAX_ID) {
      throw new IllegalArgumentException("a tenant's id has 1 to " + MAX_ID + " characters");
    }
    // Most of a million tenants have none.
    numbers =
        numbers.isEmpty()
            ? Collections.emptySortedMap()
            : Collections.unmodifiableSortedMap(new TreeMap<>(numbers));
    numbers.forEach(StorableText::require);
  }

  public Tenant(String id, String tier) {
    this(id, tier, Collections.emptySortedMap());
  }
}
