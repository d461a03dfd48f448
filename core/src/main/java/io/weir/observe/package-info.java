/** Observers of decisions: hot keys and sampled audits. They do not influence decisions. */
@NullMarked
package io.weir.observe;

import org.jspecify.annotations.NullMarked;
