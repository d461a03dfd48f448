package io.weir.control.whatif;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Reason;
import io.weir.time.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Calls recorded in virtual time, for tests. */
final class RecordedTraffic {
  static final ValueHash HASH = ValueHash.of("fleet".getBytes(StandardCharsets.UTF_8));

  final VirtualTime time = new VirtualTime();
  final CallRing ring;

  RecordedTraffic() {
    this(RecordingSettings.DEFAULT);
  }

  RecordedTraffic(RecordingSettings settings) {
    this.ring = new CallRing(settings, HASH, time);
  }

  RecordedTraffic call(Call call) {
    ring.onDecision(call, Decision.unlimited());
    return this;
  }

  RecordedTraffic bypassed(Call call) {
    ring.onDecision(call, Decision.immediate(Reason.BYPASSED, "token"));
    return this;
  }

  static Call byUser(String user) {
    return Call.of("GET", "/v1/items").with("user", user);
  }

  /** Users {@code u0…} with evenly spaced calls. */
  RecordedTraffic users(int users, int callsPerMinute, Duration span) {
    long gap = 60_000_000L / callsPerMinute / users;
    long rounds = span.toNanos() / 1000 / (gap * users);
    for (long round = 0; round < rounds; round++) {
      for (int user = 0; user < users; user++) {
        call(byUser("u" + user));
        time.advanceMicros(gap);
      }
    }
    return this;
  }

  Recording recording() {
    return ring.snapshot(0);
  }
}
