/** What can be answered near the caller, before any store is asked. */
@NullMarked
package io.weir.tier;

import org.jspecify.annotations.NullMarked;
