import { ask } from "./api.js";

const EVERY_MS = 2_000;

/**
 * Polls the admin API while its host element is connected and the page is visible. The last response stays if a request
 * fails. If the token is no longer valid, the host dispatches the event `signed-out`.
 */
export class Poll {
  #host;
  #path;
  #timer;
  #round = 0;

  /** The last response with its time, and the one before; undefined until there is one. */
  latest;
  before;

  /** The error of the last request; undefined if it succeeded. */
  problem;

  constructor(host, path) {
    this.#host = host;
    this.#path = path;
    host.addController(this);
  }

  hostConnected() {
    document.addEventListener("visibilitychange", this.#look);
    this.#look();
  }

  hostDisconnected() {
    document.removeEventListener("visibilitychange", this.#look);
    this.#rest();
  }

  #rest() {
    this.#round++;
    clearTimeout(this.#timer);
  }

  #look = () => {
    this.#rest();
    if (!document.hidden) {
      this.#ask(this.#round);
    }
  };

  async #ask(round) {
    const asked = await ask(this.#path).then(
      (answer) => ({ answer }),
      (problem) => ({ problem }),
    );
    if (round !== this.#round) {
      return; // a newer round has started, or polling has stopped
    }
    const { answer, problem } = asked;
    if (problem?.isSignedOut) {
      this.#host.dispatchEvent(new CustomEvent("signed-out", { bubbles: true, composed: true }));
      return;
    }
    if (problem) {
      this.problem = problem.status ? problem.message : "the server cannot be reached";
    } else {
      this.before = this.latest;
      this.latest = { answer, at: performance.now() };
      this.problem = undefined;
    }
    this.#host.requestUpdate();
    const wait = Math.max(EVERY_MS, 1000 * (problem?.retryAfter ?? 0));
    this.#timer = setTimeout(() => this.#ask(round), wait);
  }
}
