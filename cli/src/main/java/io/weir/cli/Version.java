package io.weir.cli;

import io.weir.server.WeirServer;
import picocli.CommandLine.IVersionProvider;

/** Which Weir this is. */
final class Version implements IVersionProvider {
  /** As the jar says. */
  static String number() {
    return WeirServer.version();
  }

  @Override
  public String[] getVersion() {
    return new String[] {"weir " + number()};
  }
}
