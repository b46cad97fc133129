/** Serves the API description: openapi.json, which is built from the routes, and a page. */
import { type OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import { readDocsStyles } from '../pages/assets.ts';
import type { AddressBook } from './request/address-book.ts';
import type { HttpEnv } from './request/context.ts';
import { isLoopbackName } from './request/peer.ts';
import { json } from './request/router.ts';

/**
 * The caching rule of the documents. The documents contain no secrets and change only with a new version of donor-sync.
 */
const CACHE_CONTROL = 'public, max-age=300';

/**
 * Adds GET /openapi.json, GET /docs and the styles of /docs. Call this function after all other API routes were added.
 * The configured address may lack the actual port, so the description uses its own origin.
 */
export function addDocuments(
  app: OpenAPIHono<HttpEnv>,
  version: string,
  address: AddressBook,
): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
    description:
      'An access token, created with `donor-sync tokens create`. Viewers can read, and admins can do everything else.',
  });
  for (const path of DOCUMENTS) app.openAPIRegistry.registerPath(path);
  let document: object | undefined;
  let page: ReturnType<typeof renderDocs> | undefined;
  const documentOnce = async () => {
    const url = address.url();
    const servers = [{ url: isLoopbackName(new URL(url).hostname) ? '/' : url }];
    document ??= {
      ...app.getOpenAPI31Document({
        openapi: '3.1.0',
        info: {
          title: 'donor-sync',
          version,
          description:
            'The HTTP API of donor-sync: clients, runs, decisions, webhooks and more. All errors have the same body.',
        },
        security: [{ token: [] }],
      }),
      'x-error-codes': await describeCodes(),
    };
    return { ...document, servers };
  };
  app.get('/openapi.json', async (c) =>
    c.json(await documentOnce(), 200, { 'Cache-Control': CACHE_CONTROL }),
  );
  app.get('/docs', async (c) => {
    page ??= renderDocs(await documentOnce());
    return c.html(page, 200, { 'Cache-Control': CACHE_CONTROL });
  });
  app.get('/docs/styles.css', (c) =>
    c.body(readDocsStyles(), 200, {
      'Content-Type': 'text/css; charset=utf-8',
      'Cache-Control': CACHE_CONTROL,
    }),
  );
}

/** Describes the meaning of each error code, with the text of `donor-sync help CODE`. */
async function describeCodes(): Promise<Record<string, { means: string; next: string }>> {
  const { explain, listCodes } = await import('../../core/codes/explain.ts');
  const errors = listCodes().flatMap((code) =>
    explain(code).filter(({ kind }) => kind === 'error'),
  );
  return Object.fromEntries(errors.map(({ code, means, next }) => [code, { means, next }]));
}

/** Routes whose responses have no schema: the description itself, and its page. */
const DOCUMENTS: readonly RouteConfig[] = [
  {
    ...documentPath('/openapi.json', 'This description'),
    responses: { 200: { description: 'An OpenAPI 3.1 document.', ...json(z.looseObject({})) } },
  },
  {
    ...documentPath('/docs', 'This description as a page'),
    responses: {
      200: { description: 'A page.', content: { 'text/html': { schema: z.string() } } },
    },
  },
];

function documentPath(path: string, summary: string) {
  const description = 'Needs no token.';
  return { method: 'get' as const, path, summary, tags: ['Documents'], description, security: [] };
}

const contentSchema = z.record(z.string(), z.object({ schema: z.unknown() })).optional();

const operationSchema = z.object({
  tags: z.array(z.string()),
  summary: z.string(),
  description: z.string().optional(),
  security: z.array(z.unknown()).optional(),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.string(),
        required: z.boolean().optional(),
        description: z.string().optional(),
        schema: z.looseObject({ description: z.string().optional() }),
      }),
    )
    .default([]),
  requestBody: z.object({ content: contentSchema }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string(), content: contentSchema })),
});

const documentSchema = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
  'x-error-codes': z.record(z.string(), z.object({ means: z.string(), next: z.string() })),
});

interface Operation extends z.infer<typeof operationSchema> {
  path: string;
  method: string;
}

/** Renders the API description as a page. */
export function renderDocs(document: unknown) {
  const parsed = documentSchema.parse(document);
  const { info, paths, components } = parsed;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const areas = Map.groupBy(operations, ({ tags }) => tags[0] ?? 'Other');
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${info.title}: HTTP API</title>
<link rel="stylesheet" href="/docs/styles.css">
<main>
<h1>${info.title} ${info.version}: HTTP API</h1>
<p>${info.description}</p>
<p>Send <code>Authorization: Bearer TOKEN</code>; <code>donor-sync tokens create</code> creates a token. The same description as data: <a href="/openapi.json">openapi.json</a>.</p>
${[...areas].map(
  ([area, members]) => html`<section>
<h2>${area}</h2>
${members.map(renderOperation)}
</section>
`,
)}
<section>
<h2>Schemas</h2>
${Object.entries(components.schemas).map(
  ([name, schema]) => html`<details id="${name}">
<summary><code>${name}</code></summary>
${renderData(schema)}
</details>
`,
)}
</section>
<section>
<h2>Error codes</h2>
${Object.entries(parsed['x-error-codes']).map(
  ([code, { means, next }]) => html`<details>
<summary><code>${code}</code></summary>
<p>${means}</p>
<p>${next}</p>
</details>
`,
)}
</section>
</main>
</html>`;
}

function renderOperation(operation: Operation) {
  const { path, method, summary, description, security, parameters } = operation;
  return html`<details>
<summary><code>${method.toUpperCase()} ${path}</code> ${summary}</summary>
<p>${description ?? ''} ${security?.length === 0 ? '' : 'Needs an access token.'}</p>
${parameters.length > 0 && renderParameters(operation)}
${renderBody(operation)}
<table>
<tr><th>Status</th><th>Answer</th><th>Body</th></tr>
${Object.entries(operation.responses).map(
  ([status, response]) =>
    html`<tr><td>${status}</td><td>${response.description}</td><td>${renderContent(response.content)}</td></tr>
`,
)}
</table>
</details>
`;
}

function renderParameters({ parameters }: Operation) {
  return html`<table>
<tr><th>Parameter</th><th>In</th><th>Meaning</th></tr>
${parameters.map(
  ({ name, in: place, required, description, schema }) =>
    html`<tr><td><code>${name}</code>${required ? '' : ' (optional)'}</td><td>${place}</td><td>${description ?? schema.description ?? ''}</td></tr>
`,
)}
</table>`;
}

function renderBody({ requestBody }: Operation) {
  return requestBody === undefined ? '' : html`<p>Body: ${renderContent(requestBody.content)}</p>`;
}

const referenceSchema = z.object({ $ref: z.string() });

/** Links to a named schema, or shows the schema. */
function renderContent(content: z.infer<typeof contentSchema>) {
  const [first] = Object.entries(content ?? {});
  if (first === undefined) return '';
  const [type, { schema }] = first;
  if (type !== 'application/json') return html`<code>${type}</code>`;
  const reference = referenceSchema.safeParse(schema);
  if (!reference.success) return renderData(schema);
  const name = reference.data.$ref.split('/').at(-1) ?? '';
  return html`<a href="#${name}">${name}</a>`;
}

function renderData(data: unknown) {
  return html`<pre>${JSON.stringify(data, null, 2)}</pre>`;
}
