package io.weir.server.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class ActivityMonitorTest {
  /** A connection whose peer accepts a given number of bytes. */
  private static final class Socket extends EmbeddedChannel {
    private int taken = Integer.MAX_VALUE;

    @Override
    protected void doWrite(ChannelOutboundBuffer out) {
      while (out.current() != null && taken > 0) {
        int bytes = Math.min(taken, out.nioBuffers()[0].remaining());
        taken -= bytes;
        out.removeBytes(bytes);
      }
    }

    void takes(int bytes) {
      taken = bytes;
      unsafe().flush();
    }
  }

  private final Socket socket = new Socket();
  private final ActivityMonitor monitor = ActivityMonitor.of(socket);

  private void write(int bytes) {
    socket.writeAndFlush(Unpooled.wrappedBuffer(new byte[bytes]));
  }

  @Test
  void countsTicksWithoutAByte() {
    assertThat(monitor.tick()).isEqualTo(1);
    assertThat(monitor.tick()).isEqualTo(2);
    assertThat(monitor.tick()).isEqualTo(3);
  }

  @Test
  void resetsWhenBytesAreReceived() {
    monitor.tick();
    socket.writeInbound(Unpooled.wrappedBuffer(new byte[1]));
    assertThat(monitor.tick()).isZero();
    assertThat(monitor.tick()).isEqualTo(1);
  }

  @Test
  void resetsWhenBytesAreSent() {
    monitor.tick();
    write(1);
    assertThat(monitor.tick()).isZero();
    assertThat(monitor.tick()).isEqualTo(1);
  }

  @Test
  void resetsWhileThePeerReadsSlowly() {
    socket.takes(0);
    write(1000);
    monitor.tick();
    for (int i = 0; i < 5; i++) {
      socket.takes(1);
      assertThat(monitor.tick()).isZero();
    }
    assertThat(monitor.tick()).isEqualTo(1);
  }

  @Test
  void resetsWhenBufferedBytesAreSentLater() {
    for (int i = 0; i < 3; i++) {
      socket.takes(500);
      write(1000);
      socket.takes(500);
      assertThat(monitor.tick()).isZero();
    }
  }

  @Test
  void countsTicksWhileThePeerDoesNotRead() {
    socket.takes(0);
    write(1000);
    monitor.tick();
    for (int i = 1; i <= 5; i++) {
      write(10);
      assertThat(monitor.tick()).isEqualTo(i);
    }
  }

  @Test
  void closesTheConnectionWithBytesUnsent() {
    socket.takes(0);
    write(1000);
    monitor.close();
    assertThat(socket.isOpen()).isFalse();
    monitor.close(); // idempotent
  }
}
