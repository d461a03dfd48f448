package io.weir.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The JSON schema that editors use, and its errors for a document in YAML or JSON. */
final class RuleSchema {
  private static final JsonNode TREE = read();
  private static final JsonSchema SCHEMA =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V7).getSchema(TREE);

  private RuleSchema() {}

  private static JsonNode read() {
    try (InputStream in =
        RuleDocuments.class.getResourceAsStream("/io/weir/rules/rules.schema.json")) {
      return new ObjectMapper().readTree(Objects.requireNonNull(in));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The schema itself. */
  static JsonNode tree() {
    return TREE;
  }

  /** The errors that an editor would underline. */
  static List<String> errors(String document) {
    Object value = new Load(LoadSettings.builder().build()).loadFromString(document);
    return SCHEMA.validate(new ObjectMapper().valueToTree(withTextKeys(value))).stream()
        .map(ValidationMessage::getMessage)
        .toList();
  }

  /** JSON has only text keys; a tenant may be named 42 in YAML. */
  private static Object withTextKeys(Object value) {
    if (value instanceof Map<?, ?> map) {
      Map<String, Object> texts = new LinkedHashMap<>();
      map.forEach((key, inner) -> texts.put(String.valueOf(key), withTextKeys(inner)));
      return texts;
    }
    return value instanceof List<?> list
        ? list.stream().map(RuleSchema::withTextKeys).toList()
        : value;
  }
}
