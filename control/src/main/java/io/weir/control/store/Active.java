package io.weir.control.store;

/**
 * What is in force.
 *
 * @param version the last version whose rollout was done; 0 if there is none
 * @param rollout the newest rollout; 0 if there is none
 * @param epoch raised whenever one of the two changes
 */
public record Active(long version, long rollout, long epoch) {}
