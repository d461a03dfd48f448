package io.weir.control.database;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/** Where the control plane's state is kept. */
public sealed interface DatabaseSettings {
  /** A text for logs and errors, without credentials. */
  String description();

  /**
   * An H2 file of this process.
   *
   * @param file the database file without its suffix {@code .mv.db}
   * @param holder how this process names itself to others that find the file locked
   */
  record Embedded(Path file, String holder) implements DatabaseSettings {
    @Override
    public String description() {
      return file + ".mv.db";
    }

    /** The file that names the process with the lock. */
    Path holderFile() {
      return file.resolveSibling(file.getFileName() + ".holder");
    }

    String jdbcUrl() {
      // MODE: `on conflict do nothing`, bytea. The process closes the database itself at shutdown.
      return "jdbc:h2:file:"
          + file.toAbsolutePath()
          + ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH"
          + ";LOCK_TIMEOUT=10000;DB_CLOSE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE;WRITE_DELAY=0";
    }
  }

  /**
   * The H2 file of a rule path: {@code control-<16 hex>.mv.db} in the state folder, so that
   * processes with different rules do not share one.
   */
  static Embedded embedded(Path stateFolder, Path rules, String holder) {
    String path = rules.toAbsolutePath().normalize().toString();
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(path.getBytes(StandardCharsets.UTF_8));
      String name = "control-" + HexFormat.of().formatHex(hash, 0, 8);
      return new Embedded(stateFolder.resolve(name), holder);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  /** A PostgreSQL server that all instances share. */
  record Postgres(String jdbcUrl, Optional<String> user, Optional<String> password)
      implements DatabaseSettings {
    @Override
    public String description() {
      int query = jdbcUrl.indexOf('?');
      return (query < 0 ? jdbcUrl : jdbcUrl.substring(0, query)).substring("jdbc:".length());
    }

    @Override
    public String toString() {
      return description();
    }
  }

  /**
   * Reads {@code postgresql://[user[:password]@]host[:port][,host…]/database[?options]}; user and
   * password are percent-decoded.
   *
   * @throws IllegalArgumentException if it is no such address; the message repeats no password
   */
  static Postgres postgres(String uri) {
    String rest = afterScheme(uri);
    int path = rest.indexOf('/');
    String authority = path < 0 ? rest : rest.substring(0, path);
    int at = authority.lastIndexOf('@');
    String hosts = authority.substring(at + 1);
    if (hosts.isEmpty() || path < 0 || rest.substring(path).matches("/(\\?.*)?")) {
      throw new IllegalArgumentException(
          "control.database needs a host and a database: postgresql://host:5432/database");
    }
    String[] login = at < 0 ? new String[0] : authority.substring(0, at).split(":", 2);
    return new Postgres(
        "jdbc:postgresql://" + hosts + rest.substring(path),
        login.length > 0 ? Optional.of(decode(login[0])) : Optional.empty(),
        login.length > 1 ? Optional.of(decode(login[1])) : Optional.empty());
  }

  private static String afterScheme(String uri) {
    for (String scheme : new String[] {"postgresql://", "postgres://"}) {
      if (uri.startsWith(scheme)) {
        return uri.substring(scheme.length());
      }
    }
    throw new IllegalArgumentException("control.database must start with postgresql://");
  }

  private static String decode(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
