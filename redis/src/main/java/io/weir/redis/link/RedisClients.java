package io.weir.redis.link;

import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.weir.redis.RedisAddress;
import io.weir.redis.RedisAddress.Node;
import io.weir.redis.RedisEvents;
import io.weir.redis.RedisOptions;
import io.weir.redis.call.CallPurpose;
import io.weir.redis.call.DeadlineQueue;
import io.weir.redis.call.NodeHealth;
import io.weir.redis.call.RecoveryProbe;
import io.weir.redis.call.SchedulingLag;
import io.weir.redis.script.Script;
import io.weir.redis.script.StoreClock;
import io.weir.time.SystemTime;
import io.weir.time.TimeSource;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Opens the runner for the topology of an address, and owns its client, threads and timers. */
public final class RedisClients implements ScriptRunner {
  private final ClientResources resources;
  private final ScheduledExecutorService timer;
  private final DeadlineQueue deadlines;
  private final Runnable clientShutdown;
  private final ScriptRunner runner;
  private final AtomicBoolean closed = new AtomicBoolean();

  private RedisClients(
      RedisOptions options, Supplier<StoreClock> clocks, TimeSource time, RedisEvents events) {
    LettuceConfig.ssl(options.tls()); // reports bad files before anything is started
    boolean cluster = options.address().topology() == RedisAddress.Topology.CLUSTER;
    SchedulingLag lag = new SchedulingLag();
    long tick = SchedulingLag.tickNanos(options.timeout());
    this.resources =
        cluster
            ? LettuceConfig.clusterResources(loop -> lag.measure(loop, tick))
            : LettuceConfig.resources(loop -> lag.measure(loop, tick));
    this.timer = timer();
    this.deadlines = new DeadlineQueue(options.timeout(), lag);
    NodeHealth.Context context =
        new NodeHealth.Context(
            events, time, deadlines.timeoutNanos(), RecoveryProbe.Timer.on(timer), lag);
    if (cluster) {
      RedisClusterClient client =
          RedisClusterClient.create(
              resources,
              options.address().nodes().stream()
                  .map(node -> LettuceConfig.uri(options, node))
                  .toList());
      client.setOptions(LettuceConfig.cluster(options));
      this.clientShutdown = () -> client.shutdown(0, 1, TimeUnit.SECONDS);
      String addresses =
          options.address().nodes().stream().map(Node::toString).collect(Collectors.joining(","));
      this.runner = new ClusterRunner(addresses, client, context, deadlines, timer, clocks);
    } else {
      RedisClient client = RedisClient.create(resources);
      client.setOptions(LettuceConfig.node(options));
      this.clientShutdown = () -> client.shutdown(0, 1, TimeUnit.SECONDS);
      this.runner = ofNodes(client, options, clocks, context);
    }
  }

  /** The runner for an address, with the kind of clock in the options. */
  public static ScriptRunner open(RedisOptions options, TimeSource time, RedisEvents events) {
    return new RedisClients(
        options,
        options.clock() == RedisOptions.Clock.STORE
            ? () -> StoreClock.OF_REDIS
            : () -> new OffsetClock(time),
        time,
        events);
  }

  /** The runner for an address, with this clock. */
  public static ScriptRunner open(RedisOptions options, StoreClock clock) {
    return new RedisClients(options, () -> clock, SystemTime.INSTANCE, RedisEvents.NONE);
  }

  private ScriptRunner ofNodes(
      RedisClient client,
      RedisOptions options,
      Supplier<StoreClock> clocks,
      NodeHealth.Context context) {
    RedisAddress address = options.address();
    if (address.topology() == RedisAddress.Topology.SENTINEL) {
      StoreClock clock = clocks.get();
      return new NodeRunner(
          address.master(),
          context,
          deadlines,
          clock,
          node ->
              new PrimaryConnection(
                  node, client, LettuceConfig.sentinelUri(options), timer, clock));
    }
    List<NodeRunner> nodes =
        address.nodes().stream()
            .map(node -> node(client, options, node, clocks.get(), context))
            .toList();
    return nodes.size() == 1
        ? nodes.get(0)
        : new RingRunner(new Ring(address.nodes().stream().map(Node::toString).toList()), nodes);
  }

  private NodeRunner node(
      RedisClient client,
      RedisOptions options,
      Node node,
      StoreClock clock,
      NodeHealth.Context context) {
    return new NodeRunner(
        node.toString(),
        context,
        deadlines,
        clock,
        health ->
            new PrimaryConnection(health, client, LettuceConfig.uri(options, node), timer, clock));
  }

  private static ScheduledExecutorService timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "weir-redis-timer");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  @Override
  public int groupOf(byte[] key) {
    return runner.groupOf(key);
  }

  @Override
  public CompletionStage<byte[]> run(
      CallPurpose purpose, Script script, byte[][] keys, byte[] args) {
    return runner.run(purpose, script, keys, args);
  }

  @Override
  public boolean isUnavailable(byte[] key) {
    return runner.isUnavailable(key);
  }

  @Override
  public CompletionStage<Void> connected() {
    return runner.connected();
  }

  @Override
  public CompletionStage<Void> anyConnected() {
    return runner.anyConnected();
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    runner.close();
    timer.shutdownNow();
    deadlines.close();
    clientShutdown.run();
    LettuceConfig.close(resources);
  }
}
