package io.weir.http.identity;

/** Outcome of the check of a token that was not in the cache of verified tokens. */
public enum TokenOutcome {
  /** The signature was checked and is valid. */
  VERIFIED,

  /** The signature is invalid; checked now, or cached from an earlier check of the same token. */
  FAILED,

  /** No signature was checked: malformed, expired, for another audience, or its key is unknown. */
  INVALID,

  /** No signature was checked: the address has used up its budget of failed checks. */
  OVER_BUDGET,

  /** No signature was checked: the queue was full, or the token waited in it for too long. */
  OVERLOADED
}
