package io.weir.redis.call;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisErrorsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Currently not connected. Commands are rejected.               | there is no connection
          WRONGPASS invalid username-password pair or user is disabled. | Redis refuses the user or the password (WRONGPASS)
          NOAUTH Authentication required.                               | Redis refuses the user or the password (NOAUTH)
          NOPERM this user has no permissions to run the 'role' command | NOPERM this user has no permissions to run the 'role' command
          LOADING Redis is loading the dataset in memory.               | LOADING Redis is loading the dataset in memory
          no answer within the deadline                                 | no answer within the deadline
          """)
  void reasonsFitIntoALogLine(String reason, String inLog) {
    assertThat(RedisErrors.inLog(reason)).isEqualTo(inLog);
  }
}
