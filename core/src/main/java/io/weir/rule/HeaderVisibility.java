package io.weir.rule;

/** Whether callers see a rule in response headers, problem details and their own limits. */
public enum HeaderVisibility {
  SHOWN,
  HIDDEN
}
