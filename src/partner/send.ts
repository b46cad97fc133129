import { DonorSyncError } from '../core/errors.ts';
import type { Charge } from './buckets.ts';
import {
  AnswerLost,
  PartnerEndpointMissing,
  PartnerNotFound,
  PartnerRedirected,
  PartnerValidationError,
  ReplyUnreadable,
} from './errors.ts';
import type { Call } from './exchange.ts';
import type { Reply } from './reply.ts';
import { type MayLeave, type RequestDeps, request } from './request.ts';
import { describeEndpoint, hasOnePath, type Operation, type Route, type Routes } from './routes.ts';

/** The parts of a request that do not come from its route. */
export interface Payload {
  /** The ID of the requested object. */
  id?: string;
  /** The list of people or IDs in the body. */
  list?: readonly unknown[];
  /** The other fields of the body. Undefined fields are omitted. */
  fields?: Readonly<Record<string, unknown>>;
  query?: URLSearchParams;
  /** The cost of this request, if it differs from the operation's general cost. */
  charges?: Charge;
  /**
   * Reads the response. If the response to a free request cannot be read, the request is sent again, as after a 5xx
   * status.
   */
  read?: (reply: Reply) => unknown;
}

/** Sends a request for an operation and finds the operation's path. */
export type Send = (
  operation: Operation,
  payload: Payload,
  signal?: AbortSignal,
  mayLeave?: MayLeave,
) => Promise<Reply>;

/**
 * Creates a client's send function. The service does not charge a request whose path is wrong (404, 405, 307, 308). The
 * function therefore tries the next candidate, even for a submission. The service also does not charge a rejected body
 * (422), so the function tries the body's other form, if any. After any other response, it tries no other path.
 */
export function createSend(deps: RequestDeps, routes: Routes): Send {
  return async (operation, payload, signal, mayLeave) => {
    const known = routes.known(operation);
    let candidates = known ? [known, ...operation.routes] : operation.routes;
    let firstError: unknown;
    for (let [route] = candidates; route !== undefined; [route] = candidates) {
      const call = buildCall(operation, route, payload);
      try {
        const { json, file } = await request(deps, call, signal, mayLeave);
        routes.remember(operation, route);
        return { json, file, endpoint: call.endpoint, charges: call.charges };
      } catch (thrown) {
        const error = certainly(thrown, call, signal);
        firstError ??= error;
        // A 404 shows that the requested object does not exist only if the path is known to work.
        const isAboutThing =
          error instanceof PartnerNotFound && operation.namesThings && route === known;
        const left = isAboutThing ? null : candidatesAfter(error, route, candidates);
        if (left === null) throw error;
        candidates = left;
      }
    }
    const isAboutPath = !(operation.namesThings && hasOnePath(operation));
    throw firstError instanceof PartnerNotFound && isAboutPath
      ? new PartnerEndpointMissing(firstError.endpoint, 404)
      : firstError;
  };
}

/**
 * Sends a request and reads the response. If the request may cost credits, it is sent only once, whatever the response
 * contains.
 */
export async function sendFor<Read>(
  send: Send,
  operation: Operation,
  payload: Payload,
  read: (reply: Reply) => Read,
  signal?: AbortSignal,
  mayLeave?: MayLeave,
): Promise<Read> {
  let known: { json: unknown; value: Read } | null = null;
  // Reads the response to a free request only once, to check whether it is readable.
  const readOnce = (reply: Reply): Read => {
    if (known === null || known.json !== reply.json)
      known = { json: reply.json, value: read(reply) };
    return known.value;
  };
  return readOnce(await send(operation, { ...payload, read: readOnce }, signal, mayLeave));
}

/**
 * Converts an unexpected error. The error may have occurred after the request was sent, so the response counts as lost.
 */
function certainly(error: unknown, call: Call, signal: AbortSignal | undefined): unknown {
  if (call.charges === null || error instanceof DonorSyncError) return error;
  if (signal?.aborted && error === signal.reason) return error;
  return new AnswerLost(call.endpoint, call.charges, 'an unexpected error', null, error);
}

function buildCall(operation: Operation, route: Route, payload: Payload): Call {
  const { lane, reads, workMs = 0 } = operation;
  const { id = '', query, charges = operation.charges, read } = payload;
  const path = route.path.replace('{id}', encodeURIComponent(id));
  const body = buildBody(route, payload);
  const endpoint = describeEndpoint(route);
  return {
    method: route.method,
    path: query?.size ? `${path}?${query}` : path,
    endpoint,
    lane,
    charges,
    reads,
    workMs,
    ...(body === undefined ? {} : { body }),
    ...(read === undefined ? {} : { faultIn }),
  };

  function faultIn(json: unknown): ReplyUnreadable | null {
    try {
      read?.({ json, file: null, endpoint, charges });
      return null;
    } catch (error) {
      if (error instanceof ReplyUnreadable) return error;
      throw error;
    }
  }
}

function buildBody(route: Route, { list, fields }: Payload): unknown {
  if (list === undefined) return fields;
  return route.listName ? { [route.listName]: list, ...fields } : list;
}

/** Returns the remaining candidates, or null if a wrong route did not cause the error. */
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
