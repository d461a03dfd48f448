/** Text that is stored and hashed: what both databases keep, its digest, its JSON form. */
@NullMarked
package io.weir.control.text;

import org.jspecify.annotations.NullMarked;
