package io.weir.control.audit;

import io.weir.control.text.StorableText;

/**
 * What one change did.
 *
 * @param action such as {@code rules.published}
 * @param target what was changed, such as {@code version/7}
 * @param before the state before, as text or digest; empty if there was none
 * @param after the state after, as text or digest; empty if there is none
 */
public record AuditRecord(String action, String target, String before, String after) {
  public AuditRecord {
    StorableText.require("action", action);
    StorableText.require("target", target);
    StorableText.require("before", before);
    StorableText.require("after", after);
  }
}
