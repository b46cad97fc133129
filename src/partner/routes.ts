import type { Call } from './exchange.ts';

/**
 * The paths of the service's operations. The document contains two forms of the enhancement paths and does not state
 * which form is right. Each operation therefore has candidates, and the candidate that works is remembered.
 */

/** A possible path of an operation. */
export interface Route {
  method: Call['method'];
  /** The path relative to the base URL. `{id}` is replaced with the requested ID. */
  path: string;
  /** The field of the body that contains the list to send, or null if the body is the list itself. */
  listName?: string | null;
  /** The maximum `limit` in its body, if the service states it. */
  maxLimit?: number;
  /** The allowed values of `color` in the body, if the service publishes them. */
  colors?: readonly string[];
}

/** An operation of the service. */
export interface Operation extends Pick<Call, 'lane' | 'charges' | 'reads' | 'workMs'> {
  /** The operation in our own words, for `doctor`. */
  name: string;
  /** The possible paths, the most likely first. */
  routes: readonly Route[];
  /** True if a 404 may be about an object that the request names, such as a job. */
  namesThings: boolean;
}

/** The known routes of one service. This object lives as long as the service's client. */
export interface Routes {
  /** Returns the right route if it has worked or if the service lists it. Otherwise returns undefined. */
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
 * After them, it tries the same routes with a trailing slash, which some frameworks require. By default, an operation
 * is a query that reads JSON and names an object.
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
 * Returns true for an operation with only one path in the document. The path then exists, so a 404 is about the object
 * that the request names.
 */
export function hasOnePath({ routes }: Operation): boolean {
  return new Set(routes.map(({ path }) => path.replace(/\/$/, ''))).size === 1;
}

/** Returns a route in the form for errors, logs and reports. */
export function describeEndpoint(route: Route): string {
  return `${route.method} ${route.path || '/'}`;
}
