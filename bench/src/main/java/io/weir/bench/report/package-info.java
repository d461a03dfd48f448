/** Tables and pictures of results. */
@NullMarked
package io.weir.bench.report;

import org.jspecify.annotations.NullMarked;
