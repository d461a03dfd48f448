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
 * One call's draws, split into the groups of keys that can share a script call, and their replies.
 *
 * <p>Each group decides by itself, all or none. The call passes if every group admits it. If one
 * refuses, the tokens taken by the others have to be given back.
 */
final class DrawRound {
  /** Maximum draws of one group: their number is sent in two bytes. */
  private static final int MAX_DRAWS = 0xFFFF;

  private final List<Draw> draws;
  private final byte[][] keys;
  private final @Nullable ScriptReply[] replies;
  private final List<int[]> groups;

  /** Draws whose script call was never sent, by index. */
  private @Nullable BitSet notSent;

  DrawRound(List<Draw> draws, KeyNames names, ScriptRunner runner) {
    this.draws = draws;
    this.keys = new byte[draws.size()][];
    this.replies = new ScriptReply[draws.size()];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = names.bucket(draws.get(i).pool(), draws.get(i).key());
    }
    this.groups = keys.length == 1 ? List.of(new int[] {0}) : grouped(runner);
  }

  private DrawRound(DrawRound other) {
    this.draws = other.draws;
    this.keys = other.keys;
    this.replies = other.replies.clone();
    this.groups = other.groups;
    this.notSent = other.notSent == null ? null : (BitSet) other.notSent.clone();
  }

  /** A copy in which these groups have no reply. */
  DrawRound without(List<int[]> unanswered) {
    DrawRound round = new DrawRound(this);
    for (int[] group : unanswered) {
      for (int index : group) {
        round.replies[index] = null;
      }
    }
    return round;
  }

  private List<int[]> grouped(ScriptRunner runner) {
    Map<Integer, List<Integer>> indices = new LinkedHashMap<>();
    for (int i = 0; i < keys.length; i++) {
      indices.computeIfAbsent(runner.groupOf(keys[i]), any -> new ArrayList<>()).add(i);
    }
    return indices.values().stream()
        .map(group -> group.stream().mapToInt(Integer::intValue).toArray())
        .peek(DrawRound::requireRoom)
        .toList();
  }

  private static void requireRoom(int[] group) {
    if (group.length > MAX_DRAWS) {
      throw new IllegalArgumentException(
          "a call can draw from at most " + MAX_DRAWS + " buckets at once, not " + group.length);
    }
  }

  /** The indices of the draws of each group. */
  List<int[]> groups() {
    return groups;
  }

  Draw draw(int index) {
    return draws.get(index);
  }

  byte[] key(int index) {
    return keys[index];
  }

  void setReply(int index, ScriptReply reply) {
    replies[index] = reply;
  }

  /** Records that the script call of this group was never sent. */
  synchronized void markNotSent(int[] group) {
    BitSet indices = notSent == null ? new BitSet() : notSent;
    for (int index : group) {
      indices.set(index);
    }
    notSent = indices;
  }

  /**
   * Whether any draw uses calendar periods. They are computed here and sent along, and may not
   * match the store's clock.
   */
  boolean hasCalendar() {
    for (int i = 0; i < draws.size(); i++) {
      if (draws.get(i).pool().meter().limit().algorithm() == Algorithm.QUOTA) {
        return true;
      }
    }
    return false;
  }

  /** The groups for which the calendar periods that were sent did not match the store's clock. */
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
    for (int index : group) {
      ScriptReply reply = replies[index];
      if (reply != null && reply.status() == ScriptReply.ReplyStatus.UNDECIDED) {
        return true;
      }
    }
    return false;
  }

  /** The latest time in the replies of any node. */
  long storeNow() {
    long latest = 0;
    for (ScriptReply reply : replies) {
      latest = reply == null ? latest : Math.max(latest, reply.now());
    }
    return latest;
  }

  /** Whether any node refused an enforced draw. */
  private boolean refused() {
    for (int i = 0; i < replies.length; i++) {
      ScriptReply reply = replies[i];
      if (reply != null && stops(reply, draws.get(i))) {
        return true;
      }
    }
    return false;
  }

  /** Whether the script admitted nothing because of this reply. */
  private static boolean stops(ScriptReply reply, Draw draw) {
    return reply.status() == ScriptReply.ReplyStatus.UNDECIDED
        || (!reply.admitted() && draw.mode() == Mode.ENFORCE);
  }

  private boolean groupTook(int[] group) {
    for (int index : group) {
      ScriptReply reply = replies[index];
      if (reply == null || stops(reply, draws.get(index))) {
        return false;
      }
    }
    return true;
  }

  /**
   * The parts to give back, group by group, if one group refused the call and others took tokens
   * for it.
   */
  List<List<ReservedPart>> giveBacks() {
    List<List<ReservedPart>> backs = new ArrayList<>();
    if (groups.size() > 1 && refused()) {
      for (int[] group : groups) {
        List<ReservedPart> taken = groupTook(group) ? taken(group) : List.of();
        if (!taken.isEmpty()) {
          backs.add(taken);
        }
      }
    }
    return backs;
  }

  private List<ReservedPart> taken(int[] group) {
    List<ReservedPart> taken = new ArrayList<>();
    for (int index : group) {
      Draw draw = draws.get(index);
      ScriptReply reply = replies[index];
      boolean took = reply != null && reply.admitted() && draw.intent() != Draw.Intent.LOOK;
      if (took && draw.amount() > 0) {
        taken.add(new ReservedPart(draw.pool(), draw.key(), draw.amount(), 0, reply.receipt(draw)));
      }
    }
    return taken;
  }

  TakeResult result() {
    boolean refused = refused();
    boolean taken = !refused;
    List<LimitStatus> statuses = new ArrayList<>(replies.length);
    List<TakeReceipt> receipts = new ArrayList<>(replies.length);
    for (int[] group : groups) {
      boolean took = groupTook(group);
      for (int index : group) {
        ScriptReply reply = replies[index];
        if (reply != null) {
          replies[index] = refused && took ? reply.givenBack(draws.get(index)) : reply;
        }
      }
    }
    for (int i = 0; i < replies.length; i++) {
      Draw draw = draws.get(i);
      ScriptReply reply = replies[i];
      taken &= reply != null || draw.mode() != Mode.ENFORCE;
      statuses.add(reply == null ? draw.unanswered() : reply.limitStatus(draw, !refused));
      receipts.add(reply == null ? new TakeReceipt(0, 0) : reply.receipt(draw));
    }
    return new TakeResult(taken, statuses, refused ? List.of() : receipts, grants());
  }

  /** The lease state after each draw; empty if no draw had a lease report. */
  private List<LeaseGrant> grants() {
    boolean reported = false;
    for (Draw draw : draws) {
      reported |= ScriptArguments.hasLeaseReport(draw);
    }
    if (!reported) {
      return List.of();
    }
    List<LeaseGrant> grants = new ArrayList<>(replies.length);
    for (int i = 0; i < replies.length; i++) {
      ScriptReply reply = replies[i];
      grants.add(
          reply != null ? reply.grant() : isNotSent(i) ? LeaseGrant.NOT_SENT : LeaseGrant.NONE);
    }
    return grants;
  }

  private synchronized boolean isNotSent(int index) {
    BitSet indices = notSent;
    return indices != null && indices.get(index);
  }

  /** The arithmetic behind each draw, as text. */
  List<String> descriptions() {
    List<String> texts = new ArrayList<>(replies.length);
    for (int i = 0; i < replies.length; i++) {
      ScriptReply reply = replies[i];
      texts.add(reply == null ? "the store did not answer" : reply.describe(draws.get(i)));
    }
    return texts;
  }
}
