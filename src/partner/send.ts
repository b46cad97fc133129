import {
  PartnerEndpointMissing,
  PartnerNotFound,
  PartnerRedirected,
  PartnerValidationError,
} from './errors.ts';
import type { Call } from './exchange.ts';
import { type MayLeave, type RequestDeps, request } from './request.ts';
import { endpointOf, type Operation, type Route, type Routes } from './routes.ts';

/** What a request carries besides its route. */
export interface Payload {
  /** The thing asked for. */
  id?: string;
  /** The list in the body: persons or ids. */
  list?: readonly unknown[];
}

/** A reply's JSON, and whom to name if it lacks something. */
export interface Reply {
  json: unknown;
  endpoint: string;
}

/** Asks the service to carry out an operation, wherever it lives. */
export type Send = (
  operation: Operation,
  payload: Payload,
  signal?: AbortSignal,
  mayLeave?: MayLeave,
) => Promise<Reply>;

/**
 * Makes the sender of a client. A path that is not there (404, 405, 307, 308) was never charged,
 * so the next candidate is tried even for a submit; neither was a body that is refused (422), so
 * where it has another form, that is tried. Nothing else is a reason to send by another route.
 */
export function createSend(deps: RequestDeps, routes: Routes): Send {
  return async (operation, payload, signal, mayLeave) => {
    const known = routes.known(operation);
    let candidates = known ? [known, ...operation.routes] : operation.routes;
    let firstError: unknown;
    for (let [route] = candidates; route !== undefined; [route] = candidates) {
      const call = callOf(operation, route, payload);
      try {
        const json = await request(deps, call, signal, mayLeave);
        routes.remember(operation, route);
        return { json, endpoint: call.endpoint };
      } catch (error) {
        firstError ??= error;
        // At any other path than the known one, a 404 says nothing about the thing asked for.
        const isAboutThing =
          error instanceof PartnerNotFound && operation.namesThings && route === known;
        const left = isAboutThing ? null : candidatesAfter(error, route, candidates);
        if (left === null) throw error;
        candidates = left;
      }
    }
    throw firstError instanceof PartnerNotFound
      ? new PartnerEndpointMissing(firstError.endpoint, 404)
      : firstError;
  };
}

function callOf(operation: Operation, route: Route, { id = '', list }: Payload): Call {
  const { lane, charging, readsBody } = operation;
  const path = route.path.replace('{id}', encodeURIComponent(id));
  const call = {
    method: route.method,
    path,
    endpoint: endpointOf(route),
    lane,
    charging,
    readsBody,
  };
  if (list === undefined) return call;
  return { ...call, body: route.listName ? { [route.listName]: list } : list };
}

/** The candidates that are still worth a try; null if the error is no fault of the route. */
function candidatesAfter(
  error: unknown,
  failed: Route,
  candidates: readonly Route[],
): Route[] | null {
  const samePlace = (route: Route) => route.method === failed.method && route.path === failed.path;
  if (error instanceof PartnerValidationError) {
    const otherBodies = candidates.filter(
      (route) => samePlace(route) && route.listName !== failed.listName,
    );
    return otherBodies.length > 0 ? otherBodies : null;
  }
  const wrongPath =
    error instanceof PartnerEndpointMissing ||
    error instanceof PartnerRedirected ||
    error instanceof PartnerNotFound;
  return wrongPath ? candidates.filter((route) => !samePlace(route)) : null;
}
