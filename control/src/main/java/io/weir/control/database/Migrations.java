package io.weir.control.database;

import java.util.Arrays;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the schema up to date. Migrations only add, so that instances of the release before go on
 * beside new ones.
 */
final class Migrations {
  private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);
  private static final String LOCATION = "classpath:io/weir/control/migration";

  private Migrations() {}

  /**
   * Applies what is missing.
   *
   * @return whether the schema has migrations that this release does not know
   */
  static boolean run(DataSource source) {
    Flyway flyway =
        Flyway.configure(Migrations.class.getClassLoader())
            .dataSource(source)
            .locations(LOCATION)
            .table("weir_schema")
            // The schema may hold tables of others.
            .baselineOnMigrate(true)
            .baselineVersion("0")
            .ignoreMigrationPatterns("*:future")
            .cleanDisabled(true)
            .load();
    flyway.migrate();
    boolean ahead =
        Arrays.stream(flyway.info().all())
            .map(MigrationInfo::getState)
            .anyMatch(state -> state.name().startsWith("FUTURE"));
    if (ahead) {
      LOG.warn("the control database has a newer schema than this release; changes may be limited");
    }
    return ahead;
  }
}
