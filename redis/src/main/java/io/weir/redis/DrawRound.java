package io.weir.redis;

import io.weir.Algorithm;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.limit.TakeReceipt;
import io.weir.redis.link.ScriptRunner;
import io.weir.redis.script.KeyNames;
import io.weir.redis.script.ScriptArguments;
import io.weir.redis.script.ScriptReply;
import io.weir.store.Draw;
import io.weir.store.LeaseGrant;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One call's draws on their way to one or several groups of keys and back.
 *
 * <p>Each group decides for itself, all or none. The call passes if every group does; if one
 * refuses, what the others took has to be given back.
 */
final class DrawRound {
  /** Draws of one group: as many as fit into the two bytes that say how many there are. */
  private static final int MOST_DRAWS = 0xFFFF;

  private final List<Draw> draws;
  private final byte[][] keys;
  private final @Nullable ScriptReply[] answers;
  private final List<int[]> groups;

  /** The draws of calls that were never sent. */
  private @Nullable BitSet unsent;

  DrawRound(List<Draw> draws, KeyNames names, ScriptRunner link) {
    this.draws = draws;
    this.keys = new byte[draws.size()][];
    this.answers = new ScriptReply[draws.size()];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = names.bucket(draws.get(i).pool(), draws.get(i).key());
    }
    this.groups = keys.length == 1 ? List.of(new int[] {0}) : grouped(link);
  }

  private DrawRound(DrawRound other) {
    this.draws = other.draws;
    this.keys = other.keys;
    this.answers = other.answers.clone();
    this.groups = other.groups;
    this.unsent = other.unsent == null ? null : (BitSet) other.unsent.clone();
  }

  /** A round of its own, in which these groups have not been answered. */
  DrawRound without(List<int[]> unanswered) {
    DrawRound round = new DrawRound(this);
    for (int[] group : unanswered) {
      for (int place : group) {
        round.answers[place] = null;
      }
    }
    return round;
  }

  private List<int[]> grouped(ScriptRunner link) {
    Map<Integer, List<Integer>> places = new LinkedHashMap<>();
    for (int i = 0; i < keys.length; i++) {
      places.computeIfAbsent(link.groupOf(keys[i]), any -> new ArrayList<>()).add(i);
    }
    return places.values().stream()
        .map(group -> group.stream().mapToInt(Integer::intValue).toArray())
        .peek(DrawRound::requireRoom)
        .toList();
  }

  private static void requireRoom(int[] group) {
    if (group.length > MOST_DRAWS) {
      throw new IllegalArgumentException(
          "a call draws from at most " + MOST_DRAWS + " buckets at once, not " + group.length);
    }
  }

  /** The places of the draws that go together, group by group. */
  List<int[]> groups() {
    return groups;
  }

  Draw draw(int place) {
    return draws.get(place);
  }

  byte[] key(int place) {
    return keys[place];
  }

  void answer(int place, ScriptReply answer) {
    answers[place] = answer;
  }

  /** Notes that the call about this group was never sent. */
  synchronized void markNotSent(int[] group) {
    BitSet places = unsent == null ? new BitSet() : unsent;
    for (int place : group) {
      places.set(place);
    }
    unsent = places;
  }

  /**
   * Whether any draw goes by calendar periods, which are sent along and may not be those of now.
   */
  boolean hasCalendar() {
    for (int i = 0; i < draws.size(); i++) {
      if (draws.get(i).pool().meter().limit().algorithm() == Algorithm.QUOTA) {
        return true;
      }
    }
    return false;
  }

  /** The groups in which a calendar period that was sent was not that of the store's clock. */
  List<int[]> undecided() {
    List<int[]> undecided = List.of();
    for (int[] group : groups) {
      if (isUndecided(group)) {
        undecided = undecided.isEmpty() ? new ArrayList<>() : undecided;
        undecided.add(group);
      }
    }
    return undecided;
  }

  private boolean isUndecided(int[] group) {
    for (int place : group) {
      ScriptReply answer = answers[place];
      if (answer != null && answer.verdict() == ScriptReply.ReplyStatus.UNDECIDED) {
        return true;
      }
    }
    return false;
  }

  /** The latest time that any node said it was. */
  long storeNow() {
    long latest = 0;
    for (ScriptReply answer : answers) {
      latest = answer == null ? latest : Math.max(latest, answer.now());
    }
    return latest;
  }

  /** Whether an enforced draw was refused by a node that answered. */
  private boolean refused() {
    for (int i = 0; i < answers.length; i++) {
      ScriptReply answer = answers[i];
      if (answer != null && stops(answer, draws.get(i))) {
        return true;
      }
    }
    return false;
  }

  /** Whether the script let nothing pass because of this answer. */
  private static boolean stops(ScriptReply answer, Draw draw) {
    return answer.verdict() == ScriptReply.ReplyStatus.UNDECIDED
        || (!answer.admitted() && draw.mode() == Mode.ENFORCE);
  }

  private boolean groupTook(int[] group) {
    for (int place : group) {
      ScriptReply answer = answers[place];
      if (answer == null || stops(answer, draws.get(place))) {
        return false;
      }
    }
    return true;
  }

  /**
   * What has to be given back, group by group: what some groups took for a call that another
   * refused.
   */
  List<List<ReservedPart>> giveBacks() {
    List<List<ReservedPart>> backs = new ArrayList<>();
    if (groups.size() > 1 && refused()) {
      for (int[] group : groups) {
        List<ReservedPart> held = groupTook(group) ? held(group) : List.of();
        if (!held.isEmpty()) {
          backs.add(held);
        }
      }
    }
    return backs;
  }

  private List<ReservedPart> held(int[] group) {
    List<ReservedPart> held = new ArrayList<>();
    for (int place : group) {
      Draw draw = draws.get(place);
      ScriptReply answer = answers[place];
      boolean took = answer != null && answer.admitted() && draw.intent() != Draw.Intent.LOOK;
      if (took && draw.amount() > 0) {
        held.add(new ReservedPart(draw.pool(), draw.key(), draw.amount(), 0, answer.stamp(draw)));
      }
    }
    return held;
  }

  TakeResult taking() {
    boolean refused = refused();
    boolean taken = !refused;
    List<LimitStatus> standings = new ArrayList<>(answers.length);
    List<TakeReceipt> stamps = new ArrayList<>(answers.length);
    for (int[] group : groups) {
      boolean took = groupTook(group);
      for (int place : group) {
        ScriptReply answer = answers[place];
        if (answer != null) {
          answers[place] = refused && took ? answer.givenBack(draws.get(place)) : answer;
        }
      }
    }
    for (int i = 0; i < answers.length; i++) {
      Draw draw = draws.get(i);
      ScriptReply answer = answers[i];
      taken &= answer != null || draw.mode() != Mode.ENFORCE;
      standings.add(answer == null ? draw.unanswered() : answer.standing(draw, !refused));
      stamps.add(answer == null ? new TakeReceipt(0, 0) : answer.stamp(draw));
    }
    return new TakeResult(taken, standings, refused ? List.of() : stamps, grants());
  }

  /** How leases stand, if any draw told of one. */
  private List<LeaseGrant> grants() {
    boolean tells = false;
    for (Draw draw : draws) {
      tells |= ScriptArguments.hasLeaseReport(draw);
    }
    if (!tells) {
      return List.of();
    }
    List<LeaseGrant> grants = new ArrayList<>(answers.length);
    for (int i = 0; i < answers.length; i++) {
      ScriptReply answer = answers[i];
      grants.add(
          answer != null ? answer.grant() : isNotSent(i) ? LeaseGrant.NOT_SENT : LeaseGrant.NONE);
    }
    return grants;
  }

  private synchronized boolean isNotSent(int place) {
    BitSet places = unsent;
    return places != null && places.get(place);
  }

  /** The arithmetic behind each draw, in words. */
  List<String> descriptions() {
    List<String> texts = new ArrayList<>(answers.length);
    for (int i = 0; i < answers.length; i++) {
      ScriptReply answer = answers[i];
      texts.add(answer == null ? "the store did not answer" : answer.describe(draws.get(i)));
    }
    return texts;
  }
}
