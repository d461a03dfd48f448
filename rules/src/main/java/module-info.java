/** The rule document: reading, checking, comparing and watching it. */
module io.weir.rules {
  requires com.fasterxml.jackson.core;
  requires transitive io.weir;
  requires static org.jspecify;
  requires org.slf4j;
  requires org.snakeyaml.engine;

  exports io.weir.rules;
  exports io.weir.rules.diff;
}
