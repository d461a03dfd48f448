/** The Lua scripts, their arguments and their replies. */
@NullMarked
package io.weir.redis.script;

import org.jspecify.annotations.NullMarked;
