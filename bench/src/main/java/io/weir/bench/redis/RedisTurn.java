package io.weir.bench.redis;

/** One turn of a subject: its answers, and the work of Redis for it. */
record RedisTurn(TurnResult answers, RedisUsage work) {
  double perSecond() {
    return answers.calls() * 1e9 / answers.wallNanos();
  }

  /** Share of calls that were refused or not answered. */
  double failed() {
    return (double) answers.failed() / (answers.calls() + answers.failed());
  }

  double p50Micros() {
    return answers.p50Nanos() / 1000.0;
  }

  double p99Micros() {
    return answers.p99Nanos() / 1000.0;
  }

  double clientCpuMicros() {
    return answers.cpuNanos() / 1000.0 / answers.calls();
  }

  double redisCpuMicros() {
    return work.cpuMicros() / answers.calls();
  }

  double scriptMicros() {
    return work.scriptMicros() / answers.calls();
  }
}
