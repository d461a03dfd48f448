package io.weir.control.whatif;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.weir.control.whatif.WhatIf.Basis;
import io.weir.control.whatif.WhatIf.Change;
import io.weir.control.whatif.WhatIf.Effect;
import io.weir.control.whatif.WhatIf.Group;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The outcome of a what-if as JSON, as versions store it and the admin API answers with it. */
public final class WhatIfCodec {
  private static final JsonFactory JSON = new JsonFactory();

  private WhatIfCodec() {}

  /** The outcome as a JSON object. */
  public static String write(WhatIf whatIf) {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(out)) {
      write(json, whatIf);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toString();
  }

  /** Writes the outcome as a JSON object into a larger document. */
  public static void write(JsonGenerator json, WhatIf whatIf) throws IOException {
    Basis basis = whatIf.basis();
    json.writeStartObject();
    json.writeStringField("from", basis.from().toString());
    json.writeStringField("to", basis.to().toString());
    json.writeNumberField("span_seconds", basis.span().toMillis() / 1000.0);
    json.writeNumberField("recorded_calls", basis.calls());
    json.writeNumberField("callers", basis.callers());
    json.writeNumberField("share", basis.share());
    json.writeNumberField("instances", basis.instances());
    json.writeNumberField("instances_asked", basis.asked());
    json.writeBooleanField("complete", basis.complete());
    json.writeNumberField("refused_keys", whatIf.refusedKeys());
    write(json, whatIf.total());
    write(json, "rules", "rule", whatIf.rules());
    write(json, "routes", "route", whatIf.routes());
    write(json, "tiers", "tier", whatIf.tiers());
    json.writeObjectFieldStart("peaks");
    for (Map.Entry<String, Double> peak : whatIf.peaks().entrySet()) {
      json.writeNumberField(peak.getKey(), peak.getValue());
    }
    json.writeEndObject();
    json.writeArrayFieldStart("notes");
    for (String note : whatIf.notes()) {
      json.writeString(note);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, String field, String name, List<Group> groups)
      throws IOException {
    json.writeArrayFieldStart(field);
    for (Group group : groups) {
      json.writeStartObject();
      json.writeStringField(name, group.name());
      write(json, group.effect());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, Effect effect) throws IOException {
    json.writeNumberField("calls", effect.calls());
    json.writeNumberField("keys", effect.keys());
    write(json, "newly_refused", effect.refused());
    write(json, "newly_admitted", effect.admitted());
  }

  private static void write(JsonGenerator json, String field, Change change) throws IOException {
    json.writeObjectFieldStart(field);
    json.writeNumberField("calls", change.calls());
    json.writeNumberField("keys", change.keys());
    json.writeEndObject();
  }

  /**
   * The outcome in a JSON object. Unknown fields are skipped.
   *
   * @throws IllegalArgumentException if the text is not such an object
   */
  public static WhatIf read(String text) {
    try (JsonParser json = JSON.createParser(text)) {
      require(json.nextToken(), JsonToken.START_OBJECT);
      return readOutcome(json);
    } catch (IOException | java.time.DateTimeException e) {
      throw new IllegalArgumentException("not the outcome of a what-if", e);
    }
  }

  private static WhatIf readOutcome(JsonParser json) throws IOException {
    Instant from = Instant.EPOCH;
    Instant to = Instant.EPOCH;
    long recorded = 0;
    long callers = 0;
    double share = 1;
    int instances = 0;
    int asked = 0;
    boolean complete = true;
    double refusedKeys = 0;
    EffectFields total = new EffectFields();
    List<Group> rules = List.of();
    List<Group> routes = List.of();
    List<Group> tiers = List.of();
    SortedMap<String, Double> peaks = Collections.emptySortedMap();
    List<String> notes = List.of();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String field = json.currentName();
      json.nextToken();
      switch (field) {
        case "from" -> from = Instant.parse(json.getText());
        case "to" -> to = Instant.parse(json.getText());
        case "recorded_calls" -> recorded = json.getLongValue();
        case "callers" -> callers = json.getLongValue();
        case "share" -> share = json.getDoubleValue();
        case "instances" -> instances = json.getIntValue();
        case "instances_asked" -> asked = json.getIntValue();
        case "complete" -> complete = json.getBooleanValue();
        case "refused_keys" -> refusedKeys = json.getDoubleValue();
        case "rules" -> rules = readGroups(json);
        case "routes" -> routes = readGroups(json);
        case "tiers" -> tiers = readGroups(json);
        case "peaks" -> peaks = readShares(json);
        case "notes" -> notes = readTexts(json);
        default -> total.read(json, field);
      }
    }
    require(json.currentToken(), JsonToken.END_OBJECT);
    Basis basis = new Basis(from, to, recorded, callers, share, instances, asked, complete);
    return new WhatIf(basis, total.effect(), rules, routes, tiers, refusedKeys, peaks, notes);
  }

  /** The fields of an effect as they come. */
  private static final class EffectFields {
    private long calls;
    private long keys;
    private Change refused = Change.NONE;
    private Change admitted = Change.NONE;

    void read(JsonParser json, String field) throws IOException {
      switch (field) {
        case "calls" -> calls = json.getLongValue();
        case "keys" -> keys = json.getLongValue();
        case "newly_refused" -> refused = readChange(json);
        case "newly_admitted" -> admitted = readChange(json);
        default -> json.skipChildren();
      }
    }

    Effect effect() {
      return new Effect(calls, keys, refused, admitted);
    }
  }

  private static Change readChange(JsonParser json) throws IOException {
    require(json.currentToken(), JsonToken.START_OBJECT);
    EffectFields fields = new EffectFields();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String field = json.currentName();
      json.nextToken();
      fields.read(json, field);
    }
    return new Change(fields.calls, fields.keys);
  }

  private static List<Group> readGroups(JsonParser json) throws IOException {
    require(json.currentToken(), JsonToken.START_ARRAY);
    List<Group> groups = new ArrayList<>();
    while (json.nextToken() == JsonToken.START_OBJECT) {
      String name = "";
      EffectFields effect = new EffectFields();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String field = json.currentName();
        if (json.nextToken() == JsonToken.VALUE_STRING) {
          name = json.getText();
        } else {
          effect.read(json, field);
        }
      }
      groups.add(new Group(name, effect.effect()));
    }
    require(json.currentToken(), JsonToken.END_ARRAY);
    return List.copyOf(groups);
  }

  private static SortedMap<String, Double> readShares(JsonParser json) throws IOException {
    require(json.currentToken(), JsonToken.START_OBJECT);
    SortedMap<String, Double> shares = new TreeMap<>();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      json.nextToken();
      shares.put(name, json.getDoubleValue());
    }
    return shares;
  }

  private static List<String> readTexts(JsonParser json) throws IOException {
    require(json.currentToken(), JsonToken.START_ARRAY);
    List<String> texts = new ArrayList<>();
    while (json.nextToken() == JsonToken.VALUE_STRING) {
      texts.add(json.getText());
    }
    require(json.currentToken(), JsonToken.END_ARRAY);
    return List.copyOf(texts);
  }

  private static void require(
      @org.jspecify.annotations.Nullable JsonToken found, JsonToken wanted) {
    if (found != wanted) {
      throw new IllegalArgumentException("not the outcome of a what-if");
    }
  }
}
