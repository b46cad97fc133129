/** Sends the requests of the API and of the pages, and records what comes back. */
import { mayActAs } from '../../src/core/role.ts';
import { ROUTES } from '../interfaces/api/route-table.ts';
import type { Entry } from './entries.ts';
import { readNotices } from './notices.ts';
import { createReplacer } from './placeholders.ts';
import { type Cases, type CaseTable, fill, type Request } from './requests.ts';
import { shorten } from './shorten.ts';
import { type OpenWorld, PRINCIPALS, type Principal, readRights, type World } from './world.ts';

type Kind = 'api' | 'page';

interface Step {
  route: string;
  name: string;
  request: Request;
  principal: Principal;
}

/**
 * Records the answers to all cases as each principal. Each route has a copy of the world for what reads, and for what is
 * to be refused; what may change something has a copy for itself.
 */
export async function recordHttp(world: World, kind: Kind, table: CaseTable): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const [route, cases] of Object.entries(table)) {
    const steps = stepsOf(kind, route, cases);
    const changing = steps.filter((step) => !route.startsWith('GET ') && isAllowed(step));
    const others = steps.filter((step) => !changing.includes(step));
    const groups = [others, ...changing.map((step) => [step])];
    for (const group of groups.filter(({ length }) => length > 0)) {
      const open = await world.open();
      try {
        for (const step of group) entries.push(await send(world, open, kind, step));
      } finally {
        await open.close();
      }
    }
  }
  return entries;
}

function stepsOf(kind: Kind, route: string, cases: Cases): Step[] {
  // No user is an owner with access to some clients; only a token of an earlier version can be.
  const principals = PRINCIPALS.filter((one) => kind === 'api' || one !== 'limited owner');
  return Object.entries(cases).flatMap(([name, request]) =>
    principals.map((principal) => ({ route, name, request, principal })),
  );
}

/** Whether the role of the principal is enough, by the table of routes. */
function isAllowed({ route, principal }: Step): boolean {
  const { role: needed } = ROUTES[route] ?? { role: null };
  const { role } = readRights(principal);
  return needed === null || (role !== null && mayActAs(role, needed));
}

async function send(world: World, open: OpenWorld, kind: Kind, step: Step): Promise<Entry> {
  const { route, name, request, principal } = step;
  const [method = 'GET'] = route.split(' ');
  const path = fill(request.path, world.values);
  const response = await fetch(open.url + path, {
    ...{ method, redirect: 'manual' },
    headers: {
      ...(kind === 'api'
        ? open.headersOf(principal)
        : { cookie: open.cookieOf(principal), origin: open.url }),
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...bodyOf(request, world.values),
  });
  const replace = createReplacer(world.known);
  const text = await response.text();
  const headers = ['location', 'retry-after', 'allow'].flatMap((header) => {
    const value = response.headers.get(header);
    return value === null ? [] : [[header, replace(value)]];
  });
  return {
    ...{
      kind,
      as: principal,
      request: `${method} ${request.path.replaceAll('{', '<').replaceAll('}', '>')}`,
    },
    case: name,
    status: response.status,
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    body: readBody(response, text, replace),
  };
}

function bodyOf({ body, form, text }: Request, values: World['values']) {
  if (body !== undefined) return { body: fill(JSON.stringify(body), values) };
  if (text !== undefined) return { body: text };
  if (form === undefined) return {};
  const filled = Object.entries(form).map(([name, value]) => [name, fill(value, values)]);
  return { body: new URLSearchParams(Object.fromEntries(filled)) };
}

/** The document, what a page tells its reader, or the first lines of a file. */
function readBody(response: Response, text: string, replace: (text: string) => string): unknown {
  const type = response.headers.get('content-type') ?? '';
  if (text === '') return null;
  if (type.includes('json')) return shorten(JSON.parse(text), replace);
  if (type.includes('html')) return readNotices(text).map(replace);
  if (type.includes('css') || type.includes('javascript')) return type;
  if (response.url.endsWith('/metrics')) return readMetrics(text).map(replace);
  if (type.includes('event-stream')) {
    return text.split('\n').map((line) => {
      const data = line.startsWith('data: ') ? line.slice('data: '.length) : null;
      return data === null ? line : shorten(JSON.parse(data), replace);
    });
  }
  return shorten(text.split('\n'), replace);
}

/** Names and labels: the figures count the requests and the seconds of the recording itself. */
function readMetrics(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.startsWith('donor_sync'));
  const names = lines.map((line) => line.slice(0, line.lastIndexOf(' ')));
  return [...new Set(names.filter((name) => !/_http_|_bucket/.test(name)))].sort();
}
