/** The API's own documents: openapi.json, made from the routes, and a page for people. */
import { type OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import { readDocsStyles } from './assets.ts';
import { renderDocs } from './docs-page.ts';
import type { HttpEnv } from './request/context.ts';
import { isLoopbackName } from './request/peer.ts';
import { json } from './request/router.ts';

/** Nothing in them is secret, and they change with the version alone. */
const CACHE_CONTROL = 'public, max-age=300';

/**
 * Adds GET /openapi.json, /docs and its styles; all routes of the API must be there before. On one
 * machine the address of the settings may lack the port that was taken: the description then says
 * that the API is where itself came from.
 */
export function addDocuments(app: OpenAPIHono<HttpEnv>, version: string, publicUrl: string): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token: `donor-sync tokens create`. Viewers read, admins do the rest.',
  });
  for (const path of DOCUMENTS) app.openAPIRegistry.registerPath(path);
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'donor-sync',
      version,
      description: 'Runs, holds and webhooks of donor-sync. Errors have the same body everywhere.',
    },
    servers: [{ url: isLoopbackName(new URL(publicUrl).hostname) ? '/' : publicUrl }],
    security: [{ token: [] }],
  });
  const page = renderDocs(document);
  const styles = readDocsStyles();
  app.get('/openapi.json', (c) => c.json(document, 200, { 'Cache-Control': CACHE_CONTROL }));
  app.get('/docs', (c) => c.html(page, 200, { 'Cache-Control': CACHE_CONTROL }));
  app.get('/docs/styles.css', (c) =>
    c.body(styles, 200, {
      'Content-Type': 'text/css; charset=utf-8',
      'Cache-Control': CACHE_CONTROL,
    }),
  );
}

/** These answer without a schema of ours: the document itself, and a page. */
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
