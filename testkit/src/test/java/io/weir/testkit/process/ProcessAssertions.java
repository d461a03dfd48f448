package io.weir.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

/** Asserts that a process has exited. */
final class ProcessAssertions {
  private ProcessAssertions() {}

  static boolean isGone(long pid) {
    return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty();
  }

  static void assertGone(long pid) {
    assertThat(isGone(pid)).as("process %d has exited", pid).isTrue();
  }
}
