/** Observers of decisions: hot keys, sampled audits and sliding counters. They decide nothing. */
@NullMarked
package io.weir.observe;

import org.jspecify.annotations.NullMarked;
