/** The control plane in the server: rules and rollouts from the database or the rule file. */
@NullMarked
package io.weir.server.control;

import org.jspecify.annotations.NullMarked;
