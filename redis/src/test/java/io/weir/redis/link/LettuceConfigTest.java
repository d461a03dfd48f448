package io.weir.redis.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.weir.redis.RedisOptions;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LettuceConfigTest {
  private static final RedisOptions ANYWHERE = RedisOptions.of("redis://127.0.0.1");

  static Stream<ClientOptions> options() {
    return Stream.of(LettuceConfig.node(ANYWHERE), LettuceConfig.cluster(ANYWHERE));
  }

  @ParameterizedTest
  @MethodSource("options")
  void commandsThatAreNotReplayedFail(ClientOptions options) {
    AsyncCommand<byte[], byte[], String> command =
        new AsyncCommand<>(
            new Command<>(CommandType.PING, new StatusOutput<>(ByteArrayCodec.INSTANCE)));

    assertThat(options.getReplayFilter().test(command)).isTrue();

    assertThat(command.toCompletableFuture())
        .isCompletedExceptionally()
        .failsWithin(Duration.ofSeconds(1))
        .withThrowableThat()
        .withMessageContaining("the connection was lost");
  }
}
