import { LitElement, css, html } from "lit";
import { signIn } from "./api.js";
import { look } from "./look.js";

/** The sign-in form. Dispatches the event `signed-in` after a valid token. */
class SignIn extends LitElement {
  static properties = {
    note: { type: String },
    busy: { state: true },
  };

  static styles = [
    look,
    css`
      form {
        background: var(--card);
        border: 1px solid var(--line);
        border-radius: var(--round);
        padding: calc(1.5 * var(--gap));
        max-width: 30rem;
        margin: 10vh auto 0;
      }
      h1 {
        font-size: 1.4rem;
        margin: 0 0 var(--gap);
      }
      label {
        display: block;
        font-weight: 600;
      }
      input {
        box-sizing: border-box;
        width: 100%;
        margin: 0.3rem 0 var(--gap);
        padding: 0.5rem;
        font: inherit;
        font-family: var(--mono);
        color: var(--ink);
        background: var(--page);
        border: 1px solid var(--quiet);
        border-radius: calc(0.5 * var(--round));
      }
      button {
        font: inherit;
        font-weight: 600;
        padding: 0.5rem 1.25rem;
        color: var(--on-accent);
        background: var(--accent);
        border: 0;
        border-radius: calc(0.5 * var(--round));
        cursor: pointer;
      }
    `,
  ];

  constructor() {
    super();
    this.note = "";
    this.busy = false;
  }

  firstUpdated() {
    this.renderRoot.querySelector("input").focus();
  }

  async #submit(event) {
    event.preventDefault();
    if (!this.busy) {
      const field = this.renderRoot.querySelector("input");
      await this.use(field.value.trim());
      field.value = "";
    }
  }

  /** Signs in with this token, or shows the reason why it failed. */
  async use(token) {
    this.busy = true;
    this.note = "";
    try {
      await signIn(token);
      this.dispatchEvent(new CustomEvent("signed-in", { bubbles: true, composed: true }));
    } catch (problem) {
      this.note = SignIn.#reason(problem);
      this.renderRoot.querySelector("input")?.focus();
    } finally {
      this.busy = false;
    }
  }

  static #reason(problem) {
    if (problem.isSignedOut) {
      return "This token is not valid.";
    }
    if (problem.retryAfter) {
      return `Too many invalid tokens from this address. Retry in ${problem.retryAfter} s.`;
    }
    return problem.status ? `${problem.message}.` : "The server cannot be reached.";
  }

  render() {
    return html`<main>
      <form @submit=${this.#submit} aria-labelledby="title">
        <h1 id="title">Weir</h1>
        <label for="token">Token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          required
          aria-describedby="hint note"
        />
        <p id="note" role="alert" class="bad">${this.note}</p>
        <button ?disabled=${this.busy}>Sign in</button>
        <p id="hint" class="quiet">
          One of <code>admin.tokens</code>; if none is set, the token printed at start. It is kept in this tab only.
        </p>
      </form>
    </main>`;
  }
}

customElements.define("weir-sign-in", SignIn);
