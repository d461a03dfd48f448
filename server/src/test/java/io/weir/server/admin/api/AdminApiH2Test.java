package io.weir.server.admin.api;

import io.weir.control.database.DatabaseSettings;

/** The admin API on the embedded database. */
class AdminApiH2Test extends AdminApiContract {
  @Override
  DatabaseSettings settings() {
    return ApiServer.h2(folder);
  }
}
