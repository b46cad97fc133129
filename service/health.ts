/**
 * Health checks (service document, section 4.4). Health checks are free, but require a key like all other endpoints.
 */

import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import type { PartnerEnv } from './context.ts';
import { commonErrors, json } from './errors.ts';
import { createRouter } from './router.ts';

const AREAS = ['donors', 'enhancements', 'exports', 'lists', 'networks', 'search'] as const;

/** Creates the health endpoints. Add the health endpoints before routes such as /donors/{id}. */
export function healthRoutes(): OpenAPIHono<PartnerEnv> {
  const router = createRouter();
  for (const area of AREAS) {
    router.openapi(healthRoute(area), (c) => c.json({ status: 'ok' }, 200));
  }
  return router;
}

function healthRoute(area: string) {
  return createRoute({
    method: 'get',
    path: `/${area}/health`,
    tags: ['Health'],
    summary: `Health of ${area}`,
    description: 'Free.',
    responses: {
      200: { description: 'It works.', ...json(z.object({ status: z.string() })) },
      ...commonErrors,
    },
  });
}
