/** Drives rollouts step by step, and the expiry of what is temporary. */
@NullMarked
package io.weir.control.rollout;

import org.jspecify.annotations.NullMarked;
