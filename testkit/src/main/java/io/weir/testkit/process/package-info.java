/**
 * Real Redis processes for tests (single, Cluster, Sentinel), and the faults done to them.
 *
 * <p>Everything here listens on the loopback address, is closed with try-with-resources and leaves
 * neither process nor file behind, also when the JVM that runs the tests is killed.
 */
@NullMarked
package io.weir.testkit.process;

import org.jspecify.annotations.NullMarked;
