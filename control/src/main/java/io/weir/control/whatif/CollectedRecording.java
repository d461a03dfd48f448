package io.weir.control.whatif;

/**
 * The recordings of the fleet, merged.
 *
 * @param instances how many instances contributed, this one included
 * @param asked how many instances were live, this one included
 */
public record CollectedRecording(Recording recording, int instances, int asked) {}
