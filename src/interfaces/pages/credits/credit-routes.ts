/** Shows spent credits, remaining credits, and how long the credits will last. */
import type { Hono } from 'hono';
import { z } from 'zod';
import { SPENDING_DAYS } from '../../../credits/spending-view.ts';
import { showBill, showSpending } from '../../../operations/credits.ts';
import { perform } from '../../../operations/kit/perform.ts';
import { sendCsv } from '../../api/operation-routes.ts';
import { getCaller, toOperationDeps } from '../../api/request/caller.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { listZones } from '../frame/month-start.ts';
import type { PageFrame } from '../frame/page-app.ts';

export function creditPageRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const app = frame.room();
  const world = toOperationDeps(deps);
  const { month } = showBill.input.shape;
  // An invalid value counts as omitted, so that old addresses still work.
  const { days, from, sort } = showSpending.input.shape;
  const pageQuery = z.object({
    days: z.coerce.number().pipe(days.unwrap()).catch(SPENDING_DAYS[0]),
    month: month.optional().catch(undefined),
    client: z.string().min(1).optional().catch(undefined),
    from: z.coerce.number().pipe(from.unwrap()).catch(0),
    sort: sort.catch('most-credits'),
  });
  const billQuery = z.object({ month: month.optional().catch(undefined) });

  app.get('/credits', frame.see(showSpending.role), async (c) => {
    const { client, ...query } = pageQuery.parse(c.req.query());
    const view = await perform(world, getCaller(c), showSpending, {
      ...query,
      integration: client,
    });
    const { integrations } = deps.application;
    const shown = view.clients.flatMap(({ integration: id }) => integrations.get(id) ?? []);
    const { renderCredits } = await import('./credits-page.tsx');
    const viewer = frame.getViewer(c.var.principal);
    return c.html(renderCredits(viewer, { ...view, zones: listZones(shown) }));
  });

  app.get('/credits/bill', frame.see(showBill.role), async (c) => {
    const query = billQuery.parse(c.req.query());
    if (query.month === undefined) return c.redirect('/credits', 303);
    const input = { month: query.month };
    const result = await perform(world, getCaller(c), showBill, input);
    return sendCsv(c, showBill, { result, input });
  });
  return app;
}
