import {
  PartnerEndpointMissing,
  PartnerRedirected,
  PartnerServerError,
  PartnerUnavailable,
  ReplyUnreadable,
} from './errors.ts';
import { CREATE_NETWORK } from './networks/manage.ts';
import { type OpenApi, openApiSchema, readOpenApi } from './openapi.ts';
import { NEEDED_OPERATIONS, OTHER_OPERATIONS } from './operations.ts';
import type { RateLimit } from './pacer.ts';
import { parseReply } from './reply.ts';
import { endpointOf, type Operation, type Route, type Routes } from './routes.ts';
import type { Send } from './send.ts';

/** What a service says about itself, and where we have to assume. */
export interface Discovery {
  /** True if the service publishes an openapi.json that can be read. */
  published: boolean;
  findings: readonly Finding[];
  /** The colours that a network may have; null if the service does not say. */
  colors: readonly string[] | null;
  /** The limit of requests; null if the service does not say, and the documented one counts. */
  rateLimit: RateLimit | null;
}

/** One line for `doctor`. */
export interface Finding {
  /** For example `submit persons`. */
  subject: string;
  /**
   * For example `POST /enhancements, the list under "persons"`, and `(assumed)` after it where the
   * path is published and its body is not.
   */
  value: string;
  /** `published`: openapi.json says so; `assumed`: it does not, and this is tried first. */
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

/** A description that cannot be had is no reason not to work: then the fallbacks count. */
const ABSENT = [PartnerEndpointMissing, PartnerRedirected, PartnerServerError, ReplyUnreadable];

/** Asks the service where its operations live, and remembers it in `routes`. Free. */
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

/** A 500 in plain text is how services fail that cannot describe themselves; others are down. */
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
    const isBodyOpen = route.listName !== undefined && openApi.listNameOf(route) === undefined;
    const assumption = isBodyOpen ? ' (assumed)' : '';
    return { subject, value: describe(listed) + assumption, source: 'published' };
  }
  const first = routes.known(operation) ?? operation.routes[0];
  return { subject, value: first ? describe(first) : '', source: 'assumed' };
}

/** A route with all that the service says of it; null where it does not list it. */
function listedRoute(route: Route, openApi: OpenApi): Route | null {
  const path = openApi.pathOf(route);
  if (path === null) return null;
  const listName = route.listName === undefined ? undefined : openApi.listNameOf(route);
  const maxLimit = openApi.maximumOf(route, 'limit');
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
  if (route.listName === undefined) return endpointOf(route);
  const body = route.listName === null ? 'a bare list' : `the list under "${route.listName}"`;
  return `${endpointOf(route)}, ${body}`;
}
