package io.weir.testkit.reference;

import java.math.BigInteger;

/**
 * The data of a take that is needed to give it back.
 *
 * @param time when a bucket or log was taken from; when the charged window ends
 * @param used the bucket's deficit after the take, in the units of that moment
 */
public record ReferenceReceipt(long time, BigInteger used) {}
