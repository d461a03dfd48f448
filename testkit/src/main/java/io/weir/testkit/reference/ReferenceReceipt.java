package io.weir.testkit.reference;

import java.math.BigInteger;

/**
 * What is remembered of a take so that it can be given back.
 *
 * @param time when a bucket or log was taken from; when the charged window ends
 * @param used the bucket's deficit after the take, in the units of that moment
 */
public record ReferenceReceipt(long time, BigInteger used) {}
