/** Reads rules from the tree of a document and checks them. */
@NullMarked
package io.weir.rules.read;

import org.jspecify.annotations.NullMarked;
