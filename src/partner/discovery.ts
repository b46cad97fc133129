import { DONOR_CONNECTIONS } from './connections/connection.ts';
import { COMPARE, DISCOVER, LOOKUP } from './connections/prospects.ts';
import { CREDITS } from './credits.ts';
import { DONOR, DONORS, METADATA, METADATA_OF_MANY } from './donors.ts';
import {
  PartnerEndpointMissing,
  PartnerRedirected,
  PartnerServerError,
  PartnerUnavailable,
  ReplyUnreadable,
} from './errors.ts';
import { CREATE_EXPORT, DOWNLOAD, EXPORT, EXPORTS } from './exports.ts';
import { HEALTH_CHECKS, TEST } from './health.ts';
import type { RateLimit } from './key-pace.ts';
import {
  ADD_TO_LIST,
  CREATE_LIST,
  DELETE_LIST,
  LIST,
  LISTS,
  REMOVE_FROM_LIST,
  RENAME_LIST,
} from './lists.ts';
import { ADD_MEMBER, ADD_MEMBERS, BULK_ADD_PROGRESS, REMOVE_MEMBERS } from './networks/members.ts';
import {
  CREATE_NETWORK,
  DELETE_NETWORK,
  LIST_NETWORKS,
  RENAME_NETWORK,
} from './networks/network.ts';
import { type OpenApi, openApiSchema, readOpenApi } from './openapi.ts';
import { PROGRESS_OF_MANY, PROGRESS_OF_ONE } from './progress.ts';
import { parseReply } from './reply.ts';
import { RESULTS } from './results.ts';
import { describeEndpoint, type Operation, type Route, type Routes } from './routes.ts';
import { SEARCH, SEARCH_BY_PARAMETERS } from './search.ts';
import type { Send } from './send.ts';
import { SUBMIT } from './submission.ts';

/**
 * The facts that a service publishes about itself. If the service does not publish a fact, this object contains an
 * assumption.
 */
export interface Discovery {
  /** True if the service publishes a readable openapi.json. */
  published: boolean;
  findings: readonly Finding[];
  colors: readonly string[] | null;
  /**
   * The rate limit. Null if the service does not publish a limit. If the service publishes no limit, the documented
   * limit applies.
   */
  rateLimit: RateLimit | null;
}

/** A line in the output of `doctor`. */
export interface Finding {
  /** The operation that the line describes, such as `submit persons`. */
  subject: string;
  /**
   * The operation's path and body, for example `POST /enhancements, the list under "persons"`. Contains `(assumed)` if
   * only the path is published.
   */
  value: string;
  /**
   * `published` means that openapi.json lists the operation. `assumed` means that the operation is not published, so
   * the client tries it but does not rely on it.
   */
  source: 'published' | 'assumed';
}

const OPENAPI: Operation = {
  name: 'description of the service',
  lane: 'other',
  charges: null,
  reads: 'json',
  namesThings: false,
  routes: [{ method: 'GET', path: '/openapi.json' }],
};

/**
 * The errors that show that a service does not publish a description. The client works without a description, because
 * it has defaults for everything.
 */
const ABSENT = [PartnerEndpointMissing, PartnerRedirected, PartnerServerError, ReplyUnreadable];

/** Reads the paths of the service's operations, and stores the paths in `routes`. Costs no credits. */
export async function discover(
  send: Send,
  routes: Routes,
  baseUrl: string,
  signal?: AbortSignal,
): Promise<Discovery> {
  const openApi = await readDescription(send, baseUrl, signal);
  const findings = NEEDED_OPERATIONS.map((operation) => learn(operation, openApi, routes));
  for (const operation of OTHER_OPERATIONS) learn(operation, openApi, routes);
  return {
    published: openApi !== null,
    findings,
    colors: routes.known(CREATE_NETWORK)?.colors ?? null,
    rateLimit: openApi?.rateLimit ?? null,
  };
}

async function readDescription(send: Send, baseUrl: string, signal: AbortSignal | undefined) {
  try {
    const document = parseReply(openApiSchema, await send(OPENAPI, {}, signal));
    return readOpenApi(document, new URL(baseUrl).pathname.replace(/\/$/, ''));
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
}

/**
 * True if the error shows that the service does not publish a description. Errors of other kinds mean that the service
 * is unavailable.
 */
function isAbsence(error: unknown): boolean {
  if (error instanceof PartnerUnavailable) return error.status === 500;
  return ABSENT.some((kind) => error instanceof kind);
}

function learn(operation: Operation, openApi: OpenApi | null, routes: Routes): Finding {
  const subject = operation.name;
  for (const route of operation.routes) {
    const listed = openApi && listedRoute(route, openApi);
    if (!listed) continue;
    routes.remember(operation, listed);
    const isBodyOpen = route.listName !== undefined && openApi.getListName(route) === undefined;
    const assumption = isBodyOpen ? ' (assumed)' : '';
    return { subject, value: describe(listed) + assumption, source: 'published' };
  }
  const first = routes.known(operation) ?? operation.routes[0];
  return { subject, value: first ? describe(first) : '', source: 'assumed' };
}

/**
 * Returns a route with all details that the service publishes about it. Returns null if the service does not list the
 * route.
 */
function listedRoute(route: Route, openApi: OpenApi): Route | null {
  const path = openApi.getPath(route);
  if (path === null) return null;
  const listName = route.listName === undefined ? undefined : openApi.getListName(route);
  const maxLimit = openApi.getMaximum(route, 'limit');
  const colors = openApi.allowedValues(route, 'color');
  return {
    ...route,
    path,
    ...(listName === undefined ? {} : { listName }),
    ...(maxLimit === null ? {} : { maxLimit }),
    ...(colors === null ? {} : { colors }),
  };
}

function describe(route: Route): string {
  if (route.listName === undefined) return describeEndpoint(route);
  const body = route.listName === null ? 'a bare list' : `the list under "${route.listName}"`;
  return `${describeEndpoint(route)}, ${body}`;
}

/** All operations of the service. donor-sync reads their paths from the service's description. */

/**
 * The operations that donor-sync needs for enhancing, networks and warm paths. `doctor` shows a line for each
 * operation.
 */
export const NEEDED_OPERATIONS: readonly Operation[] = [
  SUBMIT,
  PROGRESS_OF_ONE,
  PROGRESS_OF_MANY,
  RESULTS,
  CREDITS,
  LIST_NETWORKS,
  CREATE_NETWORK,
  RENAME_NETWORK,
  ADD_MEMBERS,
  BULK_ADD_PROGRESS,
  REMOVE_MEMBERS,
  DISCOVER,
  COMPARE,
  DONOR_CONNECTIONS,
  LOOKUP,
];

/** Additional operations that a service may have. donor-sync works without them. */
export const OTHER_OPERATIONS: readonly Operation[] = [
  TEST,
  DELETE_NETWORK,
  ADD_MEMBER,
  DONOR,
  DONORS,
  METADATA,
  METADATA_OF_MANY,
  LISTS,
  CREATE_LIST,
  LIST,
  RENAME_LIST,
  DELETE_LIST,
  ADD_TO_LIST,
  REMOVE_FROM_LIST,
  CREATE_EXPORT,
  EXPORTS,
  EXPORT,
  DOWNLOAD,
  SEARCH,
  SEARCH_BY_PARAMETERS,
  ...HEALTH_CHECKS,
];
