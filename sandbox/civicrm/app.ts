/** Assembles the routes and the middleware. */

import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { playFaults } from '../../testbed/faults.ts';
import { type DrawLatency, playLatency, type Wait } from '../../testbed/latency.ts';
import { logRequests } from '../../testbed/request-log.ts';
import { addHeaders, detailsOf, getPath } from '../crm/requests.ts';
import { isTooMuch } from './contacts/read-contacts.ts';
import { type ControlOptions, controlRoutes } from './control/control.ts';
import { ApiError, PhpFatalError, SignInError } from './core/errors.ts';
import { act } from './requests/actions.ts';
import { signIn } from './requests/authx.ts';
import type { CivicrmFault } from './requests/faults.ts';
import type { Site } from './site/site.ts';

export interface AppOptions extends ControlOptions {
  apiKey: string;
  drawLatency: DrawLatency;
  wait: Wait;
  random: () => number;
  /** Called with unexpected errors. */
  report: (error: Error) => void;
}

interface CivicrmEnv {
  Bindings: HttpBindings;
  Variables: { fault: CivicrmFault | undefined };
}

type CivicrmContext = Context<CivicrmEnv>;

/** The path of APIv4 on sites with clean URLs: Drupal, Backdrop, Standalone and WordPress. */
export const API_PATH = '/civicrm/ajax/api4';

/** Creates the site's routes and the routes of the sandbox's own controls. */
export function createApp(options: AppOptions): Hono<CivicrmEnv> {
  const { site, clock } = { ...options, clock: options.site.clock };
  const app = new Hono<CivicrmEnv>({ getPath });
  app.notFound(() => page(404, 'Page not found'));
  app.onError((error, c) => answerError(c, error, options));
  app.route('/_sandbox', controlRoutes(options));
  app.use(logRequests(options.requests, clock, detailsOf));
  app.use(playLatency(options.drawLatency, site.db, options.wait));
  app.use(addHeaders(clock, () => ({})));
  app.use(playFaults(options.faults));
  app.all(`${API_PATH}/:entity/:action`, (c) => {
    const { entity, action } = c.req.param();
    return answer(c, options, entity, action);
  });
  // Joomla, and WordPress without clean URLs, send the path as a query parameter.
  app.all('*', (c) => {
    const route = c.req.query('task') ?? c.req.query('q') ?? '';
    const [, entity, action] = /^\/?civicrm\/ajax\/api4\/(\w+)\/(\w+)$/.exec(route) ?? [];
    if (entity === undefined || action === undefined) return page(404, 'Page not found');
    return answer(c, options, entity, action);
  });
  return app;
}

async function answer(
  c: CivicrmContext,
  options: AppOptions,
  entity: string,
  action: string,
): Promise<Response> {
  const { site, apiKey } = options;
  const early = playEarly(c.var.fault);
  if (early !== null) return early;
  const civiAuth = c.req.header('x-civi-auth');
  const authorization = c.req.header('authorization');
  const isUser = signIn(site, { civiAuth, authorization }, apiKey);
  if (c.req.header('x-requested-with') !== 'XMLHttpRequest') {
    const text = 'SECURITY ALERT: Ajax requests can only be issued by javascript clients.';
    return Response.json({ error_code: 400, error_message: text }, { status: 400 });
  }
  if (!isUser || !site.permissions.has('access AJAX API')) return page(403, 'Access denied');
  if (c.req.method === 'GET' && !action.toLowerCase().startsWith('get')) {
    const text = 'SECURITY: All requests that modify the database must be http POST, not GET.';
    return Response.json({ error_code: 405, error_message: text }, { status: 405 });
  }
  const form = c.req.method === 'GET' ? c.req.query() : await c.req.parseBody();
  const params = JSON.parse(String(form['params'] ?? '{}'));
  const found = act(site, entity, action, params);
  if (isTooMuch(site, found)) return overload(site);
  if (c.var.fault?.kind === 'fatal') return fatal(c.var.fault.status);
  const { values, countMatched } = found;
  const body = {
    values: pick(values, form['index']),
    entity,
    action,
    debug: null,
    version: 4,
    // If APIv4 knows the number of matching rows, it returns the number here.
    count: countMatched ?? values.length,
    countFetched: values.length,
    ...(countMatched === undefined ? {} : { countMatched }),
  };
  const warning = site.variants().phpWarnings ? PHP_WARNING : '';
  return new Response(warning + JSON.stringify(body), {
    headers: { 'content-type': 'application/json' },
  });
}

/**
 * Selects rows with the parameter `index` of APIv4. The parameter is a row's position, or the field whose values become
 * the keys.
 */
function pick(values: readonly Record<string, unknown>[], index: unknown): unknown {
  if (typeof index !== 'string' || index === '') return values;
  if (/^-?\d+$/.test(index)) return values.at(Number(index)) ?? null;
  return Object.fromEntries(values.map((row) => [String(row[index]), row]));
}

const PHP_WARNING =
  '<br />\n<b>Warning</b>:  Undefined array key "uf" in <b>/var/www/ext/hook.php</b> on line <b>12</b><br />\n';

function playEarly(fault: CivicrmFault | undefined): Response | null {
  if (fault?.kind === 'fatal' && !fault.isDone) return fatal(fault.status);
  if (fault?.kind === 'firewall') return page(403, 'Attention Required!');
  if (fault?.kind === 'error') return errorBody(500, GENERIC);
  if (fault?.kind !== 'maintenance') return null;
  const body = { status_code: 503, status_message: 'Temporarily unavailable for maintenance.' };
  return Response.json(body, { status: 503 });
}

function overload(site: Site): Response {
  switch (site.variants().overload) {
    case 'fatal500':
      return fatal(500);
    case 'page200':
      return fatal(200);
    case 'gateway504':
      return page(504, 'Gateway Time-out');
    case 'empty200':
      return new Response('', { status: 200 });
  }
}

function fatal(status: number): Response {
  const text =
    '<br />\n<b>Fatal error</b>:  Maximum execution time of 30 seconds exceeded in <b>DAO.php</b><br />';
  return new Response(text, { status, headers: { 'content-type': 'text/html' } });
}

function page(status: number, title: string): Response {
  const html = `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;
  return new Response(html, { status, headers: { 'content-type': 'text/html' } });
}

const GENERIC = 'Sorry an error occurred and your request was not completed.';

/** Responds to an error. Users without the permission `view debug output` see only that the request failed. */
function answerError(_c: CivicrmContext, error: Error, options: AppOptions): Response {
  if (error instanceof PhpFatalError) return fatal(500);
  const { site, random, report } = options;
  if (error instanceof SignInError) {
    const headers = { 'content-type': 'text/plain' };
    return new Response(`HTTP 401 ${error.message}`, { status: 401, headers });
  }
  if (!(error instanceof ApiError)) {
    report(error);
    return errorBody(500, `${GENERIC} (unexpected)`);
  }
  const { status, message } = error;
  if (site.permissions.has('view debug output')) {
    return Response.json({ error_code: 0, error_message: message, status }, { status });
  }
  const id = Math.floor(random() * 36 ** 8).toString(36);
  return errorBody(status, `${GENERIC} (Error ID: ${id})`);
}

function errorBody(status: number, message: string): Response {
  return Response.json({ error_code: '1', error_message: message, status }, { status });
}
