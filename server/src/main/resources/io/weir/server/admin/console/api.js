// The admin API, asked with the token of whoever looks. The token stays in this tab: it is not in any address
// after signing in, not in a cookie, and gone when the tab is closed.

const KEPT = "weir.token";
const PATIENCE_MS = 10_000;

/** The server answered, but not with what was asked for. */
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

/** Keeps a token if it is good; throws if not. */
export async function signIn(token) {
  await ask("overview", token);
  sessionStorage.setItem(KEPT, token);
}

/** The token that an address brought behind its #, which is taken out of it; empty if there is none. */
export function takeFromAddress() {
  const [, token = ""] = /^#token=(.*)$/.exec(location.hash) ?? [];
  if (token) {
    history.replaceState(null, "", location.pathname);
  }
  return token;
}

/** What the admin API says at this path. */
export async function ask(path, token = sessionStorage.getItem(KEPT) ?? "") {
  if (!/^[!-~]+$/.test(token)) {
    throw new Refused(401, "this is no token");
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
