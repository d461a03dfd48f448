package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.netty.util.Version;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Users of this module get the Netty version it is tested with. Their build does not see the
 * versions that our parent pom manages; it uses Lettuce's own unless this module's pom lists each
 * Netty module.
 */
class NettyVersionTest {
  private static final String LETTUCE = "/META-INF/maven/io.lettuce/lettuce-core/pom.xml";

  /** The Netty modules that a pom brings as dependencies. */
  private static List<String> nettyOf(InputStream pom) throws Exception {
    Element project =
        DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom).getDocumentElement();
    return children(project, "dependencies")
        .flatMap(dependencies -> children(dependencies, "dependency"))
        .filter(dependency -> text(dependency, "groupId").equals("io.netty"))
        .filter(dependency -> !text(dependency, "optional").equals("true"))
        .filter(dependency -> List.of("", "compile", "runtime").contains(text(dependency, "scope")))
        .map(dependency -> text(dependency, "artifactId"))
        .toList();
  }

  private static Stream<Element> children(Element parent, String name) {
    NodeList nodes = parent.getChildNodes();
    return IntStream.range(0, nodes.getLength())
        .mapToObj(nodes::item)
        .filter(node -> node.getNodeName().equals(name))
        .map(Element.class::cast);
  }

  private static String text(Element parent, String name) {
    return children(parent, name).map(Element::getTextContent).findFirst().orElse("").strip();
  }

  @Test
  void everyNettyModuleOfLettuceIsListed() throws Exception {
    try (InputStream lettuce = RedisClient.class.getResourceAsStream(LETTUCE);
        InputStream own = Files.newInputStream(Path.of("pom.xml"))) {
      assertThat(nettyOf(own)).isNotEmpty().containsAll(nettyOf(lettuce));
    }
  }

  @Test
  void allNettyModulesHaveTheDocumentedVersion() throws Exception {
    List<String> versions =
        Version.identify().values().stream().map(Version::artifactVersion).distinct().toList();

    assertThat(versions).hasSize(1);
    assertThat(Files.readString(Path.of("../docs/use/embedding.md")))
        .contains("\"io.netty:netty-bom:" + versions.get(0) + "\"")
        .contains("tested with, " + versions.get(0));
  }
}
