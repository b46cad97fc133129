import type { Call } from './exchange.ts';

/**
 * Where the operations of the service live. The document names two forms of the enhancement paths
 * and does not say which is authoritative, so each operation has candidates, and the one that
 * works is remembered.
 */

/** One place where an operation may live. */
export interface Route {
  method: Call['method'];
  /** Below the base URL; `{id}` stands for the id of the thing asked for. */
  path: string;
  /** The field of the body that holds the list that is sent; null if the body is the list. */
  listName?: string | null;
  /** The highest `limit` that its body may ask for, where the service says so. */
  maxLimit?: number;
  /** The values of `color` that its body may hold, where the service says so. */
  colors?: readonly string[];
}

/** Something the service can be asked to do. */
export interface Operation extends Pick<Call, 'lane' | 'charges' | 'reads' | 'workMs'> {
  /** In our words, for `doctor`. */
  name: string;
  /** The likeliest first. */
  routes: readonly Route[];
  /** True if a 404 may be about a thing that the request names, such as a job. */
  namesThings: boolean;
}

/** What is known about the routes of one service; lives as long as its client. */
export interface Routes {
  /** The route that is known to be right, because it worked or the service lists it. */
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

/** What an operation costs, and where it differs from what most of them are. */
type OperationKind = Pick<Operation, 'charges'> & Partial<Omit<Operation, 'name' | 'routes'>>;

/**
 * An operation with the routes as given, and after them the same with the slash that some frameworks
 * insist on. Most are queries that read JSON and name things.
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
 * True for an operation that is said to live at one path. It is there, then, so that a 404 is about
 * the thing that the request names.
 */
export function hasOnePath({ routes }: Operation): boolean {
  return new Set(routes.map(({ path }) => path.replace(/\/$/, ''))).size === 1;
}

/** A route as errors, logs and reports show it. */
export function describeEndpoint(route: Route): string {
  return `${route.method} ${route.path || '/'}`;
}
