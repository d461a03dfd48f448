/**
 * Real Redis (single, Cluster, Sentinel) and PostgreSQL processes for tests, with fault injection.
 *
 * <p>Everything here listens on the loopback address, is closed with try-with-resources and leaves
 * neither process nor file behind, even if the JVM that runs the tests is killed.
 */
@NullMarked
package io.weir.testkit.process;

import org.jspecify.annotations.NullMarked;
