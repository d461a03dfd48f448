/** The settings of a process, and their readers for files and environment variables. */
@NullMarked
package io.weir.server.config;

import org.jspecify.annotations.NullMarked;
