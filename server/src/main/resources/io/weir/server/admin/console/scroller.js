import { LitElement, css, html, nothing } from "lit";

/** A frame with a hint that scrolls a wide table horizontally, also by keyboard. */
class Scroller extends LitElement {
  static properties = {
    label: {},
    scrolls: { state: true },
    before: { type: Boolean, reflect: true },
    after: { type: Boolean, reflect: true },
  };

  static styles = css`
    :host {
      display: block;
      position: relative;
    }
    .window {
      background: var(--card);
      border: 1px solid var(--line);
      border-radius: var(--round);
      overflow-x: auto;
    }
    .window:focus-visible {
      outline: 3px solid var(--accent);
      outline-offset: 2px;
    }
    /* A shadow marks an edge where content is cut off. */
    .edge {
      position: absolute;
      inset-block: 1px;
      width: 1.25rem;
      opacity: 0;
      pointer-events: none;
    }
    .edge.start {
      inset-inline-start: 1px;
      border-radius: var(--round) 0 0 var(--round);
      background: linear-gradient(to right, var(--shadow), transparent);
    }
    .edge.end {
      inset-inline-end: 1px;
      border-radius: 0 var(--round) var(--round) 0;
      background: linear-gradient(to left, var(--shadow), transparent);
    }
    :host([before]) .edge.start,
    :host([after]) .edge.end {
      opacity: 1;
    }
    .frame {
      position: relative;
    }
    .hint {
      color: var(--quiet);
      font-size: 0.85rem;
      margin: 0 0 0.3rem;
    }
  `;

  #sizes = new ResizeObserver(() => this.#measure());

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#sizes.disconnect();
  }

  /** Observes the sizes of the frame and its tables. */
  #watch() {
    this.#sizes.disconnect();
    this.#sizes.observe(this);
    this.renderRoot
      .querySelector("slot")
      .assignedElements()
      .forEach((table) => this.#sizes.observe(table));
  }

  #measure() {
    const frame = this.renderRoot.querySelector(".window");
    this.scrolls = frame.scrollWidth > frame.clientWidth;
    this.before = frame.scrollLeft > 1;
    this.after = frame.scrollLeft + frame.clientWidth < frame.scrollWidth - 1;
  }

  render() {
    return html`
      ${this.scrolls ? html`<p class="hint">Scroll sideways for more columns ›</p>` : nothing}
      <div class="frame">
        <div
          class="window"
          role="region"
          aria-label=${this.label}
          tabindex=${this.scrolls ? 0 : nothing}
          @scroll=${() => this.#measure()}
        >
          <slot @slotchange=${() => this.#watch()}></slot>
        </div>
        <div class="edge start"></div>
        <div class="edge end"></div>
      </div>
    `;
  }
}

customElements.define("weir-scroller", Scroller);
