package io.weir;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Checks that dependencies between the packages of core follow the path of a request: rules plan
 * draws, the near store and the stores take them, limits do the arithmetic.
 *
 * <p>Users import {@code io.weir}. It has two layers, separated by class: the entry classes may use
 * everything, and nothing in core uses them; the values use only each other and {@code
 * io.weir.base}.
 */
class ArchitectureTest {
  private static final Set<String> ENTRY = Set.of("Weir", "Limiter", "SharedLimiter");
  private static final JavaClasses CORE =
      new ClassFileImporter()
          .importUrl(Weir.class.getProtectionDomain().getCodeSource().getLocation());

  private static boolean isEntry(JavaClass type) {
    return type.getPackageName().equals("io.weir") && ENTRY.contains(topLevel(type));
  }

  private static String topLevel(JavaClass type) {
    String name = type.getName().substring(type.getPackageName().length() + 1);
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  private static DescribedPredicate<JavaClass> entry() {
    return DescribedPredicate.describe("entry classes", ArchitectureTest::isEntry);
  }

  private static DescribedPredicate<JavaClass> values() {
    return DescribedPredicate.describe(
        "values", type -> type.getPackageName().equals("io.weir") && !isEntry(type));
  }

  @Test
  void dependenciesPointOneWay() {
    layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage("io.weir..")
        .layer("entry")
        .definedBy(entry())
        .layer("engine")
        .definedBy("io.weir.engine")
        .layer("rule")
        .definedBy("io.weir.rule..")
        .layer("adjust")
        .definedBy("io.weir.adjust")
        .layer("near")
        .definedBy("io.weir.near..")
        .layer("observe")
        .definedBy("io.weir.observe", "io.weir.guard")
        .layer("store")
        .definedBy("io.weir.store..")
        .layer("limit")
        .definedBy("io.weir.limit")
        .layer("time")
        .definedBy("io.weir.time")
        .layer("values")
        .definedBy(values())
        .layer("base")
        .definedBy("io.weir.base")
        .whereLayer("entry")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("engine")
        .mayOnlyBeAccessedByLayers("entry")
        .whereLayer("rule")
        .mayOnlyBeAccessedByLayers("entry", "engine")
        .whereLayer("adjust")
        .mayOnlyBeAccessedByLayers("engine", "rule")
        .whereLayer("adjust")
        .mayOnlyAccessLayers("values", "base")
        .whereLayer("near")
        .mayOnlyBeAccessedByLayers("entry", "engine")
        .whereLayer("observe")
        .mayOnlyBeAccessedByLayers("entry", "engine", "near")
        .whereLayer("store")
        .mayOnlyBeAccessedByLayers("entry", "engine", "rule", "near", "observe")
        .whereLayer("limit")
        .mayOnlyBeAccessedByLayers("entry", "engine", "rule", "near", "observe", "store")
        .whereLayer("values")
        .mayOnlyAccessLayers("base")
        .whereLayer("base")
        .mayNotAccessAnyLayer()
        .ensureAllClassesAreContainedInArchitecture()
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
