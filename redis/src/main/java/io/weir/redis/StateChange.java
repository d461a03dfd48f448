package io.weir.redis;

/** The changes that {@code settle.lua} makes, in the order of the script's codes. */
enum StateChange {
  SETTLE,
  RELEASE,
  RENEW,
  REFUND,
  GIVE_BACK,
  END_LEASE,
  RESET
}
