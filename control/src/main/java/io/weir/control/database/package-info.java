/** The connection to H2 or PostgreSQL: settings, schema, transactions, opening beside the start. */
@NullMarked
package io.weir.control.database;

import org.jspecify.annotations.NullMarked;
