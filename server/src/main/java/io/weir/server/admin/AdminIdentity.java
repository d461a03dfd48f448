package io.weir.server.admin;

import io.weir.server.config.AdminRole;
import java.util.OptionalLong;

/**
 * The owner of a valid token.
 *
 * @param label names the token in the audit log
 * @param token the id of a stored token; empty for one that is configured or generated
 */
public record AdminIdentity(String label, AdminRole role, OptionalLong token) {}
