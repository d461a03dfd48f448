package io.weir.control.audit;

import io.weir.control.text.StorableText;

/**
 * Who makes a change, from where and why.
 *
 * @param actor the token's label, {@code file} for an edit by hand, or the instance
 * @param address the client's address; empty for changes that the process makes itself
 * @param message the reason, as typed
 * @param correlation the id of the request; empty if there is none
 */
public record Origin(String actor, String address, String message, String correlation) {
  private static final int MAX_ACTOR = 200;

  public Origin {
    StorableText.require("actor", actor, MAX_ACTOR);
    StorableText.require("address", address);
    StorableText.require("message", message);
    StorableText.require("correlation", correlation);
  }

  /** A change that the process makes itself. */
  public static Origin process(String actor, String message) {
    return new Origin(actor, "", message, "");
  }
}
