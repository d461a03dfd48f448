package io.weir.rules.file;

import io.weir.rules.Problem;
import io.weir.rules.Problem.Severity;
import io.weir.rules.tree.SourceText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Finds and reads the files of a rule set, within caps on their size and number. */
public final class DocumentFiles {
  private static final int MAX_BYTES = SourceText.MAX_LENGTH;
  private static final int MAX_TOTAL_BYTES = 16 << 20;
  private static final int MAX_FILES = 1000;

  /** Line number for problems of the file as a whole. */
  private static final int WHOLE = 0;

  private DocumentFiles() {}

  /** The texts of all files that could be read, and the problems of the others. */
  public record Content(List<SourceText> documents, List<Problem> problems) {}

  /** Reading a file failed, with the reason. */
  private static final class UnreadableFileException extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient Problem problem;

    UnreadableFileException(Path file, int line, String reason) {
      this.problem = new Problem(Severity.ERROR, file.toString(), line, reason);
    }
  }

  /** Reads a file, or the rule files of a folder in the order of their names. */
  public static Content read(Path fileOrFolder) {
    return read(fileOrFolder, FileSelector.RULES);
  }

  /** Reads a file, or the selected files of a folder in the order of their names. */
  static Content read(Path fileOrFolder, FileSelector which) {
    List<SourceText> documents = new ArrayList<>();
    List<Problem> problems = new ArrayList<>();
    try {
      long together = 0;
      for (Path file : files(fileOrFolder, which)) {
        try {
          SourceText document = document(file);
          documents.add(document);
          together += document.text().length();
        } catch (UnreadableFileException e) {
          problems.add(e.problem);
        }
        if (together > MAX_TOTAL_BYTES) {
          documents.clear();
          throw new UnreadableFileException(
              fileOrFolder, WHOLE, "the files are larger than 16 MiB together");
        }
      }
    } catch (UnreadableFileException e) {
      problems.add(e.problem);
    }
    return new Content(List.copyOf(documents), List.copyOf(problems));
  }

  /** The files to read: the path itself, or the selected files of a folder. */
  private static List<Path> files(Path fileOrFolder, FileSelector which)
      throws UnreadableFileException {
    if (!Files.isDirectory(fileOrFolder)) {
      return List.of(fileOrFolder);
    }
    try (Stream<Path> entries = which.in(fileOrFolder)) {
      List<Path> files = entries.limit(MAX_FILES + 1L).sorted().toList();
      if (files.isEmpty() && !which.problemIfEmpty().isEmpty()) {
        throw new UnreadableFileException(fileOrFolder, WHOLE, which.problemIfEmpty());
      }
      if (files.size() > MAX_FILES) {
        throw new UnreadableFileException(
            fileOrFolder, WHOLE, "the folder holds more than " + MAX_FILES + " files");
      }
      return files;
    } catch (IOException | java.io.UncheckedIOException e) {
      throw new UnreadableFileException(fileOrFolder, WHOLE, "cannot be read: " + e.getMessage());
    }
  }

  private static SourceText document(Path file) throws UnreadableFileException {
    try {
      if (Files.exists(file) && !Files.isRegularFile(file)) {
        throw new UnreadableFileException(file, WHOLE, "this is neither a file nor a folder");
      }
      if (Files.size(file) > MAX_BYTES) {
        throw tooLarge(file);
      }
      try (InputStream in = Files.newInputStream(file)) {
        byte[] bytes = in.readNBytes(MAX_BYTES + 1);
        if (bytes.length > MAX_BYTES) {
          throw tooLarge(file);
        }
        return new SourceText(file.toString(), text(file, bytes));
      }
    } catch (NoSuchFileException e) {
      throw new UnreadableFileException(file, WHOLE, "there is no such file");
    } catch (IOException e) {
      throw new UnreadableFileException(file, WHOLE, "cannot be read: " + e.getMessage());
    }
  }

  private static UnreadableFileException tooLarge(Path file) {
    return new UnreadableFileException(file, WHOLE, "the file is larger than 4 MiB");
  }

  private static String text(Path file, byte[] bytes)
      throws UnreadableFileException, CharacterCodingException {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length);
    CoderResult result =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .decode(in, out, true);
    out.flip();
    if (result.isError()) {
      int line = 1 + (int) out.chars().filter(c -> c == '\n').count();
      throw new UnreadableFileException(file, line, "this is not text in UTF-8");
    }
    return out.length() > 0 && out.charAt(0) == '\uFEFF'
        ? out.subSequence(1, out.length()).toString()
        : out.toString();
  }
}
