import { CREDITS } from './credits.ts';
import { PartnerEndpointMissing, PartnerServerError, ReplyUnreadable } from './errors.ts';
import { type OpenApi, openApiSchema, readOpenApi } from './openapi.ts';
import type { RateLimit } from './pacer.ts';
import { PROGRESS_OF_MANY, PROGRESS_OF_ONE } from './progress.ts';
import { parseReply } from './reply.ts';
import { RESULTS } from './results.ts';
import { endpointOf, type Operation, type Route, type Routes } from './routes.ts';
import type { Send } from './send.ts';
import { SUBMIT } from './submission.ts';

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
  charging: false,
  readsBody: true,
  namesThings: false,
  routes: [{ method: 'GET', path: '/openapi.json' }],
};

const DESCRIBED: readonly Operation[] = [
  SUBMIT,
  PROGRESS_OF_ONE,
  PROGRESS_OF_MANY,
  RESULTS,
  CREDITS,
];

/** A description that cannot be had is no reason not to work: then the fallbacks count. */
const ABSENT = [PartnerEndpointMissing, PartnerServerError, ReplyUnreadable];

const CREATE_NETWORK: Route = { method: 'POST', path: '/networks' };

/** Asks the service where its operations live, and remembers it in `routes`. Free. */
export async function discover(
  send: Send,
  routes: Routes,
  baseUrl: string,
  signal?: AbortSignal,
): Promise<Discovery> {
  const openApi = await readDescription(send, baseUrl, signal);
  return {
    published: openApi !== null,
    findings: DESCRIBED.map((operation) => learn(operation, openApi, routes)),
    colors: openApi?.allowedValues(CREATE_NETWORK, 'color') ?? null,
    rateLimit: openApi?.rateLimit ?? null,
  };
}

async function readDescription(send: Send, baseUrl: string, signal: AbortSignal | undefined) {
  try {
    const document = parseReply(openApiSchema, await send(OPENAPI, {}, signal));
    return readOpenApi(document, new URL(baseUrl).pathname.replace(/\/$/, ''));
  } catch (error) {
    if (ABSENT.some((kind) => error instanceof kind)) return null;
    throw error;
  }
}

function learn(operation: Operation, openApi: OpenApi | null, routes: Routes): Finding {
  const subject = operation.name;
  for (const route of operation.routes) {
    const path = openApi?.pathOf(route);
    if (typeof path !== 'string') continue;
    const listName = openApi?.listNameOf(route);
    const listed = listName === undefined ? { ...route, path } : { ...route, path, listName };
    routes.remember(operation, listed);
    const assumption = listName === undefined && route.listName !== undefined ? ' (assumed)' : '';
    return { subject, value: describe(listed) + assumption, source: 'published' };
  }
  const first = routes.known(operation) ?? operation.routes[0];
  return { subject, value: first ? describe(first) : '', source: 'assumed' };
}

function describe(route: Route): string {
  if (route.listName === undefined) return endpointOf(route);
  const body = route.listName === null ? 'a bare list' : `the list under "${route.listName}"`;
  return `${endpointOf(route)}, ${body}`;
}
