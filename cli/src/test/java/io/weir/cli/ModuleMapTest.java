package io.weir.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import org.junit.jupiter.api.Test;

/** Holds the modules to the map in CONTRIBUTING.md: dependencies point downwards only. */
class ModuleMapTest {
  private static final JavaClasses WEIR =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .withImportOption(ModuleMapTest::isShipped)
          .importPackages("io.weir");

  private static boolean isShipped(Location location) {
    return !location.contains("test-classes") && !location.contains("testkit");
  }

  @Test
  void dependenciesPointDownwardsOnly() {
    layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage("io.weir..")
        .layer("core")
        .definedBy(
            "io.weir",
            "io.weir.adjust..",
            "io.weir.base..",
            "io.weir.engine..",
            "io.weir.guard..",
            "io.weir.limit..",
            "io.weir.near..",
            "io.weir.observe..",
            "io.weir.rule..",
            "io.weir.store..",
            "io.weir.time..")
        .layer("rules")
        .definedBy("io.weir.rules..")
        .layer("http")
        .definedBy("io.weir.http..")
        .layer("redis")
        .definedBy("io.weir.redis..")
        .layer("control")
        .definedBy("io.weir.control..")
        .layer("server")
        .definedBy("io.weir.server..")
        .layer("cli")
        .definedBy("io.weir.cli..")
        .whereLayer("cli")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("server")
        .mayOnlyBeAccessedByLayers("cli")
        .whereLayer("control")
        .mayOnlyBeAccessedByLayers("server", "cli")
        .whereLayer("rules")
        .mayOnlyBeAccessedByLayers("control", "server", "cli")
        .whereLayer("http")
        .mayOnlyBeAccessedByLayers("server", "cli")
        .whereLayer("redis")
        .mayOnlyBeAccessedByLayers("server", "cli")
        .ensureAllClassesAreContainedInArchitectureIgnoring("io.weir.testkit..")
        .check(WEIR);
  }

  @Test
  void onlyTheServerKnowsVertx() {
    onlyIn("io.weir.server..", "io.vertx..");
  }

  @Test
  void onlyNetworkModulesUseNetty() {
    noClasses()
        .that()
        .resideOutsideOfPackages("io.weir.server..", "io.weir.redis..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.netty..")
        .check(WEIR);
  }

  @Test
  void onlyTheRedisStoreAndFaultInjectionKnowLettuce() {
    noClasses()
        .that()
        .resideOutsideOfPackages("io.weir.redis..", "io.weir.cli.drill..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.lettuce..")
        .check(WEIR);
  }

  private static void onlyIn(String module, String... libraries) {
    noClasses()
        .that()
        .resideOutsideOfPackage(module)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(libraries)
        .check(WEIR);
  }

  @Test
  void onlyTheControlPlaneKnowsDatabases() {
    onlyIn("io.weir.control..", "java.sql..", "com.zaxxer..", "org.flywaydb..", "org.postgresql..");
  }

  @Test
  void onlyRuleDocumentsAndTheContractOfTheAdminApiAreYaml() {
    noClasses()
        .that()
        .resideOutsideOfPackages("io.weir.rules..", "io.weir.server.admin.api..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.snakeyaml..")
        .check(WEIR);
  }

  @Test
  void onlyHttpKnowsTokens() {
    onlyIn("io.weir.http..", "com.nimbusds..");
  }

  @Test
  void onlyTheCommandKnowsHowItIsCalled() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.weir.cli..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("picocli..")
        .orShould()
        .callMethod(System.class, "exit", int.class)
        .check(WEIR);
  }
}
