/** Which rules apply to a call, and which key each of them counts under. */
@NullMarked
package io.weir.rule;

import org.jspecify.annotations.NullMarked;
