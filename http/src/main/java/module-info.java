/** Callers, header dialects and problem bodies of HTTP, free of any framework. */
module io.weir.http {
  requires com.nimbusds.jose.jwt;
  requires transitive io.weir;
  requires java.net.http;
  requires static org.jspecify;
  requires org.slf4j;

  exports io.weir.http;
  exports io.weir.http.identity;
}
