/** Rule files: which files belong to a document, when they change, and the last valid copy. */
@NullMarked
package io.weir.rules.file;

import org.jspecify.annotations.NullMarked;
