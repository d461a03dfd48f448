/**
 * The API of Weir. {@link io.weir.Weir} decides calls by rules, {@link io.weir.Limiter} applies one
 * limit by key. A {@link io.weir.Call} is a request, a {@link io.weir.Limit} an algorithm with its
 * numbers, and a {@link io.weir.Decision} the result.
 */
@NullMarked
package io.weir;

import org.jspecify.annotations.NullMarked;
