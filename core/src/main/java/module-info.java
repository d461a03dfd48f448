/**
 * The limiter: calls, rules, limits and decisions. Users see the packages exported to all; the
 * other modules of Weir see what they need besides.
 */
module io.weir {
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports io.weir;
  exports io.weir.rule;
  exports io.weir.time;
  exports io.weir.adjust to
      io.weir.redis,
      io.weir.rules;
  exports io.weir.base to
      io.weir.http,
      io.weir.redis,
      io.weir.rules;
  exports io.weir.limit to
      io.weir.redis,
      io.weir.rules;
  exports io.weir.store to
      io.weir.redis;
}
