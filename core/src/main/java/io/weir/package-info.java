/**
 * What users of Weir import: {@link io.weir.Weir}, {@link io.weir.Limiter}, {@link io.weir.Call},
 * {@link io.weir.Limit} and the {@link io.weir.Decision} they get back.
 */
@NullMarked
package io.weir;

import org.jspecify.annotations.NullMarked;
