// Keys and names, which strangers choose, so that they can be neither misread nor change the text around them.
import { html } from "lit";

/**
 * What cannot be seen, or changes how the rest is seen: controls, also of the direction of writing, characters without a
 * width, unassigned ones, and spaces other than the usual one.
 */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/gu;

function escaped(character) {
  const code = character.codePointAt(0).toString(16).toUpperCase();
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}

/** A name as plain text, for places that take no elements. */
export function plainName(text) {
  return text.replace(UNSEEN, escaped);
}

/** A name by itself: isolated from the text around it, with marks in place of what cannot be seen. */
export function name(text) {
  const pieces = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(UNSEEN)) {
    pieces.push(text.slice(from, index), html`<span class="escape">${escaped(character)}</span>`);
    from = index + character.length;
  }
  return html`<bdi>${pieces}${text.slice(from)}</bdi>`;
}

/** Names in a row. */
export function names(texts) {
  return texts.map((text, i) => html`${i > 0 ? ", " : ""}${name(text)}`);
}

/** A key as the admin API shows it: its parts, or for those who may not see them a hash. */
export function keyName({ dimensions, key, key_hash: hash }) {
  if (key === null) {
    return `#${hash}`;
  }
  if (key.length === 0) {
    return "everybody";
  }
  return key.map((part, i) => {
    const dimension = dimensions[i] ? html`${name(dimensions[i])} = ` : "";
    return html`${i > 0 ? ", " : ""}${dimension}${part === "" ? "(none)" : name(part)}`;
  });
}
