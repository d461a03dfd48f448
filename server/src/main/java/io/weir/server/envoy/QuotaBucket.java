package io.weir.server.envoy;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Reason;
import io.weir.Weir;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A bucket that Envoys enforce by themselves, on what was taken from the rules' limits in advance.
 *
 * <p>In every period it reserves, by the rules, what its Envoys may let through in that period, and
 * divides it by what each of them asks for. Reports say what was really used; what was not is given
 * back, and what was used without having been reserved goes into debt. So however many Envoys and
 * Weirs there are, the limit is drawn from before it is spent; an Envoy that is told less can be
 * ahead of that by one period's share. All methods are called under the lock of the desk.
 */
final class QuotaBucket {
  private static final Assignment ALL = new Assignment.All();
  private static final Assignment NOTHING = new Assignment.Nothing();
  private static final Assignment ABANDONED = new Assignment.Abandoned();

  /** At a limit, a division that uses at least this part of what there is stays. */
  private static final double GOOD_ENOUGH = 0.8;

  /** By how much a share may differ from what would be right, before all is divided anew. */
  private static final double UNFAIR = 0.2;

  /** How often less is asked for, in a period in which there is not enough. */
  private static final int MOST_TRIES = 4;

  /** What was reserved for a period and not yet put right. */
  private record Held(String reservation, long amount, long tick) {}

  private final Weir weir;
  private final Consumer<Throwable> faults;
  private final Call call;
  private final Map<Object, QuotaShare> byEnvoy = new LinkedHashMap<>();
  private final Deque<Held> held = new ArrayDeque<>();
  private long used;
  private boolean asking;

  QuotaBucket(Weir weir, Consumer<Throwable> faults, QuotaId id) {
    this.weir = weir;
    this.faults = faults;
    this.call = id.call();
  }

  /** The share of an Envoy; null if it has none. */
  @Nullable QuotaShare share(Object envoy) {
    return byEnvoy.get(envoy);
  }

  void join(Object envoy, QuotaShare share) {
    byEnvoy.put(envoy, share);
  }

  /**
   * An Envoy that has gone is back on another connection. There it reports all that it used in the
   * meantime, so that nothing needs to be assumed; of several it can only be one.
   */
  void isBack(Predicate<Object> envoy) {
    byEnvoy.entrySet().stream()
        .filter(entry -> entry.getValue().isGone() && envoy.test(entry.getKey()))
        .map(Map.Entry::getKey)
        .findFirst()
        .ifPresent(byEnvoy::remove);
  }

  boolean isEmpty() {
    return byEnvoy.isEmpty() && !asking;
  }

  /** Whether this is the only Envoy. */
  boolean isAlone() {
    return byEnvoy.size() == 1;
  }

  /** Forgets Envoys that do not use the bucket, or have not been heard of for too long. */
  void dropUnused(long now) {
    for (Map.Entry<Object, QuotaShare> entry : Map.copyOf(byEnvoy).entrySet()) {
      QuotaShare share = entry.getValue();
      if (share.isOver(now)) {
        used(share.unreported(now));
        byEnvoy.remove(entry.getKey());
      } else if (share.isUnused(now)) {
        share.tell(ABANDONED, now);
        byEnvoy.remove(entry.getKey());
      }
    }
  }

  /** Requests that were let through, as an Envoy reports. */
  void used(long requests) {
    used = Math.min(Call.MAX_COST, used + requests);
  }

  /**
   * Reserves for the period that begins, and tells the Envoys; completes when that is done, also if
   * it failed.
   *
   * @param lock under which the answer is dealt with
   */
  CompletionStage<Void> renew(long now, Object lock) {
    putRight(now);
    if (asking || byEnvoy.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    asking = true;
    long wanted = shares().mapToLong(QuotaBucket::wanted).sum();
    long had = isFair() ? shares().mapToLong(QuotaShare::has).sum() : 0;
    return reserve(Math.min(Call.MAX_COST, wanted))
        .thenCompose(asked -> orWhatIsLeft(asked, had, MOST_TRIES))
        .thenAccept(
            reserved -> {
              synchronized (lock) {
                decided(reserved, now);
              }
            })
        .handle(
            (done, failure) -> {
              synchronized (lock) {
                asking = false;
                if (failure != null) {
                  failed(failure, now);
                }
              }
              return null;
            });
  }

  private void failed(Throwable failure, long now) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (!(cause instanceof BadQuestion)) {
      faults.accept(cause == null ? failure : cause);
    }
    shares().forEach(share -> share.expire(now));
  }

  /** Whether what each Envoy has is about its part of what all of them ask for. */
  private boolean isFair() {
    long asked = shares().mapToLong(QuotaBucket::wanted).sum();
    long had = shares().mapToLong(QuotaShare::has).sum();
    return shares()
        .allMatch(
            share -> {
              double part = (double) wanted(share) / asked * had;
              return Math.abs(share.has() - part) <= 1 + part * UNFAIR;
            });
  }

  /** An Envoy that has gone goes on with what it has, and no more. */
  private static long wanted(QuotaShare share) {
    return share.isGone() ? share.has() : share.wanted();
  }

  /** A decision, how much was reserved by it, and how much could have been. */
  private record Reserved(Decision decision, long amount, long left) {}

  private CompletionStage<Reserved> reserve(long amount) {
    try {
      return weir.reserveAhead(call.cost(amount))
          .thenApply(ahead -> new Reserved(ahead.decision(), amount, ahead.left()));
    } catch (IllegalArgumentException e) {
      // an entry that a rule takes as cost is no number
      return CompletableFuture.failedFuture(new BadQuestion(String.valueOf(e.getMessage())));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * A refusal tells what is left of the limits that were asked; one that was not may have less, and
   * then says so itself.
   */
  private CompletionStage<Reserved> orWhatIsLeft(Reserved asked, long had, int tries) {
    if (tries == 0 || asked.decision.reason() != Reason.LIMITED) {
      return CompletableFuture.completedFuture(asked);
    }
    long left = asked.left;
    boolean stay = had > 0 && had < asked.amount && had <= left && had >= left * GOOD_ENOUGH;
    long second = stay ? had : Math.min(left, asked.amount - 1);
    return second > 0
        ? reserve(second).thenCompose(again -> orWhatIsLeft(again, had, tries - 1))
        : CompletableFuture.completedFuture(asked);
  }

  private void decided(Reserved reserved, long now) {
    Decision decision = reserved.decision;
    decision.reservation().ifPresent(made -> held.addLast(new Held(made, reserved.amount, now)));
    if (!decision.allowed()) {
      tellAll(NOTHING, now);
    } else if (decision.deciding().isEmpty()) {
      tellAll(ALL, now); // rules in shadow count, and refuse nothing
    } else {
      divide(reserved.amount, now);
    }
  }

  /** Divides by what each asks for; what is too little to be divided goes round. */
  private void divide(long amount, long now) {
    long asked = shares().mapToLong(QuotaBucket::wanted).sum();
    boolean asBefore = isFair() && amount == shares().mapToLong(QuotaShare::has).sum();
    long left = amount;
    int place = 0;
    for (QuotaShare share : List.copyOf(byEnvoy.values())) {
      long part;
      if (amount >= asked) {
        part = wanted(share);
      } else if (asBefore) {
        part = share.has();
      } else {
        part = (long) ((double) wanted(share) / asked * amount);
        part = part == 0 && (place + now) % byEnvoy.size() == 0 ? 1 : part;
      }
      part = Math.min(part, left);
      left -= part;
      place++;
      share.tell(part > 0 ? new Assignment.Share(part) : NOTHING, now);
    }
  }

  private Stream<QuotaShare> shares() {
    return byEnvoy.values().stream();
  }

  private void tellAll(Assignment assignment, long now) {
    shares().forEach(share -> share.tell(assignment, now));
  }

  /** Settles the periods of which all Envoys have reported what they used. */
  private void putRight(long now) {
    long reported = shares().mapToLong(QuotaShare::reportedAt).min().orElse(now);
    while (!held.isEmpty() && held.peekFirst().tick() < Math.min(reported, now)) {
      Held oldest = held.removeFirst();
      boolean last = held.isEmpty() || held.peekFirst().tick() >= reported;
      long later = held.stream().mapToLong(Held::amount).sum();
      long spent = Math.min(used, oldest.amount());
      if (last && used - spent > later) {
        spent = used - later; // more than was reserved: a debt
      }
      used -= spent;
      weir.settle(oldest.reservation(), spent);
    }
  }
}
