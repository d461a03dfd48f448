import { css, html, nothing } from "lit";
import "./scroller.js";

/** Styles shared by all views. */
export const look = css`
  :host {
    display: block;
  }
  h2 {
    font-size: 1.1rem;
    margin: calc(1.5 * var(--gap)) 0 calc(0.5 * var(--gap));
  }
  h3 {
    font-size: 1rem;
    margin: 0;
  }
  p {
    margin: 0.4rem 0;
    max-width: 75ch;
  }
  a {
    color: var(--accent);
  }
  code {
    font-family: var(--mono);
    font-size: 0.9em;
    overflow-wrap: anywhere;
  }
  :focus-visible {
    outline: 3px solid var(--accent);
    outline-offset: 2px;
  }
  .quiet {
    color: var(--quiet);
  }
  .good {
    color: var(--good);
  }
  .warn {
    color: var(--warn);
    font-weight: 600;
  }
  .bad {
    color: var(--bad);
    font-weight: 600;
  }
  .problem {
    background: var(--bad-card);
    border: 1px solid var(--bad);
    border-radius: var(--round);
    padding: 0.5rem var(--gap);
  }
  table {
    border-collapse: collapse;
    width: 100%;
  }
  caption {
    text-align: start;
    padding: 0.6rem var(--gap);
    color: var(--quiet);
  }
  th,
  td {
    text-align: start;
    vertical-align: top;
    padding: 0.5rem var(--gap);
    border-top: 1px solid var(--line);
    overflow-wrap: break-word;
    max-width: 24rem;
  }
  td code,
  th code {
    overflow-wrap: break-word;
  }
  th[scope="row"] code {
    white-space: nowrap; /* keeps addresses on one line */
  }
  .escape {
    font-family: var(--mono);
    font-size: 0.85em;
    color: var(--warn);
    background: var(--warn-card);
    border: 1px solid var(--warn);
    border-radius: 0.2em;
    padding: 0 0.2em;
    margin: 0 0.1em;
  }
  thead th {
    color: var(--quiet);
    font-size: 0.85rem;
    vertical-align: bottom;
  }
  th[scope="row"] {
    min-width: 8rem;
  }
  th .quiet {
    font-weight: 400;
  }
  .number {
    text-align: end;
    font-variant-numeric: tabular-nums;
  }
  td.number,
  td.whole {
    white-space: nowrap;
  }
  @media (max-width: 40rem) {
    caption,
    th,
    td {
      padding-inline: 0.6rem;
    }
    th[scope="row"] {
      min-width: 6rem;
    }
  }
`;

/** Reports why the data shown may be old. */
export function trouble(poll) {
  return html`<div role="alert">
    ${poll.problem ? html`<p class="problem">Not up to date: ${poll.problem}.</p>` : nothing}
  </div>`;
}

/** A table with its own horizontal scrolling. */
export function scrolling(label, table) {
  return html`<weir-scroller label=${label}>${table}</weir-scroller>`;
}
