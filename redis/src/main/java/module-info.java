/** The store on Redis: scripts, topology and deadlines. */
module io.weir.redis {
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.resolver.dns; // for Lettuce, which has no descriptor to name it in
  requires io.netty.transport;
  requires transitive io.weir;
  requires lettuce.core;
  requires static org.jspecify;
  requires org.slf4j;

  exports io.weir.redis;
}
