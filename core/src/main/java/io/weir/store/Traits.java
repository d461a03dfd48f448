package io.weir.store;

import io.weir.OnFail;
import io.weir.Scale;

/**
 * What a pool is beside its limit.
 *
 * @param countDenied whether refusals count
 * @param local whether it is kept in this process, whatever store there is
 * @param subject the dimension that keys begin with
 * @param onFail what to say while the store cannot answer
 * @param localFactor what this instance's share is multiplied by while it decides alone
 * @param lends how many of a bucket's tokens may be out on lease at once
 */
record Traits(
    boolean countDenied,
    boolean local,
    String subject,
    OnFail onFail,
    Scale localFactor,
    long lends) {
  static Traits of(boolean countDenied) {
    return new Traits(countDenied, false, "", OnFail.LOCAL, Scale.ONE, 0);
  }

  Traits keptLocally() {
    return new Traits(countDenied, true, subject, onFail, localFactor, lends);
  }

  Traits about(String dimension) {
    return new Traits(countDenied, local, dimension, onFail, localFactor, lends);
  }

  Traits onFail(OnFail answer, Scale factor) {
    return new Traits(countDenied, local, subject, answer, factor, lends);
  }

  Traits lending(long most) {
    return new Traits(countDenied, local, subject, onFail, localFactor, most);
  }
}
