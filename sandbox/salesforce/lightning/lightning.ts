/**
 * A stand-in for Lightning Experience. The stand-in shows the record page of an org with a deployed project. The page
 * shows the project's Lightning web components, and runs its quick actions, screen flows and External Services.
 * Salesforce's own compiler has compiled the components.
 */

import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { z } from 'zod';
import { serve } from '../../../testbed/serving.ts';
import { type Credentials, createExternalServices, mayRunFlow } from './external-services.ts';
import { escapeHtml, type Interview, type Screen, startInterview } from './flow.ts';
import { childrenOf, type Element, type Project, readComponents, textOf } from './metadata.ts';

export interface LightningOptions {
  /** The org, with the session of the user who opens the pages. */
  org: { baseUrl: string; token: string };
  project: Project;
  /**
   * Compiled modules. The key is the name with which other modules import the module. The module `lwc` is Salesforce's
   * engine.
   */
  modules: ReadonlyMap<string, string>;
  credentials: Credentials;
}

export interface Lightning {
  /** The address, without a trailing slash. A record's page is at `/lightning/r/Contact/ID/view`. */
  url: string;
  close(): Promise<void>;
}

const API = '/services/data/v67.0';

const interviewSchema = z.object({ flow: z.string(), recordId: z.string() });

/** Starts the stand-in. The promise resolves when the stand-in accepts requests. */
export async function startLightning(options: LightningOptions): Promise<Lightning> {
  const { project, modules } = options;
  const ask = (path: string) => askOrg(options.org, path);
  const identity = z
    .object({ organization_id: z.string() })
    .parse(await (await ask('/services/oauth2/userinfo')).json());
  const org = {
    flows: readComponents(project, 'flow'),
    callAction: createExternalServices(project, options.credentials),
    organizationId: identity.organization_id,
    findRecord: (object: string, id: string, fields: readonly string[]) =>
      findRecord(ask, object, id, fields),
  };
  const interviews = new Map<string, Interview>();

  const app = new Hono();
  app.get('/lightning/r/:object/:id/view', (c) => {
    const { object, id } = c.req.param();
    return c.html(renderPage(options, [...modules.keys()], object, id));
  });
  app.get('/lightning/modules/:name{.+}', (c) => {
    const text = modules.get(c.req.param('name'));
    return text === undefined
      ? c.notFound()
      : c.body(text, 200, { 'content-type': 'text/javascript' });
  });
  app.get('/lightning/ui-api/records/:id', async (c) => {
    const { search } = new URL(c.req.url);
    const response = await ask(`${API}/ui-api/records/${c.req.param('id')}${search}`);
    return c.body(await response.text(), response.ok ? 200 : 404, {
      'content-type': 'application/json',
    });
  });
  app.post('/lightning/interviews', async (c) => {
    const { flow, recordId } = interviewSchema.parse(await c.req.json());
    const id = randomUUID();
    const interview = startInterview(org, flow, recordId);
    interviews.set(id, interview);
    return c.json({ id, screen: await interview.next() });
  });
  app.post('/lightning/interviews/:id/next', async (c) => {
    const interview = interviews.get(c.req.param('id'));
    if (interview === undefined) return c.notFound();
    const screen: Screen | null = await interview.next();
    return c.json({ id: c.req.param('id'), screen });
  });
  const { rootUrl, close } = await serve(app, { close: () => {} }, {});
  return { url: rootUrl, close };
}

type Ask = (path: string) => Promise<Response>;

function askOrg({ baseUrl, token }: LightningOptions['org'], path: string): Promise<Response> {
  return fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
}

async function findRecord(ask: Ask, object: string, id: string, fields: readonly string[]) {
  const response = await ask(`${API}/sobjects/${object}/${id}?fields=${fields.join(',')}`);
  return response.ok ? response.json() : undefined;
}

/**
 * Renders a record page. Its actions are the quick actions of the object. The page shows all of them, as if they were
 * on the page layout. If the user cannot run an action's flow, the page does not show the action.
 */
function renderPage(
  { project, credentials }: Pick<LightningOptions, 'project' | 'credentials'>,
  modules: readonly string[],
  object: string,
  id: string,
): string {
  const actions = [...readComponents(project, 'quickAction')].filter(
    ([name, action]) =>
      name.startsWith(`${object}.`) &&
      mayRunFlow(project, credentials, textOf(action, 'flowDefinition') ?? ''),
  );
  const sections = [...readComponents(project, 'js')].filter(([, meta]) =>
    isPlacedOn(meta, object),
  );
  const imports = Object.fromEntries(
    modules.map((name) => [name, `/lightning/modules/${encodeURI(name)}`]),
  );
  const boot = {
    object,
    id,
    sections: sections.map(([name, meta]) => ({ name, properties: readDefaults(meta) })),
  };
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(object)} | Salesforce</title>
<link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports })}</script></head>
<body><main><h1>${escapeHtml(object)} ${escapeHtml(id)}</h1>
<div role="toolbar" aria-label="Actions">${actions
    .map(
      ([, action]) =>
        `<button type="button" data-flow="${escapeHtml(textOf(action, 'flowDefinition') ?? '')}">${escapeHtml(textOf(action, 'label') ?? '')}</button>`,
    )
    .join('')}</div>
<div id="sections"></div></main>
<dialog aria-labelledby="screen-title"><h2 id="screen-title"></h2><div id="screen-text"></div>
<button type="button" id="screen-button"></button></dialog>
<script type="application/json" id="boot">${JSON.stringify(boot).replaceAll('<', '\\u003c')}</script>
<script type="module">${PAGE_SCRIPT}</script></body></html>`;
}

function isPlacedOn(meta: Element, object: string): boolean {
  return targetConfigs(meta).some((config) =>
    childrenOf(config, 'objects').some((objects) =>
      childrenOf(objects, 'object').some(({ text }) => text === object),
    ),
  );
}

/** Returns the initial values of the component's properties in the Lightning App Builder. */
function readDefaults(meta: Element): Record<string, string> {
  return Object.fromEntries(
    targetConfigs(meta)
      .flatMap((config) => childrenOf(config, 'property'))
      .map(({ attributes }) => [attributes['name'] ?? '', attributes['default'] ?? '']),
  );
}

function targetConfigs(meta: Element): Element[] {
  return childrenOf(meta, 'targetConfigs').flatMap((configs) =>
    childrenOf(configs, 'targetConfig'),
  );
}

const PAGE_SCRIPT = `
import { createElement } from 'lwc';
const { object, id, sections } = JSON.parse(document.getElementById('boot').textContent);
for (const { name, properties } of sections) {
  const { default: Section } = await import('c/' + name);
  const element = createElement('c-' + name.toLowerCase(), { is: Section });
  Object.assign(element, properties, { recordId: id, objectApiName: object });
  document.getElementById('sections').append(element);
}
const dialog = document.querySelector('dialog');
const button = document.getElementById('screen-button');
let interview = null;
async function post(path, body) {
  const response = await fetch('/lightning/interviews' + path, { method: 'POST', body: JSON.stringify(body ?? {}) });
  const { id: running, screen } = await response.json();
  interview = running;
  if (screen === null) return dialog.close();
  document.getElementById('screen-title').textContent = screen.label;
  document.getElementById('screen-text').innerHTML = screen.html;
  button.textContent = screen.button;
  if (!dialog.open) dialog.showModal();
}
button.addEventListener('click', () => post('/' + interview + '/next'));
for (const action of document.querySelectorAll('[data-flow]')) {
  action.addEventListener('click', () => post('', { flow: action.dataset.flow, recordId: id }));
}
document.body.dataset.ready = 'true';
`;
