/** Checks a Redis deployment and explains what Weir cannot work with. */
@NullMarked
package io.weir.redis.doctor;

import org.jspecify.annotations.NullMarked;
