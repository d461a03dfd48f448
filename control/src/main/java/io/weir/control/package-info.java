/**
 * The control plane's storage: what operators change (rule versions, overrides, blocks, tenants,
 * tokens) in H2 or PostgreSQL, the audit log of those changes, and their way to every instance.
 */
@NullMarked
package io.weir.control;

import org.jspecify.annotations.NullMarked;
