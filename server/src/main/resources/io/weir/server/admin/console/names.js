// Renders keys and names, which come from untrusted callers, so that they cannot be misread or change the text around
// them.
import { html } from "lit";

/**
 * Characters that are invisible or change how others are displayed: control characters, including those for the writing
 * direction, characters of zero width, unassigned ones, and spaces other than U+0020.
 */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/gu;

function escaped(character) {
  const code = character.codePointAt(0).toString(16).toUpperCase();
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}

/** A name as plain text, for places that cannot contain elements. */
export function plainName(text) {
  return text.replace(UNSEEN, escaped);
}

/** A name isolated from the text around it, with invisible characters escaped. */
export function name(text) {
  const pieces = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(UNSEEN)) {
    pieces.push(text.slice(from, index), html`<span class="escape">${escaped(character)}</span>`);
    from = index + character.length;
  }
  return html`<bdi>${pieces}${text.slice(from)}</bdi>`;
}

/** A list of names. */
export function names(texts) {
  return texts.map((text, i) => html`${i > 0 ? ", " : ""}${name(text)}`);
}

/** A key from the admin API: its parts, or a hash for viewers. */
export function keyName({ dimensions, key, key_hash: hash }) {
  if (key === null) {
    return `#${hash}`;
  }
  if (key.length === 0) {
    return "all calls";
  }
  return key.map((part, i) => {
    const dimension = dimensions[i] ? html`${name(dimensions[i])} = ` : "";
    return html`${i > 0 ? ", " : ""}${dimension}${part === "" ? "(none)" : name(part)}`;
  });
}
