/** The endpoints of section 4.4 about a team's account, which cost no credits. */

import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import type { PartnerEnv } from './context.ts';
import type { Credits } from './credits.ts';
import { commonErrors, json } from './errors.ts';
import { createRouter } from './router.ts';

const remaining = z.number().int().min(0);

const creditsRoute = createRoute({
  method: 'get',
  path: '/credits',
  tags: ['Account'],
  summary: 'Credits remaining in each bucket',
  description: 'Free.',
  responses: {
    200: {
      description: 'The balance.',
      ...json(
        z
          .object({
            donors: remaining,
            enhancements: remaining,
            exports: remaining,
            lists: remaining,
            networks: remaining,
            searches: remaining,
          })
          .openapi('Credits'),
      ),
    },
    ...commonErrors,
  },
});

const testRoute = createRoute({
  method: 'get',
  path: '/test',
  tags: ['Account'],
  summary: 'Whether the key is recognized and linked to an active team',
  description: 'Free.',
  responses: {
    200: {
      description: 'It is.',
      ...json(z.object({ status: z.int(), message: z.string(), team: z.string() })),
    },
    ...commonErrors,
  },
});

/** Creates the routes GET /credits and GET /test of section 4.4. */
export function accountRoutes(credits: Pick<Credits, 'balances'>): OpenAPIHono<PartnerEnv> {
  const router = createRouter();
  router.openapi(creditsRoute, (c) => c.json(credits.balances(c.var.key.team), 200));
  router.openapi(testRoute, (c) =>
    c.json({ status: 200, message: 'The key works', team: c.var.key.team }, 200),
  );
  return router;
}
