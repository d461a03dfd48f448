package io.weir.control.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditKeyTest {
  private static final int STARTS = 8;

  @TempDir Path folder;

  @Test
  void concurrentFirstStartsAgreeOnOneKey() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(STARTS);
    try {
      for (int round = 0; round < 20; round++) {
        Path file = folder.resolve("round" + round).resolve("audit.key");
        CyclicBarrier barrier = new CyclicBarrier(STARTS);
        List<Future<String>> starts = new ArrayList<>();
        for (int i = 0; i < STARTS; i++) {
          starts.add(
              threads.submit(
                  () -> {
                    barrier.await();
                    return AuditKey.load(file).id();
                  }));
        }
        Set<String> ids = new HashSet<>();
        for (Future<String> start : starts) {
          ids.add(start.get());
        }
        assertThat(ids).containsExactly(AuditKey.load(file).id());
        try (var files = Files.list(file.getParent())) {
          assertThat(files).containsExactly(file);
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
