package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.weir.Weir;
import io.weir.http.HeaderDialect;
import io.weir.redis.RedisStore;
import io.weir.rules.RuleFile;
import io.weir.store.Store;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.net.URL;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds the public API on the class path to what the module descriptors hold on the module path: a
 * type is public if its package is exported to all.
 */
class PublicApiTest {
  /** A class of each module that has a descriptor. */
  private static final Map<String, Class<?>> MODULES =
      Map.of(
          "io.weir", Weir.class,
          "io.weir.rules", RuleFile.class,
          "io.weir.http", HeaderDialect.class,
          "io.weir.redis", RedisStore.class);

  /** Users pass these on and call nothing of them. */
  private static final Set<String> OPAQUE = Set.of(Store.class.getName());

  private static final Set<String> EXPORTED =
      MODULES.values().stream()
          .flatMap(member -> exported(member).stream())
          .collect(Collectors.toSet());

  private static Set<String> exported(Class<?> member) {
    ModuleDescriptor module = descriptor(member);
    return module.exports().stream()
        .filter(export -> !export.isQualified())
        .map(ModuleDescriptor.Exports::source)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static URL location(Class<?> member) {
    return member.getProtectionDomain().getCodeSource().getLocation();
  }

  private static ModuleDescriptor descriptor(Class<?> member) {
    String place = location(member).toString();
    String root = place.endsWith("/") ? place : "jar:" + place + "!/";
    try (InputStream in = new URL(root + "module-info.class").openStream()) {
      return ModuleDescriptor.read(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JavaClasses classes(Class<?> member) {
    return new ClassFileImporter().importUrl(location(member));
  }

  private static boolean isPublic(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(PublicApiTest::isPublic).orElse(true);
  }

  private static boolean isForUsers(JavaClass type) {
    return EXPORTED.contains(type.getPackageName()) && isPublic(type);
  }

  private static Set<String> typesForUsers(Class<?> member) {
    return classes(member).stream()
        .filter(type -> isForUsers(type) && type.isTopLevelClass())
        .map(JavaClass::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void exportsThesePackagesToUsers() {
    MODULES.forEach(
        (name, member) -> assertThat(descriptor(member).name()).as("the module").isEqualTo(name));
    assertThat(EXPORTED)
        .containsExactlyInAnyOrder(
            "io.weir",
            "io.weir.rule",
            "io.weir.time",
            "io.weir.rules",
            "io.weir.rules.diff",
            "io.weir.http",
            "io.weir.http.identity",
            "io.weir.redis");
  }

  /** A type that users shall see is added here too; any other goes to a package of its module. */
  @Test
  void showsUsersSoManyTypes() {
    assertThat(typesForUsers(Weir.class)).as("types of weir-core").hasSize(45);
    assertThat(typesForUsers(RuleFile.class)).as("types of weir-rules").hasSize(11);
    assertThat(typesForUsers(HeaderDialect.class)).as("types of weir-http").hasSize(18);
    assertThat(typesForUsers(RedisStore.class)).as("types of weir-redis").hasSize(4);
  }

  @Test
  void signaturesForUsersNameOnlyTypesForUsers() {
    Set<String> leaks =
        MODULES.values().stream()
            .flatMap(member -> classes(member).stream())
            .filter(PublicApiTest::isForUsers)
            .flatMap(type -> type.getMembers().stream())
            .filter(PublicApiTest::isOffered)
            .flatMap(
                member ->
                    types(member)
                        .flatMap(type -> type.getAllInvolvedRawTypes().stream())
                        .map(JavaClass::getBaseComponentType)
                        .filter(PublicApiTest::isHidden)
                        .map(type -> member.getFullName() + " shows " + type.getName()))
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(leaks).isEmpty();
  }

  private static boolean isHidden(JavaClass type) {
    return type.getPackageName().startsWith("io.weir")
        && !isForUsers(type)
        && !OPAQUE.contains(type.getName());
  }

  /** Whether users may call it; methods of the store contract are for modules of Weir only. */
  private static boolean isOffered(JavaMember member) {
    Set<JavaModifier> modifiers = member.getModifiers();
    return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
        && !modifiers.contains(JavaModifier.SYNTHETIC)
        && !(member instanceof JavaCodeUnit unit && isOfTheStoreContract(unit));
  }

  private static boolean isOfTheStoreContract(JavaCodeUnit unit) {
    return unit.getOwner().isAssignableTo(Store.class)
        && Stream.of(Store.class.getMethods())
            .anyMatch(
                method ->
                    method.getName().equals(unit.getName())
                        && Stream.of(method.getParameterTypes())
                            .map(Class::getName)
                            .toList()
                            .equals(
                                unit.getRawParameterTypes().stream()
                                    .map(JavaClass::getName)
                                    .toList()));
  }

  private static Stream<JavaType> types(JavaMember member) {
    if (member instanceof JavaField field) {
      return Stream.of(field.getType());
    }
    JavaCodeUnit unit = (JavaCodeUnit) member;
    return Stream.concat(Stream.of(unit.getReturnType()), unit.getParameterTypes().stream());
  }
}
