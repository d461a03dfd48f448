/** The audit log: a signed hash chain of changes, and the checks that find a broken one. */
@NullMarked
package io.weir.control.audit;

import org.jspecify.annotations.NullMarked;
