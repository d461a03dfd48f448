/**
 * Random histories of one key, and the runner that compares an implementation with the reference on
 * them.
 */
@NullMarked
package io.weir.testkit.trace;

import org.jspecify.annotations.NullMarked;
