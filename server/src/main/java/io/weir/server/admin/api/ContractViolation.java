package io.weir.server.admin.api;

import io.vertx.json.schema.OutputUnit;
import io.vertx.openapi.validation.SchemaValidationException;
import io.vertx.openapi.validation.ValidatorException;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns what the validator finds into a problem that names the field. */
final class ContractViolation {
  /** Keywords that only repeat what a deeper one found. */
  private static final Set<String> WRAPPERS =
      Set.of("properties", "$ref", "items", "anyOf", "additionalProperties");

  private static final Pattern PARAMETER =
      Pattern.compile("(?:query|path|header) parameter ([\\w-]+)");
  private static final Pattern QUOTED = Pattern.compile("\"([^\"]*)\"");
  private static final Pattern EXPECTED = Pattern.compile("Expected (.*)$");
  private static final Pattern INDEX = Pattern.compile("/(\\d+)(?=/|$)");

  private ContractViolation() {}

  static ApiProblemException of(ValidatorException failure) {
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof SchemaValidationException schema) {
      OutputUnit cause = cause(schema.getOutputUnit().getErrors());
      Matcher parameter = PARAMETER.matcher(message);
      return describe(cause, parameter.find() ? parameter.group(1) : field(cause));
    }
    Matcher parameter = PARAMETER.matcher(message);
    String field = parameter.find() ? parameter.group(1) : "";
    return switch (failure.type()) {
      case MISSING_REQUIRED_PARAMETER ->
          ApiProblemException.badField(
              field, field.isEmpty() ? "a body is required" : field + " is required");
      case UNSUPPORTED_VALUE_FORMAT ->
          ApiProblemException.badField("Content-Type", "the media type is not accepted here");
      default ->
          ApiProblemException.badField(
              field, field.isEmpty() ? "the body cannot be read as JSON" : field + " is invalid");
    };
  }

  /** The innermost finding; a property that only {@code additionalProperties} names is unknown. */
  private static OutputUnit cause(List<OutputUnit> errors) {
    return errors.stream()
        .filter(unit -> !WRAPPERS.contains(keyword(unit)))
        .max(Comparator.comparingInt(unit -> unit.getInstanceLocation().split("/").length))
        .orElse(errors.get(errors.size() - 1));
  }

  private static ApiProblemException describe(OutputUnit unit, String field) {
    String error = unit.getError();
    return switch (keyword(unit)) {
      case "required" -> {
        Matcher name = QUOTED.matcher(error);
        String missing = name.find() ? (field.isEmpty() ? "" : field + ".") + name.group(1) : field;
        yield ApiProblemException.badField(missing, missing + " is required");
      }
      case "additionalProperties" ->
          ApiProblemException.badField(field, field + " is not a field of this request");
      case "type" -> {
        Matcher type = EXPECTED.matcher(error);
        yield ApiProblemException.badField(
            field,
            (field.isEmpty() ? "the body" : field)
                + " must be of type "
                + (type.find() ? type.group(1) : "another type"));
      }
      default -> ApiProblemException.badField(field, field + ": " + error);
    };
  }

  private static String keyword(OutputUnit unit) {
    String absolute = unit.getAbsoluteKeywordLocation();
    String location = absolute == null ? unit.getKeywordLocation() : absolute;
    return location.substring(location.lastIndexOf('/') + 1);
  }

  /** {@code #/key/0} as {@code key[0]}. */
  private static String field(OutputUnit unit) {
    String pointer = unit.getInstanceLocation().replaceFirst("^#/?", "");
    String indexed = INDEX.matcher("/" + pointer).replaceAll("[$1]");
    return indexed.substring(1).replace('/', '.').replace("~1", "/").replace("~0", "~");
  }
}
