import type { Call } from './exchange.ts';

/**
 * The paths of the service's operations. The document contains two forms of the enhancement paths and does not state
 * the right form. Each operation therefore has candidates for its path, and the client remembers the candidate that
 * works.
 */

/** A possible path of an operation. */
export interface Route {
  method: Call['method'];
  /** The path relative to the base URL. `{id}` is replaced with the requested ID. */
  path: string;
  /** The body's field that contains the list. Null if the body is the list itself. */
  listName?: string | null;
  /** The maximum value of `limit` in the body, if the service publishes it. */
  maxLimit?: number;
  /** The allowed values of `color` in the body, if the service publishes them. */
  colors?: readonly string[];
}

/** An operation of the service. */
export interface Operation extends Pick<Call, 'lane' | 'charges' | 'reads' | 'workMs'> {
  /** The operation's name in the output of `doctor`. */
  name: string;
  /** The possible paths, the most likely path first. */
  routes: readonly Route[];
  /** True if a 404 may be about an object in the request, such as a job. */
  namesThings: boolean;
}

/** The known routes of a service. This object lives as long as the service's client. */
export interface Routes {
  /** Returns the route that has worked or that the service lists. Returns undefined if no route is known yet. */
  known(operation: Operation): Route | undefined;
  remember(operation: Operation, route: Route): void;
}

export function createRoutes(): Routes {
  const known = new Map<Operation, Route>();
  return {
    known: (operation) => known.get(operation),
    remember(operation, route) {
      known.set(operation, route);
    },
  };
}

/** The properties of an operation: its cost, and its differences from the defaults. */
type OperationKind = Pick<Operation, 'charges'> & Partial<Omit<Operation, 'name' | 'routes'>>;

/**
 * Creates an operation. After the given routes, the client tries the same routes with a trailing slash, which some
 * frameworks require. By default, an operation is a query that reads JSON and names an object.
 */
export function operation(
  name: string,
  { lane = 'queries', reads = 'json', namesThings = true, ...kind }: OperationKind,
  routes: readonly Route[],
): Operation {
  const slashed = routes.map((route) => ({ ...route, path: `${route.path}/` }));
  return { name, lane, reads, namesThings, ...kind, routes: [...routes, ...slashed] };
}

/**
 * True for an operation with only one path in the document. The path then exists, so a 404 is about the object in the
 * request.
 */
export function hasOnePath({ routes }: Operation): boolean {
  return new Set(routes.map(({ path }) => path.replace(/\/$/, ''))).size === 1;
}

/** Returns a route as text, for errors, logs and reports. */
export function describeEndpoint(route: Route): string {
  return `${route.method} ${route.path || '/'}`;
}
