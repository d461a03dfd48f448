package io.weir.control.whatif;

import io.weir.Call;
import io.weir.rule.Match;
import io.weir.rule.PathPattern;
import io.weir.rule.RuleSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Turns recorded calls back into calls that rules can decide. A word that is the hash of a text
 * which the rules name (a segment of a path, a label of a host, a value of an attribute, a tenant)
 * becomes that text, so the rules match as they did. Every other word becomes 16 hex digits: keys
 * stay as distinct as they were.
 */
final class CallDecoder {
  private static final HexFormat HEX = HexFormat.of();

  private final ValueHash hash;
  private final Map<Long, String> texts = new HashMap<>();
  private final Set<String> costs = new LinkedHashSet<>();
  private final Set<String> unreadableCosts = new LinkedHashSet<>();

  CallDecoder(ValueHash hash, Collection<RuleSet> ruleSets) {
    this.hash = hash;
    ruleSets.forEach(this::learn);
  }

  private void learn(RuleSet rules) {
    rules
        .rules()
        .forEach(
            rule -> {
              learn(rule.match());
              rule.except().ifPresent(this::learn);
            });
    rules.tenants().keySet().forEach(this::learn);
    costs.addAll(CallEncoder.costAttributes(rules));
  }

  private void learn(Match match) {
    for (PathPattern pattern : match.paths()) {
      pattern.segments().stream()
          .filter(segment -> !segment.any())
          .forEach(segment -> learn(segment.literal()));
    }
    for (String host : match.hosts()) {
      for (String label : host.split("\\.", -1)) {
        learn(label);
      }
    }
    match.attributes().values().forEach(values -> values.forEach(this::learn));
  }

  private void learn(String text) {
    texts.put(hash.of(text), text);
  }

  /** Attributes that rules take as cost, but that were recorded as hashes and are left out. */
  Set<String> unreadableCosts() {
    return unreadableCosts;
  }

  Call decode(RecordedCall recorded) {
    CallShape shape = recorded.shape();
    long[] words = recorded.words();
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < shape.path(); i++) {
      path.append('/').append(text(words[shape.host() + i]));
    }
    StringBuilder host = new StringBuilder();
    for (int i = 0; i < shape.host(); i++) {
      host.append(i == 0 ? "" : ".").append(text(words[i]));
    }
    Map<String, String> attributes = new LinkedHashMap<>();
    for (int i = 0; i < shape.attributes().size(); i++) {
      CallShape.Attribute attribute = shape.attributes().get(i);
      long word = words[shape.host() + shape.path() + i];
      if (attribute.numeric()) {
        attributes.put(attribute.name(), Long.toString(word));
      } else if (costs.contains(attribute.name())) {
        unreadableCosts.add(attribute.name());
      } else {
        attributes.put(attribute.name(), text(word));
      }
    }
    return Call.of(shape.method(), path.isEmpty() ? "/" : path.toString())
        .host(host.toString())
        .with(attributes)
        .cost(recorded.cost());
  }

  private String text(long word) {
    String text = texts.get(word);
    return text == null ? HEX.toHexDigits(word) : text;
  }
}
