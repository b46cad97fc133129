/** Credits: what was spent and by which client, what is left, and for how long. */
import type { Hono } from 'hono';
import { z } from 'zod';
import { sendBill } from '../../api/credits-api.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import type { PageFrame } from '../frame/page-app.ts';
import type { CreditReader } from './credit-reader.ts';
import { MONTH, readCredits, spendingQuerySchema } from './spending.ts';

export function creditPageRoutes(
  deps: HttpDeps,
  frame: PageFrame,
  credits: CreditReader,
): Hono<HttpEnv> {
  const app = frame.room();

  app.get('/credits', frame.see('viewer'), async (c) => {
    const query = spendingQuerySchema.parse(c.req.query());
    const view = await readCredits({ ...deps, credits }, c, query);
    const { renderCredits } = await import('./credits-page.tsx');
    return c.html(renderCredits(frame.getViewer(c.var.principal), view));
  });

  app.get('/credits/bill', frame.see('viewer'), (c) => {
    const { month } = billQuerySchema.parse(c.req.query());
    return month === null ? c.redirect('/credits', 303) : sendBill(deps, c, month);
  });
  return app;
}

const billQuerySchema = z.object({ month: z.string().regex(MONTH).nullable().catch(null) });
