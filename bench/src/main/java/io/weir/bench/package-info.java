/** Measures Weir and its peers with JMH. */
@NullMarked
package io.weir.bench;

import org.jspecify.annotations.NullMarked;
