/** The service's documents: openapi.json, which is generated from the routes, and a human-readable page. */

import { type OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import type { PartnerEnv } from './context.ts';
import { commonErrors, json } from './errors.ts';
import type { RateLimit } from './limits.ts';
import { piece } from './pieces.ts';

/**
 * Adds GET /openapi.json, /docs and /redoc to the service. Call the function after all routes have been added. The
 * documents are generated when a caller first requests them. Returns the page for browsers, because browsers cannot
 * send a key.
 */
export function addDocuments(
  service: OpenAPIHono<PartnerEnv>,
  basePath: string,
  { title, rateLimit: { ratePerSecond, burst } }: { title: string; rateLimit: RateLimit },
) {
  service.openAPIRegistry.registerComponent('securitySchemes', 'ApiKey', {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description:
      "Belongs to one team, and gives access to that team's data, lists, networks and credits.",
  });
  for (const path of DOCUMENTS) {
    service.openAPIRegistry.registerPath(path);
  }
  const document = piece(() =>
    withOperationIds(
      service.getOpenAPI31Document({
        openapi: '3.1.0',
        info: {
          title,
          version: '1',
          license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
          // The current limit, for clients that read it, or null if the sandbox has no limit.
          'x-rate-limit': { requests_per_second: ratePerSecond || null, burst },
        },
        servers: [{ url: basePath }],
        security: [{ ApiKey: [] }],
        tags: TAGS,
      }),
    ),
  );
  const page = piece(() => renderDocs(document()));
  service.get('/openapi.json', (c) => c.json(document()));
  service.get('/docs', (c) => c.html(page()));
  service.get('/redoc', (c) => c.html(page()));
  return page;
}

const TAGS = [
  { name: 'Account', description: "The caller's own balance and key." },
  { name: 'Health', description: 'Whether an area works.' },
  { name: 'Donors', description: 'Profiles and their metadata.' },
  { name: 'Search', description: 'Search donors by name, place, wealth and ties.' },
  { name: 'Lists', description: 'Lists of donors that a team saves.' },
  { name: 'Exports', description: 'Donors as files.' },
  { name: 'Networks', description: 'Networks of people whom the team knows.' },
  { name: 'Connections', description: 'Which donors know each other, and how likely this is.' },
  {
    name: 'Enhancement',
    description:
      'Submit people, follow the jobs, and fetch the profiles. The paths exist in two forms.',
  },
  { name: 'Documents', description: 'This document.' },
];

type Document = ReturnType<OpenAPIHono<PartnerEnv>['getOpenAPI31Document']>;

/**
 * Assigns a unique ID to each operation. The ID is derived from the method and the path. Generated clients use the ID
 * as a method name.
 */
function withOperationIds(document: Document): Document {
  const paths = Object.entries(document.paths ?? {}).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [
        method,
        { operationId: operationIdOf(method, path), ...operation },
      ]),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
}

/**
 * Returns an operation's ID. For example, the ID of `GET /donors/{id}/metadata` is getDonorMetadata. Without `{id}` in
 * the path, the ID would be getDonorsMetadata.
 */
function operationIdOf(method: string, path: string): string {
  const words = path.split('/').filter((word) => word !== '');
  const names = words.flatMap((word, at) => {
    if (word.startsWith('{')) return [];
    const isOne = words[at + 1]?.startsWith('{') === true;
    return [isOne ? word.replace(/(?<!s)s$/, '') : word];
  });
  const capital = (word: string) =>
    word.slice(0, 1).toUpperCase() + word.slice(1).replace('.json', '');
  return method + (names.length === 0 ? 'Root' : names.map(capital).join(''));
}

/** The paths whose responses have no schema: the two pages and openapi.json. */
const DOCUMENTS: readonly RouteConfig[] = [
  {
    ...documentPath('/openapi.json', 'This document'),
    responses: {
      200: { description: 'An OpenAPI 3.1 document.', ...json(z.looseObject({})) },
      ...commonErrors,
    },
  },
  ...['/docs', '/redoc'].map((path) => ({
    ...documentPath(path, 'This document as a page'),
    responses: {
      200: { description: 'A page.', content: { 'text/html': { schema: z.string() } } },
      ...commonErrors,
    },
  })),
];

function documentPath(path: string, summary: string) {
  return { method: 'get' as const, path, summary, tags: ['Documents'], description: 'Free.' };
}

const documentShape = z.object({
  info: z.object({ title: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ summary: z.string() }))),
  components: z.looseObject({}),
});

function renderDocs(document: unknown) {
  const { info, paths, components } = documentShape.parse(document);
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${info.title}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  summary { cursor: pointer; padding: 0.3rem 0; }
  code { font-weight: 600; }
  pre { background: #f4f4f4; padding: 1rem; overflow: auto; }
</style>
<h1>${info.title}</h1>
<p>Every endpoint needs the header <code>x-api-key</code>. The same as data: <code>GET /openapi.json</code>.</p>
${endpoints.map(
  ({ path, method, operation }) => html`<details>
<summary><code>${method.toUpperCase()} ${path}</code> ${operation.summary}</summary>
<pre>${JSON.stringify(operation, null, 2)}</pre>
</details>
`,
)}
<h2>Schemas</h2>
<pre>${JSON.stringify(components, null, 2)}</pre>
</html>`;
}

/** Returns the page at a donor's address, which contains the service's name and no data. */
export function donorPage(title: string) {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem; }
</style>
<h1>${title}</h1>
<p>This address identifies a person in a private Partner Data Service, which your organization runs. The page shows no data about
the person. To read the profile, send a request with your team's key to the API.</p>
</html>`;
}
