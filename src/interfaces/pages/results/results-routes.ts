/** Shows each client's results in a month, and their cost. */
import type { Hono } from 'hono';
import { z } from 'zod';
import { perform } from '../../../operations/kit/perform.ts';
import { showResults } from '../../../operations/results.ts';
import { getCaller, toOperationDeps } from '../../api/request/caller.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { listZones } from '../frame/month-start.ts';
import type { PageFrame } from '../frame/page-app.ts';

export function resultPageRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const app = frame.room();
  const world = toOperationDeps(deps);
  const { month, from } = showResults.input.shape;
  // An invalid value counts as omitted, so that an old address still opens the page.
  const pageQuery = z.object({
    month: month.catch(undefined),
    client: z.string().min(1).optional().catch(undefined),
    from: z.coerce.number().pipe(from.unwrap()).catch(0),
  });

  app.get('/results', frame.see(showResults.role), async (c) => {
    const { client, ...query } = pageQuery.parse(c.req.query());
    const input = { ...query, integration: client };
    const { results } = await perform(world, getCaller(c), showResults, input);
    const { integrations } = deps.application;
    const shown = results.clients.flatMap(({ integration: id }) => integrations.get(id) ?? []);
    const { renderResults } = await import('./results-page.tsx');
    c.header('Cache-Control', 'no-store');
    return c.html(
      renderResults(frame.getViewer(c.var.principal), {
        ...results,
        client: client ?? null,
        prices: deps.application.settings.credits?.price,
        zones: listZones(shown),
      }),
    );
  });
  return app;
}
