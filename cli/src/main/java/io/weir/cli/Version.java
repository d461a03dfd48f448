package io.weir.cli;

import picocli.CommandLine.IVersionProvider;

/** Which Weir this is. */
final class Version implements IVersionProvider {
  /** As the jar says. */
  static String number() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version == null ? "(unpackaged)" : version;
  }

  @Override
  public String[] getVersion() {
    return new String[] {"weir " + number()};
  }
}
