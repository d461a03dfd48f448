/** Decisions by {@code on_fail} while the shared store is unavailable, and the debt they leave. */
@NullMarked
package io.weir.near.fallback;

import org.jspecify.annotations.NullMarked;
