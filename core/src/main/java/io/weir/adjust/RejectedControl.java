package io.weir.adjust;

/**
 * An override that this instance cannot apply. The rule's own limits hold for the key.
 *
 * @param id the override
 * @param reason such as a rule that does not exist, or a limit of another algorithm
 */
public record RejectedControl(long id, String reason) {}
