// Client of the admin API. Requests carry the token of the signed-in user. The token stays in this tab: after sign-in it
// is not in the address, it is not in a cookie, and it is gone when the tab is closed.

const KEPT = "weir.token";
const PATIENCE_MS = 10_000;

/** The server answered with an error status. */
export class Refused extends Error {
  constructor(status, message, retryAfter) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }

  get isSignedOut() {
    return this.status === 401;
  }
}

export function isSignedIn() {
  return sessionStorage.getItem(KEPT) !== null;
}

export function signOut() {
  sessionStorage.removeItem(KEPT);
}

/** Stores a token if it is valid; throws otherwise. */
export async function signIn(token) {
  await ask("overview", token);
  sessionStorage.setItem(KEPT, token);
}

/** Removes the token from the fragment of the address and returns it; empty if there is none. */
export function takeFromAddress() {
  const [, token = ""] = /^#token=(.*)$/.exec(location.hash) ?? [];
  if (token) {
    history.replaceState(null, "", location.pathname);
  }
  return token;
}

/** Fetches a path of the admin API. */
export async function ask(path, token = sessionStorage.getItem(KEPT) ?? "") {
  if (!/^[!-~]+$/.test(token)) {
    throw new Refused(401, "this is not a token");
  }
  const response = await fetch(new URL(`../admin/v1/${path}`, document.baseURI), {
    headers: { authorization: `Bearer ${token}` },
    cache: "no-store",
    credentials: "omit",
    referrerPolicy: "no-referrer",
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (response.ok) {
    return response.json();
  }
  const problem = await response.json().catch(() => ({}));
  throw new Refused(
    response.status,
    problem.detail ?? `the server answered ${response.status}`,
    Number(response.headers.get("retry-after") ?? 0),
  );
}
