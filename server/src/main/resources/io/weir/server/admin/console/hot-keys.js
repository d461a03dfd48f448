import { LitElement, css, html, nothing } from "lit";
import { look, scrolling, trouble } from "./look.js";
import { keyName, name, plainName } from "./names.js";
import { Poll } from "./poll.js";
import { count, several } from "./words.js";

/** The place of a change, as text. */
const PLACES = {
  rule: (rule) => html`in the rule <code>${name(rule)}</code>:`,
  limit: (rule) => html`in that limit of <code>${name(rule)}</code>:`,
  store: () => html`in <code>weir.yaml</code>, under <code>store</code>:`,
};

/** The keys with the most calls on this instance, and suggestions for keys that load the store. */
class HotKeys extends LitElement {
  static styles = [
    look,
    css`
      article {
        background: var(--warn-card);
        border: 1px solid var(--warn);
        border-radius: var(--round);
        padding: var(--gap);
        margin-top: 0.75rem;
      }
      ol {
        margin: 0.5rem 0 0;
        padding-inline-start: 1.5rem;
      }
      pre {
        background: var(--code);
        border: 1px solid var(--line);
        border-radius: calc(0.5 * var(--round));
        margin: 0.3rem 0 0.6rem;
        padding: 0.4rem 0.75rem;
        white-space: pre-wrap;
        user-select: all;
      }
      progress {
        width: 4rem;
        vertical-align: middle;
        accent-color: var(--accent);
      }
    `,
  ];

  #poll = new Poll(this, "hot-keys?top=50");

  render() {
    const answer = this.#poll.latest?.answer;
    return html`${trouble(this.#poll)} ${answer ? this.#content(answer) : html`<p class="quiet">Loading …</p>`}`;
  }

  #content({ watched, keys, hot_from_per_second: hotFrom }) {
    if (!watched) {
      return html`<p>
        This instance keeps its state in memory, so no key can overload a node of a store. Hot keys are detected only with
        a shared store.
      </p>`;
    }
    const suggestions = HotKeys.#suggestions(keys);
    return html`
      <p class="quiet">
        Keys with the most calls on this instance in the last full 10-second window. Hot = ${count(hotFrom)} calls/s or
        more.
      </p>
      <h2>Suggestions</h2>
      <p role="status">
        ${suggestions.length === 0
          ? "None: no key causes that many store calls."
          : `${several(suggestions.length, "rule")} would benefit from a change.`}
      </p>
      ${suggestions.map((key) => HotKeys.#suggestion(key))}
      <h2>Keys</h2>
      ${keys.length === 0 ? html`<p>No calls yet.</p>` : HotKeys.#table(keys)}
    `;
  }

  /** One per limit of a rule, for its hottest key: those for shards and further keys are the same. */
  static #suggestions(keys) {
    const byLimit = new Map();
    for (const key of keys) {
      const limit = JSON.stringify([key.rule, key.limit]);
      if (key.suggestion !== null && !byLimit.has(limit)) {
        byLimit.set(limit, key);
      }
    }
    return [...byLimit.values()];
  }

  static #suggestion(key) {
    return html`<article aria-label="Suggestion for the rule ${plainName(key.rule)}">
      <h3>Rule <code>${name(key.rule)}</code></h3>
      <p>
        One key, <code>${keyName(key)}</code>, causes about ${count(key.store_per_second)} store calls/s on this instance.
        ${key.changes.length > 1 ? "One of these changes is enough:" : "This change would help:"}
      </p>
      <ol>
        ${key.changes.map(
          (change) => html`<li>
            ${plainName(HotKeys.#sentence(change.words))} Write ${PLACES[change.place](key.rule)}
            <pre><code>${name(change.line)}</code></pre>
          </li>`,
        )}
      </ol>
    </article>`;
  }

  /** Turns part of a sentence into a sentence; the name of a setting keeps its spelling. */
  static #sentence(words) {
    return `${words.startsWith("where ") ? `W${words.slice(1)}` : words}.`;
  }

  static #table(keys) {
    return scrolling(
      "Keys",
      html`<table>
        <caption>
          ${keys[0].key === null ? "Only operators see the keys themselves." : "Most calls first."}
        </caption>
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col">Key</th>
            <th scope="col" class="number">Calls/s</th>
            <th scope="col" class="number">Store calls/s</th>
            <th scope="col">Share of all calls</th>
            <th scope="col">State</th>
            <th scope="col">Accuracy</th>
            <th scope="col" class="number">Shards</th>
          </tr>
        </thead>
        <tbody>
          ${keys.map((key) => HotKeys.#row(key))}
        </tbody>
      </table>`,
    );
  }

  static #row(key) {
    return html`<tr>
      <th scope="row">
        ${name(key.rule)}${key.limit === key.rule ? nothing : html`<br /><span class="quiet">${name(key.limit)}</span>`}
      </th>
      <td><code>${keyName(key)}</code></td>
      <td class="number">${count(key.per_second)}</td>
      <td class="number">${count(key.store_per_second)}</td>
      <td class="whole">
        <progress max="100" .value=${key.share_percent} aria-hidden="true"></progress>
        ${key.share_percent}%
      </td>
      <td>${HotKeys.#state(key)}</td>
      <td>${key.accuracy ?? "–"}</td>
      <td class="number">${key.shards}</td>
    </tr>`;
  }

  static #state({ hot, leased, suggestion }) {
    if (suggestion !== null) {
      return html`<span class="bad">hot, loads the store</span>`;
    }
    const memory = leased ? ", leased" : "";
    return hot ? html`<span class="warn">hot${memory}</span>` : html`<span class="quiet">normal${memory}</span>`;
  }
}

customElements.define("weir-hot-keys", HotKeys);
