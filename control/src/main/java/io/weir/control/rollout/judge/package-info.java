/** Judges a rollout: evidence against expectation, as pure functions. */
@NullMarked
package io.weir.control.rollout.judge;

import org.jspecify.annotations.NullMarked;
