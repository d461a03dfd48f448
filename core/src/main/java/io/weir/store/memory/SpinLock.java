package io.weir.store.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lock for critical sections of tens of nanoseconds: taking it costs one compare-and-set, like
 * the update of a single bucket. It is a superclass and not a field, so that it is adjacent to the
 * data it guards.
 */
abstract class SpinLock {
  private static final VarHandle LOCKED;

  static {
    try {
      LOCKED = MethodHandles.lookup().findVarHandle(SpinLock.class, "locked", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // through LOCKED
  private volatile int locked;

  final boolean tryLock() {
    return LOCKED.compareAndSet(this, 0, 1);
  }

  final void lock() {
    if (!LOCKED.compareAndSet(this, 0, 1)) {
      spin();
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // a hint, and only a hint
  private void spin() {
    for (int tries = 0; ; tries++) {
      if ((int) LOCKED.getOpaque(this) == 0 && LOCKED.compareAndSet(this, 0, 1)) {
        return;
      }
      if (tries < 50) {
        // A spin-wait hint takes longer than the lock is usually held.
        continue;
      }
      if (tries < 250) {
        Thread.onSpinWait();
      } else {
        // The holder has probably been descheduled.
        Thread.yield();
      }
    }
  }

  final void unlock() {
    LOCKED.setRelease(this, 0);
  }
}
