/**
 * Random histories of one key, and the runner that tells whether something decides on them as the
 * reference does.
 */
@NullMarked
package io.weir.testkit.trace;

import org.jspecify.annotations.NullMarked;
