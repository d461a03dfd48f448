package io.weir.adjust;

/**
 * A kill switch: rules decide in shadow until a time. Blocks and signals are lifted for them.
 *
 * @param span from now on, until its own end
 */
public record KillSwitchControl(KillSwitchScope scope, ControlSpan span) {}
