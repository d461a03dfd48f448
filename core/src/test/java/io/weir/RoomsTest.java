package io.weir;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/**
 * Holds the rooms of core to the way of a request: rules make draws, tiers and stores take them,
 * limits do the sums.
 */
class RoomsTest {
  private static final JavaClasses CORE =
      new ClassFileImporter()
          .importUrl(Weir.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void nothingFlowsBackwards() {
    layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage("io.weir..")
        .layer("entry")
        .definedBy("io.weir")
        .layer("rule")
        .definedBy("io.weir.rule")
        .layer("tier")
        .definedBy("io.weir.tier")
        .layer("store")
        .definedBy("io.weir.store")
        .layer("limit")
        .definedBy("io.weir.limit")
        .layer("time")
        .definedBy("io.weir.time")
        .whereLayer("rule")
        .mayOnlyBeAccessedByLayers("entry")
        .whereLayer("tier")
        .mayOnlyBeAccessedByLayers("entry")
        .whereLayer("store")
        .mayOnlyBeAccessedByLayers("entry", "rule", "tier")
        .whereLayer("limit")
        .mayOnlyBeAccessedByLayers("entry", "rule", "tier", "store")
        .whereLayer("time")
        .mayOnlyBeAccessedByLayers("entry", "tier", "store")
        .check(CORE);
  }

  @Test
  void theAlgorithmsKnowNoClock() {
    noClasses()
        .that()
        .resideInAPackage("io.weir.limit")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.weir.time")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .check(CORE);
  }

  @Test
  void timeIsReadInOnePlaceOnly() {
    noClasses()
        .that()
        .doNotHaveSimpleName("SystemTime")
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(java.time.Instant.class, "now")
        .check(CORE);
  }

  @Test
  void coreNeedsNothingButTheJdk() {
    classes()
        .that()
        .resideInAPackage("io.weir..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "io.weir..", "java..", "javax.crypto..", "org.jspecify..", "org.slf4j..")
        .check(CORE);
  }
}
