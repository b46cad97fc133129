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

/** The facts that a service publishes about itself, and the facts that have to be assumed. */
export interface Discovery {
  /** True if the service publishes a readable openapi.json. */
  published: boolean;
  findings: readonly Finding[];
  colors: readonly string[] | null;
  /** The rate limit. If it is null, the service does not publish a limit, and the documented limit applies. */
  rateLimit: RateLimit | null;
}

/** One line in the output of `doctor`. */
export interface Finding {
  /** The subject of the error, such as `submit persons`. */
  subject: string;
  /**
   * For example `POST /enhancements, the list under "persons"`, with `(assumed)` if the path is published and its body
   * is not.
   */
  value: string;
  /**
   * `published`: it is in openapi.json. `assumed`: it is not published. The client tries it and does not rely on it.
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
 * The errors of a service that does not publish a description. The client works without a description, because there
 * are defaults for everything.
 */
const ABSENT = [PartnerEndpointMissing, PartnerRedirected, PartnerServerError, ReplyUnreadable];

/** Learns from the service which paths its operations have, and stores them in `routes`. Costs no credits. */
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

/** Other failures mean that the service is unavailable. */
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

/** Returns a route with everything that the service publishes about it, or null if the service does not list it. */
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

/** All operations of the service. Their paths are learned from its description. */

/** The operations that enhancing, networks and warm paths need. `doctor` shows a line for each. */
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

/** Additional operations that a service may have. A service that does not list them is still complete. */
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
