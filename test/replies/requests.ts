/**
 * A request in one of a route's cases. The cases cover valid requests, unknown IDs, invalid input and other input.
 */
export interface Request {
  /**
   * `{run}` and similar placeholders are replaced by values of the world. `{digest}` is replaced by the digest in the
   * same action's preview.
   */
  path: string;
  /** A body that is sent as JSON. */
  body?: unknown;
  form?: Readonly<Record<string, string>>;
  /** A body that is sent unchanged. `headers` contains its type. */
  text?: string;
  headers?: Readonly<Record<string, string>>;
}

/** A route's cases by name. `good` comes first and must succeed. */
export type Cases = Readonly<Record<string, Request>> & { readonly good: Request };

/** Cases by method and path pattern. The router uses the same patterns. */
export type CaseTable = Readonly<Record<string, Cases>>;

export const NOWHERE = '00000000-0000-4000-8000-00000000dead';

/** Returns the string after each placeholder has been replaced by the world's value. */
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
 * Returns the method and path pattern of each route that responds. Excludes guards, which are routes that match every
 * method.
 */
export function routeNames(routes: readonly { method: string; path: string }[]): string[] {
  const names = routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path}`);
  return [...new Set(names)].sort();
}
