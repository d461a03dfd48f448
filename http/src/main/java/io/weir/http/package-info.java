/**
 * What HTTP means to a limiter, free of any framework: how a decision is told to the caller. Who
 * the caller is, is found out in {@link io.weir.http.identity}.
 */
@NullMarked
package io.weir.http;

import org.jspecify.annotations.NullMarked;
