/** What instances count per key while two versions decide, as they send it to the driver. */
@NullMarked
package io.weir.control.rollout.evidence;

import org.jspecify.annotations.NullMarked;
