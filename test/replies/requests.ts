/**
 * The cases of a route: a valid request, a request with an unknown ID, a request with invalid input, and
 * others.
 */
export interface Request {
  /** `{run}` and the like stand for values of the world, `{digest}` for the digest from the same action's preview. */
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as a form. */
  form?: Readonly<Record<string, string>>;
  /** Sent as it is, with `headers` for its type. */
  text?: string;
  headers?: Readonly<Record<string, string>>;
}

/** A route's cases by name. `good` comes first and is the case that must succeed. */
export type Cases = Readonly<Record<string, Request>> & { readonly good: Request };

/** By method and pattern, as the router has them. */
export type CaseTable = Readonly<Record<string, Cases>>;

export const NOWHERE = '00000000-0000-4000-8000-00000000dead';

/** Returns the same request with each value that the world has under the name. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{([\w ]+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** The names of a table's routes that are not among `routes`, and vice versa. */
export function compareNames(
  routes: readonly string[],
  table: readonly string[],
): { without: string[]; unknown: string[] } {
  return {
    without: routes.filter((name) => !table.includes(name)),
    unknown: table.filter((name) => !routes.includes(name)),
  };
}

/** Returns an app's routes that respond, by method and pattern. Routes for all methods are guards. */
export function routeNames(routes: readonly { method: string; path: string }[]): string[] {
  const names = routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path}`);
  return [...new Set(names)].sort();
}
