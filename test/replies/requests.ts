/** A request in one of a route's cases. The cases cover valid requests, unknown IDs, invalid input, and more. */
export interface Request {
  /**
   * `{run}` and similar placeholders stand for values of the world, and `{digest}` for the digest in the same action's
   * preview.
   */
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as a form. */
  form?: Readonly<Record<string, string>>;
  /** Sent unchanged, with a type in `headers`. */
  text?: string;
  headers?: Readonly<Record<string, string>>;
}

/** A route's cases by name. `good` comes first and must succeed. */
export type Cases = Readonly<Record<string, Request>> & { readonly good: Request };

/** Cases by method and path pattern, as in the router. */
export type CaseTable = Readonly<Record<string, Cases>>;

export const NOWHERE = '00000000-0000-4000-8000-00000000dead';

/** Returns the text with each placeholder replaced by the world's value. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{([\w ]+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** Returns the names in a table that are not among `routes`, and vice versa. */
export function compareNames(
  routes: readonly string[],
  table: readonly string[],
): { without: string[]; unknown: string[] } {
  return {
    without: routes.filter((name) => !table.includes(name)),
    unknown: table.filter((name) => !routes.includes(name)),
  };
}

/**
 * Returns an app's routes that respond, by method and path pattern. Routes for all methods are guards, so they are left
 * out.
 */
export function routeNames(routes: readonly { method: string; path: string }[]): string[] {
  const names = routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path}`);
  return [...new Set(names)].sort();
}
