package io.weir.control.store;

import io.weir.control.database.Database;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Recorded calls on their way from instances to a what-if. A request for recordings is a row
 * without an instance; each instance answers with a row of its own.
 */
public final class RecordingStore {
  /** The largest recording of one instance. */
  public static final int MAX_BYTES = 2 << 20;

  private static final String REQUEST = "";

  private final Database database;

  public RecordingStore(Database database) {
    this.database = database;
  }

  /** Asks all instances for their recordings. */
  public void request(String request) {
    write(request, REQUEST, new byte[0]);
  }

  /** The requests since a moment that an instance has not answered. */
  public List<String> openRequests(String instance, Instant since) {
    return database.read(
        sql ->
            sql.list(
                "select request from recording asked where instance = '' and at >= ?"
                    + " and not exists (select 1 from recording answered"
                    + " where answered.request = asked.request and answered.instance = ?)"
                    + " order by request",
                row -> row.text("request"),
                since,
                instance));
  }

  /**
   * Answers a request.
   *
   * @throws IllegalArgumentException if the body is larger than {@link #MAX_BYTES}
   */
  public void answer(String request, String instance, byte[] body) {
    if (body.length > MAX_BYTES) {
      throw new IllegalArgumentException("a recording has at most " + MAX_BYTES + " bytes");
    }
    write(request, instance, body);
  }

  private void write(String request, String instance, byte[] body) {
    Instant now = database.now();
    database.write(
        sql ->
            sql.update(
                "insert into recording (request, instance, body, at) values (?, ?, ?, ?)"
                    + " on conflict do nothing",
                request,
                instance,
                body,
                now));
  }

  /** The answers so far, by instance. */
  public Map<String, byte[]> answers(String request) {
    return database.read(
        sql -> {
          Map<String, byte[]> answers = new TreeMap<>();
          sql.list(
              "select instance, body from recording where request = ? and instance <> ''",
              row -> answers.put(row.text("instance"), row.bytes("body")),
              request);
          return answers;
        });
  }

  /** The instances that have answered so far. */
  public Set<String> answered(String request) {
    return database.read(
        sql ->
            new TreeSet<>(
                sql.list(
                    "select instance from recording where request = ? and instance <> ''",
                    row -> row.text("instance"),
                    request)));
  }

  /** The answer of one instance. */
  public Optional<byte[]> answer(String request, String instance) {
    return database.read(
        sql ->
            sql.first(
                "select body from recording where request = ? and instance = ?",
                row -> row.bytes("body"),
                request,
                instance));
  }

  /** Deletes a request with its answers. */
  public void delete(String request) {
    database.write(sql -> sql.update("delete from recording where request = ?", request));
  }

  /** Deletes requests and answers from before a moment. */
  public int forgetBefore(Instant moment) {
    return database.write(sql -> sql.update("delete from recording where at < ?", moment));
  }
}
