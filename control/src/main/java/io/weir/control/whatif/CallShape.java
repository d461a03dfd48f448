package io.weir.control.whatif;

import java.util.List;

/**
 * What recorded calls have in common: the method, and the meaning of each of their words. Calls of
 * one kind share it.
 *
 * <p>The words of a call are the labels of its host, the segments of its path, then the values of
 * its attributes. All but numeric attributes are hashes.
 *
 * @param host the number of labels of the host name
 * @param path the number of segments of the path
 */
record CallShape(String method, int host, int path, List<Attribute> attributes) {
  static final int MAX_WORDS = 256;
  static final int MAX_NAME = 128;

  /**
   * An attribute.
   *
   * @param numeric whether the word is the number itself, as a rule takes it as cost
   */
  record Attribute(String name, boolean numeric) {}

  CallShape {
    attributes = List.copyOf(attributes);
    if (host < 0
        || path < 0
        || (long) host + path + attributes.size() > MAX_WORDS
        || method.length() > MAX_NAME
        || attributes.stream().anyMatch(it -> it.name().length() > MAX_NAME)) {
      throw new IllegalArgumentException("a call of more than " + MAX_WORDS + " words");
    }
  }

  int words() {
    return host + path + attributes.size();
  }

  boolean isNumeric(int word) {
    int attribute = word - host - path;
    return attribute >= 0 && attributes.get(attribute).numeric();
  }
}
