import { createRoute, z } from '@hono/zod-openapi';
import type { Access } from './access.ts';
import type { Metrics } from './metrics.ts';
import { accessErrors, createRouter } from './request/router.ts';

function metricsRoute({ requireViewerUnlessLocal }: Access) {
  return createRoute({
    method: 'get',
    path: '/metrics',
    tags: ['Health'],
    summary: 'Metrics for Prometheus',
    description: 'On this machine no token is needed, unless the service has a public address.',
    middleware: [requireViewerUnlessLocal()] as const,
    responses: {
      200: {
        description: 'The text format of Prometheus.',
        content: { 'text/plain': { schema: z.string() } },
      },
      ...accessErrors,
    },
  });
}

/** GET /metrics. */
export function metricsRoutes(metrics: Metrics, access: Access) {
  return createRouter().openapi(metricsRoute(access), async (c) => {
    const { text, contentType } = await metrics.render();
    return c.text(text, 200, { 'Content-Type': contentType });
  });
}
