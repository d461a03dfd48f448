package io.weir.cli;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Holds the packages of every module: none depends on itself by way of others, none is large. */
class PackagesTest {
  private static final long MAX_CLASSES = 32;

  private static final JavaClasses WEIR =
      new ClassFileImporter().withImportOption(PackagesTest::isMain).importPackages("io.weir");

  /**
   * Where users enter a module whose root package also holds values. Entry classes may use every
   * package of the module; other packages use only the values beside them.
   */
  private static final Set<String> ENTRY =
      Set.of(
          "io.weir.Limiter",
          "io.weir.SharedLimiter",
          "io.weir.Weir",
          "io.weir.redis.DrawRound",
          "io.weir.redis.RedisStore",
          "io.weir.redis.StateChange",
          "io.weir.redis.WarmUp",
          "io.weir.rules.ConfigFile",
          "io.weir.rules.RuleDocuments",
          "io.weir.rules.RuleFile");

  private static boolean isMain(Location location) {
    return !location.contains("test-classes");
  }

  private static JavaClass topLevel(JavaClass type) {
    return type.getEnclosingClass().map(PackagesTest::topLevel).orElse(type);
  }

  /** A slice per package; the entry classes of a package are one of their own. */
  private static final class Packages implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      String name = topLevel(type).getName();
      return SliceIdentifier.of(
          ENTRY.contains(name) ? "entry of " + type.getPackageName() : type.getPackageName());
    }

    @Override
    public String getDescription() {
      return "packages";
    }
  }

  @Test
  void formNoCycle() {
    slices().assignedFrom(new Packages()).should().beFreeOfCycles().check(WEIR);
  }

  @Test
  void entryClassesExist() {
    assertThat(WEIR.stream().map(JavaClass::getName)).containsAll(ENTRY);
  }

  @Test
  void holdFewClasses() {
    Map<String, Long> sizes =
        WEIR.stream()
            .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
            .collect(
                Collectors.groupingBy(
                    JavaClass::getPackageName, TreeMap::new, Collectors.counting()));

    assertThat(sizes.keySet()).hasSizeGreaterThan(40).contains("io.weir", "io.weir.server.http");
    assertThat(sizes).allSatisfy((name, size) -> assertThat(size).isLessThanOrEqualTo(MAX_CLASSES));
  }
}
