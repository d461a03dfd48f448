package io.weir.control.store;

import java.time.Instant;
import java.util.SortedMap;

/**
 * A version of the rules: the text of the rule documents, as written. It never changes.
 *
 * @param parent the newest version when this one was published; 0 for the first
 * @param sha256 over file names and texts
 * @param whatIf the outcome of replaying recorded calls, as JSON; empty if there is none
 * @param expectation what the author expects, as JSON; empty if nothing was stated
 * @param seq the sequence number of the change that published it
 */
public record Version(
    long number,
    long parent,
    SortedMap<String, String> files,
    String sha256,
    String author,
    String message,
    String whatIf,
    String expectation,
    Instant created,
    long seq) {}
