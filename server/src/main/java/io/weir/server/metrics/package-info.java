/** Metrics of decisions, rules, stores and hot keys. */
@NullMarked
package io.weir.server.metrics;

import org.jspecify.annotations.NullMarked;
