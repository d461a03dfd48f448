package io.weir.redis;

/** The changes that {@code settle.lua} makes; their order is the script's. */
enum StateChange {
  SETTLE,
  RELEASE,
  RENEW,
  REFUND,
  GIVE_BACK,
  END_LEASE
}
