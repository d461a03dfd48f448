package io.weir.server.control;

import io.weir.control.ControlStores;
import io.weir.control.database.DatabaseOpener;
import io.weir.control.store.Token;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What the admin API calls.
 *
 * @param tokens the stored tokens as this instance last saw them, from the cache on disk or the
 *     feed; read by every admin request, so it only returns a list that is at hand
 * @param keys single keys; empty if they cannot be acted on
 * @param traffic questions to recorded calls; empty if there is no recorder
 */
public record ControlServices(
    DatabaseOpener<ControlStores> database,
    RuleOperations rules,
    StatusOperations status,
    KillSwitchOperations killSwitch,
    Supplier<List<Token>> tokens,
    Optional<KeyOperations> keys,
    Optional<TrafficOperations> traffic) {

  /** Without operations on keys and recorded traffic. */
  public ControlServices(
      DatabaseOpener<ControlStores> database,
      RuleOperations rules,
      StatusOperations status,
      KillSwitchOperations killSwitch,
      Supplier<List<Token>> tokens) {
    this(database, rules, status, killSwitch, tokens, Optional.empty(), Optional.empty());
  }
}
