package io.weir.server.admin.api;

import java.util.List;

/** Routes of one subject. */
interface ApiRoutes {
  List<ApiRoute> routes();
}
