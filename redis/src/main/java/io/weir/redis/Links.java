package io.weir.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.weir.redis.RedisAddress.Node;
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

/** Opens the way to whatever stands at an address, with everything that belongs to it. */
final class Links implements Link {
  private final ClientResources resources;
  private final ScheduledExecutorService timer;
  private final Deadlines deadlines;
  private final Runnable clientShutdown;
  private final Link link;
  private final AtomicBoolean closed = new AtomicBoolean();

  private Links(
      RedisOptions options, Supplier<StoreClock> clocks, TimeSource time, RedisEvents events) {
    Lettuce.ssl(options.tls()); // bad files are told before anything runs that would have to end
    boolean cluster = options.address().topology() == RedisAddress.Topology.CLUSTER;
    SchedulingLag lag = new SchedulingLag();
    long tick = SchedulingLag.tickNanos(options.timeout());
    this.resources =
        cluster
            ? Lettuce.clusterResources(loop -> lag.measure(loop, tick))
            : Lettuce.resources(loop -> lag.measure(loop, tick));
    this.timer = timer();
    this.deadlines = new Deadlines(options.timeout(), lag);
    NodeWatch.Circle circle =
        new NodeWatch.Circle(events, time, deadlines.timeoutNanos(), Recovery.Timer.on(timer), lag);
    if (cluster) {
      RedisClusterClient client =
          RedisClusterClient.create(
              resources,
              options.address().nodes().stream().map(node -> Lettuce.uri(options, node)).toList());
      client.setOptions(Lettuce.cluster(options));
      this.clientShutdown = () -> client.shutdown(0, 1, TimeUnit.SECONDS);
      String addresses =
          options.address().nodes().stream().map(Node::toString).collect(Collectors.joining(","));
      this.link = new ClusterLink(addresses, client, circle, deadlines, timer, clocks);
    } else {
      RedisClient client = RedisClient.create(resources);
      client.setOptions(Lettuce.node(options));
      this.clientShutdown = () -> client.shutdown(0, 1, TimeUnit.SECONDS);
      this.link = ofNodes(client, options, clocks, circle);
    }
  }

  /** The way to an address, on a clock of the kind that the options name. */
  static Link open(RedisOptions options, TimeSource time, RedisEvents events) {
    return new Links(
        options,
        options.clock() == RedisOptions.Clock.STORE
            ? () -> StoreClock.OF_REDIS
            : () -> new OffsetClock(time),
        time,
        events);
  }

  /** The way to an address, on this clock. */
  static Link open(RedisOptions options, StoreClock clock) {
    return new Links(options, () -> clock, SystemTime.INSTANCE, RedisEvents.NONE);
  }

  private Link ofNodes(
      RedisClient client,
      RedisOptions options,
      Supplier<StoreClock> clocks,
      NodeWatch.Circle circle) {
    RedisAddress address = options.address();
    if (address.topology() == RedisAddress.Topology.SENTINEL) {
      StoreClock clock = clocks.get();
      return new NodeLink(
          address.master(),
          circle,
          deadlines,
          clock,
          node -> new Primary(node, client, Lettuce.sentinelUri(options), timer, clock));
    }
    List<NodeLink> nodes =
        address.nodes().stream()
            .map(node -> node(client, options, node, clocks.get(), circle))
            .toList();
    return nodes.size() == 1
        ? nodes.get(0)
        : new RingLink(new Ring(address.nodes().stream().map(Node::toString).toList()), nodes);
  }

  private NodeLink node(
      RedisClient client,
      RedisOptions options,
      Node node,
      StoreClock clock,
      NodeWatch.Circle circle) {
    return new NodeLink(
        node.toString(),
        circle,
        deadlines,
        clock,
        watch -> new Primary(watch, client, Lettuce.uri(options, node), timer, clock));
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
    return link.groupOf(key);
  }

  @Override
  public CompletionStage<byte[]> run(Purpose purpose, Script script, byte[][] keys, byte[] args) {
    return link.run(purpose, script, keys, args);
  }

  @Override
  public boolean isAway(byte[] key) {
    return link.isAway(key);
  }

  @Override
  public CompletionStage<Void> connected() {
    return link.connected();
  }

  @Override
  public CompletionStage<Void> anyConnected() {
    return link.anyConnected();
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    link.close();
    timer.shutdownNow();
    deadlines.close();
    clientShutdown.run();
    Lettuce.close(resources);
  }
}
