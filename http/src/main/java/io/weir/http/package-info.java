/**
 * Decisions as HTTP responses, independent of any framework. Callers are identified in {@link
 * io.weir.http.identity}.
 */
@NullMarked
package io.weir.http;

import org.jspecify.annotations.NullMarked;
