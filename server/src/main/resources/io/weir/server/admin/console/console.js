import { LitElement, css, html } from "lit";
import { isSignedIn, signOut, takeFromAddress } from "./api.js";
import { look } from "./look.js";
import "./hot-keys.js";
import "./overview.js";
import "./sign-in.js";

/** The views, by the part of the address after `#/`. The first is the default. */
const VIEWS = {
  overview: { title: "Overview", content: html`<weir-overview></weir-overview>` },
  "hot-keys": { title: "Hot keys", content: html`<weir-hot-keys></weir-hot-keys>` },
};

/** The frame of the console: sign-in, navigation and the current view. */
class Console extends LitElement {
  static properties = {
    view: { state: true },
    signedIn: { state: true },
    note: { state: true },
  };

  static styles = [
    look,
    css`
      header {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.25rem calc(1.5 * var(--gap));
        padding: 0.6rem calc(1.5 * var(--gap));
        background: var(--card);
        border-bottom: 1px solid var(--line);
      }
      .host {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .brand {
        font-weight: 700;
        font-size: 1.1rem;
      }
      nav {
        display: flex;
        gap: var(--gap);
        flex: 1 0 auto;
      }
      nav a {
        color: var(--quiet);
        text-decoration: none;
        white-space: nowrap;
        padding: 0.25rem 0;
        border-bottom: 3px solid transparent;
      }
      nav a:hover {
        color: var(--ink);
      }
      nav a[aria-current="page"] {
        color: var(--ink);
        font-weight: 600;
        border-color: var(--accent);
      }
      button {
        font: inherit;
        color: var(--accent);
        background: none;
        border: 1px solid var(--line);
        border-radius: calc(0.5 * var(--round));
        padding: 0.25rem 0.75rem;
        white-space: nowrap;
        cursor: pointer;
      }
      main {
        max-width: 76rem;
        margin: 0 auto;
        padding: var(--gap) calc(1.5 * var(--gap)) calc(3 * var(--gap));
      }
      main:focus {
        outline: none;
      }
      h1 {
        font-size: 1.4rem;
        margin: 0 0 0.5rem;
      }
      @media (max-width: 40rem) {
        header {
          gap: 0.25rem var(--gap);
          padding-inline: var(--gap);
        }
        .host {
          display: none; /* shown in the address bar */
        }
        main {
          padding-inline: var(--gap);
        }
      }
    `,
  ];

  constructor() {
    super();
    this.note = "";
    this.#arrive();
    addEventListener("hashchange", () => {
      this.#arrive();
      this.updateComplete.then(() => this.renderRoot.querySelector("main")?.focus());
    });
    this.addEventListener("signed-in", () => this.#turn(true));
    this.addEventListener("signed-out", () => this.#turn(false, "The token is no longer valid."));
  }

  /** Shows the view in the address. A token in the address replaces the current sign-in. */
  #arrive() {
    const token = takeFromAddress();
    if (token) {
      this.#turn(false);
      this.updateComplete.then(() => this.renderRoot.querySelector("weir-sign-in").use(token));
    } else {
      this.signedIn = isSignedIn();
    }
    const [, name] = /^#\/([a-z-]+)$/.exec(location.hash) ?? [];
    this.view = Object.hasOwn(VIEWS, name ?? "") ? name : Object.keys(VIEWS)[0];
  }

  #turn(signedIn, note = "") {
    if (!signedIn) {
      signOut();
    }
    this.signedIn = signedIn;
    this.note = note;
  }

  updated() {
    document.title = this.signedIn ? `${VIEWS[this.view].title} · Weir` : "Weir";
  }

  render() {
    if (!this.signedIn) {
      return html`<weir-sign-in .note=${this.note}></weir-sign-in>`;
    }
    const { title, content } = VIEWS[this.view];
    return html`
      <header>
        <span class="brand">Weir</span>
        <nav aria-label="Views">
          ${Object.entries(VIEWS).map(
            ([name, view]) =>
              html`<a href="#/${name}" aria-current=${name === this.view ? "page" : "false"}>${view.title}</a>`,
          )}
        </nav>
        <span class="host quiet">${location.host}</span>
        <button @click=${() => this.#turn(false)}>Sign out</button>
      </header>
      <main tabindex="-1" aria-labelledby="title">
        <h1 id="title">${title}</h1>
        ${content}
      </main>
    `;
  }
}

customElements.define("weir-console", Console);
