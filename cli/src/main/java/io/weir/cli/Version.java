package io.weir.cli;

import io.weir.server.WeirServer;
import picocli.CommandLine.IVersionProvider;

/** The version of Weir. */
final class Version implements IVersionProvider {
  /** The version in the manifest of the jar. */
  static String number() {
    return WeirServer.version();
  }

  @Override
  public String[] getVersion() {
    return new String[] {"weir " + number()};
  }
}
