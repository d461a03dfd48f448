package io.weir;

/** What came of settling, releasing or renewing a reservation. */
public enum Settlement {
  /** It was done. */
  DONE,
  /** It had been done before, the permits had expired, or it came too late; nothing changed. */
  ALREADY,
  /** This is no reservation of ours. */
  UNKNOWN
}
