/** POST /v1/runs/:id/stop. */
import { createRoute, z } from '@hono/zod-openapi';
import { requestStop } from '../../../sync/statements/runs.ts';
import type { Access } from '../access.ts';
import { findRun } from '../request/client-access.ts';
import type { HttpDeps } from '../request/context.ts';
import { HttpError } from '../request/errors.ts';
import { createRouter, failure, json, problems } from '../request/router.ts';
import { runSchema } from './runs-api.ts';

function stopRoute({ requireRole }: Access) {
  return createRoute({
    method: 'post',
    path: '/v1/runs/{id}/stop',
    tags: ['Runs'],
    summary: 'Stop a run',
    description:
      'For admins. The run ends at its next checkpoint as `incomplete` with the reason `stopped_by_person`, on whichever machine it goes on; what was paid for is kept, and the next run goes on from there. A run that waits does not begin. Answers at once.',
    middleware: [requireRole('admin')] as const,
    request: { params: z.object({ id: z.string() }) },
    responses: {
      202: {
        description: 'It ends, or does not begin.',
        ...json(
          z
            .object({
              run: runSchema,
              state: z.enum(['stopping', 'dropped']).openapi({
                description: '`dropped`: it waited, and does not begin any more.',
              }),
            })
            .openapi('StoppedRun'),
        ),
      },
      ...problems.access,
      ...problems.notFound,
      409: failure('It is over already.'),
    },
  });
}

/** The route that stops runs. */
export function stopRunRoutes({ application: { store } }: HttpDeps, access: Access) {
  return createRouter().openapi(stopRoute(access), async (c) => {
    const { id } = c.req.valid('param');
    const run = await findRun(c, store.reader, id);
    const state = await store.actingAs(c.get('actor')).act((trx) => requestStop(trx, run.id));
    if (state === 'over') throw new HttpError(409, 'run_over', `The run "${id}" is over already.`);
    return c.json({ run, state }, 202);
  });
}
