import { LitElement, css, html, nothing } from "lit";
import { look, scrolling, trouble } from "./look.js";
import { Poll } from "./poll.js";
import { count, duration, perSecond, percent, several } from "./words.js";

/** What can come of a call under a rule, and how it is headed. */
const OUTCOMES = [
  ["allowed", "Allowed"],
  ["denied", "Denied"],
  ["shadow_denied", "Would deny (shadow)"],
  ["degraded_allowed", "Allowed without store"],
  ["degraded_denied", "Denied without store"],
];

const SOURCES = {
  memory: "memory",
  lease: "leases",
  deny_cache: "known refusals",
  store: "the store",
  fallback: "fallback",
};

/** How the instance and its store are, and what its rules have decided. */
class Overview extends LitElement {
  static styles = [
    look,
    css`
      dl {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr));
        gap: var(--gap);
        margin: var(--gap) 0;
      }
      dl > div {
        background: var(--card);
        border: 1px solid var(--line);
        border-radius: var(--round);
        padding: 0.75rem var(--gap);
      }
      dt {
        color: var(--quiet);
        font-size: 0.85rem;
      }
      dd {
        margin: 0;
        overflow-wrap: anywhere;
      }
      dd.main {
        font-size: 1.25rem;
        font-weight: 600;
      }
    `,
  ];

  #poll = new Poll(this, "overview");

  render() {
    const answer = this.#poll.latest?.answer;
    return html`${trouble(this.#poll)} ${answer ? this.#content(answer) : html`<p class="quiet">Asking …</p>`}`;
  }

  #content(now) {
    return html`
      <dl>
        ${Overview.#instance(now)} ${Overview.#store(now.store)} ${this.#traffic(now)} ${Overview.#answers(now)}
        ${Overview.#rulesState(now)} ${Overview.#hotKeys(now)}
      </dl>
      ${now.store.nodes.length > 0 ? Overview.#nodes(now.store.nodes) : nothing}
      <h2>Rules</h2>
      ${now.rules.length === 0 ? html`<p>None.</p>` : Overview.#rules(now.rules)}
    `;
  }

  static #card(name, main, ...rest) {
    return html`<div>
      <dt>${name}</dt>
      <dd class="main">${main}</dd>
      ${rest.map((line) => html`<dd class="quiet">${line}</dd>`)}
    </div>`;
  }

  static #instance(now) {
    const state = html`<span class=${now.state === "ready" ? "good" : "warn"}>${now.state}</span>`;
    const where = `${now.host ? `${now.host}, ` : ""}process ${now.process}`;
    const errors = now.internal_errors
      ? html`<span class="bad">${several(now.internal_errors, "internal error")}: see the log</span>`
      : nothing;
    return Overview.#card(
      "Instance",
      state,
      where,
      `Weir ${now.version}, up ${duration(now.uptime_seconds)}`,
      now.store.shared ? `${several(now.instances, "instance")} on its store` : "alone: state is in memory",
      errors,
    );
  }

  static #store({ name, shared, keys, nodes }) {
    const away = nodes.filter((node) => node.breaker === "open").length;
    const state = !shared
      ? "in memory"
      : away > 0
        ? html`<span class="bad">${away} of ${several(nodes.length, "node")} away</span>`
        : nodes.length > 0
          ? html`<span class="good">answers</span>`
          : "not heard yet";
    return Overview.#card("Store", state, shared ? name : nothing, `${several(keys, "key")} in memory`);
  }

  #traffic(now) {
    const rate = this.#rate();
    return Overview.#card(
      "Decisions",
      rate === undefined ? "…" : `${perSecond(rate)} a second`,
      `${count(Overview.#decisions(now))} since start`,
      `${count(now.unmatched)} of calls without a rule`,
      now.bypassed ? `${count(now.bypassed)} bypassed` : nothing,
    );
  }

  /** Between the last two answers; undefined if there were no two, or another process gave them. */
  #rate() {
    const { latest, before } = this.#poll;
    if (!before || before.answer.process !== latest.answer.process) {
      return undefined;
    }
    const more = Overview.#decisions(latest.answer) - Overview.#decisions(before.answer);
    return Math.max(0, (1000 * more) / (latest.at - before.at));
  }

  static #decisions({ answers, unmatched, bypassed }) {
    return Object.values(answers).reduce((sum, one) => sum + one, 0) + unmatched + bypassed;
  }

  static #answers({ answers }) {
    const all = Object.values(answers).reduce((sum, one) => sum + one, 0);
    const near = answers.memory + answers.lease + answers.deny_cache;
    const rest = Object.entries(SOURCES)
      .filter(([source]) => answers[source] > 0)
      .map(([source, name]) => `${percent(answers[source], all)} by ${name}`);
    return Overview.#card("Answered from memory", percent(near, all), ...rest);
  }

  static #rulesState(now) {
    const stale = now.rules_stale_seconds;
    return Overview.#card(
      "Rules",
      several(now.rules.length, "rule"),
      `version ${now.rules_version} since start`,
      stale > 0
        ? html`<span class="bad">what is written is invalid for ${duration(stale)}; older rules are in use</span>`
        : "what is written is in use",
    );
  }

  static #hotKeys(now) {
    return Overview.#card(
      "Hot keys",
      now.store.shared ? count(now.hot_keys) : "–",
      html`<a href="#/hot-keys">which, and what would help</a>`,
    );
  }

  static #nodes(nodes) {
    return html`<h2>Nodes of the store</h2>
      ${scrolling(
        "Nodes of the store",
        html`<table>
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">Breaker</th>
              <th scope="col" class="number">Time without it, in all</th>
            </tr>
          </thead>
          <tbody>
            ${nodes.map(
              (node) => html`<tr>
                <th scope="row"><code>${node.node}</code></th>
                <td>
                  ${node.breaker === "open"
                    ? html`<span class="bad">open: it is not asked</span>`
                    : html`<span class="good">closed: it is asked</span>`}
                </td>
                <td class="number">${duration(node.degraded_seconds)}</td>
              </tr>`,
            )}
          </tbody>
        </table>`,
      )}`;
  }

  static #rules(rules) {
    return scrolling(
      "Rules",
      html`<table>
        <caption>
          Decisions since start.
        </caption>
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col">By</th>
            <th scope="col">Limits</th>
            <th scope="col">Mode</th>
            <th scope="col">Without store</th>
            ${OUTCOMES.map(([, title]) => html`<th scope="col" class="number">${title}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rules.map((rule) => Overview.#rule(rule))}
        </tbody>
      </table>`,
    );
  }

  static #rule(rule) {
    return html`<tr>
      <th scope="row">
        ${rule.id}${rule.description ? html`<br /><span class="quiet">${rule.description}</span>` : nothing}
      </th>
      <td>${rule.key.length === 0 ? "everybody" : rule.key.join(", ")}</td>
      <td>${rule.limits.map((limit) => html`<div><code>${limit}</code></div>`)}</td>
      <td>${rule.mode}${rule.percent < 100 ? ` for ${rule.percent}%` : ""}</td>
      <td>${rule.on_fail}</td>
      ${OUTCOMES.map(([outcome]) => html`<td class="number">${count(rule.decisions[outcome] ?? 0)}</td>`)}
    </tr>`;
  }
}

customElements.define("weir-overview", Overview);
