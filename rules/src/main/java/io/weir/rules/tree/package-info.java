/** YAML and JSON as one tree of nodes with locations. */
@NullMarked
package io.weir.rules.tree;

import org.jspecify.annotations.NullMarked;
