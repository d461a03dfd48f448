/** The admin port: authentication, console pages and reports. */
@NullMarked
package io.weir.server.admin;

import org.jspecify.annotations.NullMarked;
