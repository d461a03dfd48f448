package io.weir.control.store;

import io.weir.control.audit.AuditRecord;
import io.weir.control.audit.Origin;
import io.weir.control.change.ChangeKind;
import io.weir.control.change.ChangeLog;
import io.weir.control.database.Row;
import io.weir.control.database.RowIds;
import io.weir.control.database.Sql;
import io.weir.control.text.StorableText;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Tokens of the admin API, stored hashed. */
public final class TokenStore {
  /** A new token; its text is shown once and stored nowhere. */
  public record Created(String text, Token token) {}

  /** What became of a revocation. */
  public enum Revocation {
    REVOKED,
    UNKNOWN,
    /** It is the last good admin token, and none is configured. */
    LAST_ADMIN
  }

  private static final int RANDOM_BYTES = 32;
  private static final int MAX_LABEL = 200;
  private static final String COLUMNS =
      "id, hash, role, label, author, created, expires, last_used, revoked, seq";

  private final ChangeLog log;
  private final SecureRandom random = new SecureRandom();

  public TokenStore(ChangeLog log) {
    this.log = log;
  }

  /** Makes a token. */
  public Created create(Role role, String label, Optional<Instant> expires, Origin origin) {
    StorableText.require("label", label, MAX_LABEL);
    byte[] bytes = new byte[RANDOM_BYTES];
    random.nextBytes(bytes);
    String text = "weir_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    return log.change(
        origin,
        change -> {
          Token token =
              new Token(
                  RowIds.next(change.sql(), "token"),
                  hash(text),
                  role,
                  label,
                  change.author(),
                  change.now(),
                  expires,
                  Optional.empty(),
                  false);
          insert(change.sql(), token, change.seq());
          change.record(
              ChangeKind.TOKENS,
              new AuditRecord("token.created", "token/" + token.id(), "", describe(token)));
          return new Created(text, token);
        });
  }

  private static void insert(Sql sql, Token token, long seq) throws SQLException {
    sql.update(
        "insert into token (id, hash, role, label, author, created, expires, revoked, seq)"
            + " values (?, ?, ?, ?, ?, ?, cast(? as timestamp with time zone), false, ?)",
        token.id(),
        token.hash(),
        token.role(),
        token.label(),
        token.author(),
        token.created(),
        token.expires(),
        seq);
  }

  /**
   * Revokes a token.
   *
   * @param configured whether an admin token is configured outside of the database
   */
  public Revocation revoke(long id, boolean configured, Origin origin) {
    return log.change(
        origin,
        change -> {
          List<Token> good =
              all(change.sql()).stream().filter(token -> token.isGood(change.now())).toList();
          Optional<Token> found = good.stream().filter(token -> token.id() == id).findFirst();
          if (found.isEmpty()) {
            return Revocation.UNKNOWN;
          }
          Token token = found.get();
          long admins = good.stream().filter(it -> it.role() == Role.ADMIN).count();
          if (token.role() == Role.ADMIN && admins == 1 && !configured) {
            return Revocation.LAST_ADMIN;
          }
          change
              .sql()
              .update("update token set revoked = true, seq = ? where id = ?", change.seq(), id);
          change.record(
              ChangeKind.TOKENS,
              new AuditRecord("token.revoked", "token/" + id, describe(token), ""));
          return Revocation.REVOKED;
        });
  }

  /** The token with this text, good or not. */
  public Optional<Token> find(String text) {
    return log.database()
        .read(
            sql ->
                sql.first(
                    "select " + COLUMNS + " from token where hash = ?",
                    TokenStore::read,
                    hash(text)));
  }

  public List<Token> list() {
    return log.database().read(TokenStore::all);
  }

  /** Notes when tokens were last used, by id; not a change of its own. */
  public void touch(Map<Long, Instant> used) {
    RowIds.touch(log.database(), "token", used);
  }

  /** All tokens, in a transaction of the caller; there are few. */
  public static List<Token> all(Sql sql) throws SQLException {
    return sql.list("select " + COLUMNS + " from token order by id", TokenStore::read);
  }

  /** The hash under which a token is stored. */
  public static String hash(String text) {
    try {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  private static String describe(Token token) {
    String until = token.expires().map(at -> " until " + at).orElse("");
    return token.role() + " " + token.label() + until;
  }

  private static Token read(Row row) throws SQLException {
    return new Token(
        row.number("id"),
        row.text("hash"),
        row.choice("role", Role.class),
        row.text("label"),
        row.text("author"),
        row.instant("created"),
        row.optionalInstant("expires"),
        row.optionalInstant("last_used"),
        row.flag("revoked"));
  }
}
