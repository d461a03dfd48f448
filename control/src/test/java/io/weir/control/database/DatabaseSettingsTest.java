package io.weir.control.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseSettingsTest {
  @Test
  void readsUserPasswordHostsAndOptions() {
    DatabaseSettings.Postgres settings =
        DatabaseSettings.postgres(
            "postgresql://we%40ir:s3%3Acr+t@a:5432,b:5433/db?sslmode=require");

    assertThat(settings.jdbcUrl()).isEqualTo("jdbc:postgresql://a:5432,b:5433/db?sslmode=require");
    assertThat(settings.user()).contains("we@ir");
    assertThat(settings.password()).contains("s3:cr+t");
  }

  @Test
  void neverShowsAPassword() {
    DatabaseSettings.Postgres settings =
        DatabaseSettings.postgres("postgres://u:secret@h/db?password=secret");
    assertThat(settings.description()).isEqualTo("postgresql://h/db");
    assertThat(settings.toString()).doesNotContain("secret");
  }

  @Test
  void needsNoUser() {
    assertThat(DatabaseSettings.postgres("postgresql://h:5432/db").user())
        .isEqualTo(Optional.empty());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mysql://u:secret@h/db",
        "postgresql://u:secret@h",
        "postgresql://u:secret@h/",
        "postgresql://u:secret@h/?x=1",
        "postgresql:///db"
      })
  void refusesOtherAddressesWithoutRepeatingThem(String uri) {
    assertThatThrownBy(() -> DatabaseSettings.postgres(uri))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("control.database")
        .hasMessageNotContaining("secret");
  }

  @Test
  void namesTheEmbeddedFileAfterTheRulePath() {
    Path state = Path.of("/var/lib/weir");
    var one = DatabaseSettings.embedded(state, Path.of("/etc/weir/../weir/rules.yaml"), "a");
    var same = DatabaseSettings.embedded(state, Path.of("/etc/weir/rules.yaml"), "a");
    var other = DatabaseSettings.embedded(state, Path.of("/etc/weir/other.yaml"), "a");

    assertThat(one.description()).matches("/var/lib/weir/control-[0-9a-f]{16}\\.mv\\.db");
    assertThat(one).isEqualTo(same).isNotEqualTo(other);
  }
}
