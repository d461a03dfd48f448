package io.weir.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FreePortsTest {
  @Test
  void handsOutEachPortOnce() {
    Set<Integer> ports = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      int port = FreePorts.free();
      assertThat(ports.add(port)).isTrue();
      assertThat(port + FreePorts.BUS_OFFSET).isLessThan(32_768);
    }
  }

  @Test
  void noticesThatAPortIsTaken() throws Exception {
    int port = FreePorts.free();
    assertThat(FreePorts.canBind(port)).isTrue();
    try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      assertThat(FreePorts.canBind(taken.getLocalPort())).isFalse();
    }
  }
}
