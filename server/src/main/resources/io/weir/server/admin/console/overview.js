import { LitElement, css, html, nothing } from "lit";
import { look, scrolling, trouble } from "./look.js";
import { name, names } from "./names.js";
import { Poll } from "./poll.js";
import { count, duration, perSecond, percent, several } from "./words.js";

/** The outcomes of a call under a rule, with their column titles. */
const OUTCOMES = [
  ["allowed", "Allowed"],
  ["denied", "Denied"],
  ["shadow_denied", "Would deny (shadow)"],
  ["degraded_allowed", "Allowed without store"],
  ["degraded_denied", "Denied without store"],
];

/** The number of outcomes next to the rule, visible on any screen. */
const FIRST = 2;

const SOURCES = {
  memory: "memory",
  lease: "leases",
  deny_cache: "cached refusals",
  store: "the store",
  fallback: "fallback",
};

/** The state of the instance and its store, and the decisions of its rules. */
class Overview extends LitElement {
  static styles = [
    look,
    css`
      dl {
        display: grid;
        grid-template-columns: repeat(4, 1fr);
        gap: var(--gap);
        margin: var(--gap) 0;
      }
      /* Seven tiles, the first two columns wide: eight places, which fill the rows at any width. */
      dl > div:first-child {
        grid-column: span 2;
      }
      dl > div:first-child .main {
        font-size: 1.75rem;
        line-height: 1.3;
      }
      @media (max-width: 70rem) {
        dl {
          grid-template-columns: repeat(2, 1fr);
        }
      }
      @media (max-width: 40rem) {
        dl {
          grid-template-columns: 1fr;
        }
        dl > div:first-child {
          grid-column: auto;
        }
      }
      dl > div {
        background: var(--card);
        border: 1px solid var(--line);
        border-radius: var(--round);
        min-width: 0;
        padding: 0.75rem var(--gap);
      }
      dt {
        color: var(--quiet);
        font-size: 0.85rem;
      }
      dd {
        margin: 0;
        min-width: 0;
        overflow-wrap: break-word;
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
    return html`${trouble(this.#poll)} ${answer ? this.#content(answer) : html`<p class="quiet">Loading …</p>`}`;
  }

  #content(now) {
    return html`
      <dl>
        ${this.#refusals(now)} ${this.#traffic(now)} ${Overview.#answers(now)} ${Overview.#instance(now)}
        ${Overview.#store(now.store)} ${Overview.#rulesState(now)} ${Overview.#hotKeys(now)}
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
    const where = html`${now.host ? html`${name(now.host)}, ` : nothing}process ${now.process}`;
    const errors = now.internal_errors
      ? html`<span class="bad">${several(now.internal_errors, "internal error")}: see the log</span>`
      : nothing;
    return Overview.#card(
      "Instance",
      state,
      where,
      `Weir ${now.version}, up ${duration(now.uptime_seconds)}`,
      now.store.shared ? `${several(now.instances, "instance")} share the store` : "single instance: state is in memory",
      errors,
    );
  }

  static #store({ name: store, shared, keys, nodes }) {
    const down = nodes.filter((node) => node.breaker === "open").length;
    const state = !shared
      ? "in memory"
      : down > 0
        ? html`<span class="bad">${down} of ${several(nodes.length, "node")} unavailable</span>`
        : nodes.length > 0
          ? html`<span class="good">available</span>`
          : "not connected yet";
    return Overview.#card("Store", state, shared ? name(store) : nothing, `${several(keys, "key")} in memory`);
  }

  /** The rate of refused calls, and their share of all calls. */
  #refusals({ calls }) {
    const rate = this.#rate(({ calls }) => calls.refused);
    const all = this.#rate(({ calls }) => calls.decided);
    return Overview.#card(
      "Refused",
      rate === undefined
        ? "…"
        : html`<span class=${rate > 0 ? "warn" : "good"}>${perSecond(rate)} a second</span>${rate > 0 ? `, ${percent(rate, all)} of calls` : ""}`,
      `${count(calls.refused)} (${percent(calls.refused, calls.decided)}) of calls since start`,
    );
  }

  #traffic(now) {
    const rate = this.#rate(Overview.#decisions);
    return Overview.#card(
      "Decisions",
      rate === undefined ? "…" : `${perSecond(rate)} a second`,
      `${count(Overview.#decisions(now))} since start`,
      `${several(now.unmatched, "call")} matched no rule`,
      now.bypassed ? `${count(now.bypassed)} bypassed` : nothing,
    );
  }

  /** The increase per second between the last two responses; undefined if they are not of the same process. */
  #rate(number) {
    const { latest, before } = this.#poll;
    if (!before || before.answer.process !== latest.answer.process) {
      return undefined;
    }
    const more = number(latest.answer) - number(before.answer);
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
        ? html`<span class="bad">files invalid for ${duration(stale)}; older rules are in force</span>`
        : "rules up to date",
    );
  }

  static #hotKeys(now) {
    return Overview.#card(
      "Hot keys",
      now.store.shared ? count(now.hot_keys) : "–",
      html`<a href="#/hot-keys">Show hot keys</a>`,
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
              <th scope="col" class="number">Total downtime</th>
            </tr>
          </thead>
          <tbody>
            ${nodes.map(
              (node) => html`<tr>
                <th scope="row"><code>${name(node.node)}</code></th>
                <td>
                  ${node.breaker === "open"
                    ? html`<span class="bad">open (unavailable)</span>`
                    : html`<span class="good">closed (healthy)</span>`}
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
            ${OUTCOMES.slice(0, FIRST).map(Overview.#head)}
            <th scope="col">By</th>
            <th scope="col">Limits</th>
            <th scope="col">Mode</th>
            <th scope="col">Without store</th>
            ${OUTCOMES.slice(FIRST).map(Overview.#head)}
          </tr>
        </thead>
        <tbody>
          ${rules.map((rule) => Overview.#rule(rule))}
        </tbody>
      </table>`,
    );
  }

  static #head([, title]) {
    return html`<th scope="col" class="number">${title}</th>`;
  }

  static #rule(rule) {
    const counted = ([outcome]) => html`<td class="number">${count(rule.decisions[outcome] ?? 0)}</td>`;
    return html`<tr>
      <th scope="row">
        ${name(rule.id)}${rule.description ? html`<br /><span class="quiet">${name(rule.description)}</span>` : nothing}
      </th>
      ${OUTCOMES.slice(0, FIRST).map(counted)}
      <td>${rule.key.length === 0 ? "all calls" : names(rule.key)}</td>
      <td>${rule.limits.map((limit) => html`<div><code>${name(limit)}</code></div>`)}</td>
      <td>${rule.mode}${rule.percent < 100 ? ` for ${rule.percent}%` : ""}</td>
      <td>${rule.on_fail}</td>
      ${OUTCOMES.slice(FIRST).map(counted)}
    </tr>`;
  }
}

customElements.define("weir-overview", Overview);
