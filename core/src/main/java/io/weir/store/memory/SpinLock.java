package io.weir.store.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lock for what takes tens of nanoseconds: taking it costs one compare-and-set, as the state of a
 * single bucket would. It is a superclass and not a field so that it lies next to what it guards.
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
        // A pause lasts longer than the lock is held.
        continue;
      }
      if (tries < 250) {
        Thread.onSpinWait();
      } else {
        // The holder has probably been taken off its core.
        Thread.yield();
      }
    }
  }

  final void unlock() {
    LOCKED.setRelease(this, 0);
  }
}
