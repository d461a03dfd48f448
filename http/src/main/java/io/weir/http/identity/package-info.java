/** Identifies callers: client addresses behind proxies, API keys and signed tokens. */
@NullMarked
package io.weir.http.identity;

import org.jspecify.annotations.NullMarked;
