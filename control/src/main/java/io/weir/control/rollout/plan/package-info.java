/** The plan of a rollout: its steps, presets and text form. */
@NullMarked
package io.weir.control.rollout.plan;

import org.jspecify.annotations.NullMarked;
