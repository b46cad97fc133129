/** GET /v1/credits and its bill: what was spent, what is left, and for how long. */
import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { stream } from 'hono/streaming';
import { BILL_HEADER, billLines, pagesOfBill, SPENDING_DAYS } from '../../credits/spending-view.ts';
import { BUCKETS } from '../../partner/buckets.ts';
import type { CreditReader } from '../pages/credits/credit-reader.ts';
import { MONTH, readCredits } from '../pages/credits/spending.ts';
import type { Access } from './access.ts';
import { listAccessible, listAccessibleIds } from './request/client-access.ts';
import type { HttpDeps, HttpEnv } from './request/context.ts';
import { createRouter, json, problems } from './request/router.ts';

const count = z.int().nonnegative();
const day = z.iso.date();
const spent = { enhancements: count, networks: count, written: count };
const budgetSchema = z.object({ spent: count, perMonth: count.nullable() });

const forecastSchema = z
  .object({
    usedUpOn: day,
    perDay: z.number(),
    days: count.openapi({ description: 'The days that it rests on.' }),
    leftOut: z.object({ day, credits: count }).nullable(),
  })
  .nullable()
  .openapi({ description: 'Null where too little is known.' });

const creditsSchema = z
  .object({
    integration: z.string().nullable(),
    days: z.array(z.object({ day, ...spent })),
    month: z.string(),
    months: z.array(z.string()),
    clients: z.array(
      z.object({
        integration: z.string(),
        name: z.string(),
        ...spent,
        perWritten: z.number().nullable(),
        budget: z.object({ enhancements: budgetSchema, networks: budgetSchema }).nullable(),
      }),
    ),
    total: count,
    from: count,
    keys: z.array(
      z.object({
        integrations: z.array(z.string()),
        balances: z.record(z.enum(BUCKETS), count).nullable(),
        readAt: z.iso.datetime().nullable(),
        trouble: z.enum(['key_rejected', 'key_expired', 'unanswered']).nullable(),
        forecasts: z.object({ enhancements: forecastSchema, networks: forecastSchema }),
        texts: z.array(z.string()),
      }),
    ),
  })
  .openapi('Credits');

const month = z
  .string()
  .regex(MONTH, 'is a year and a month, such as 2026-11')
  .openapi({ example: '2026-11' });

function creditsRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/credits',
    tags: ['Credits'],
    summary: 'Show what was spent, what is left, and for how long',
    description:
      'By day and by client of a month (UTC); added up whenever a run ends. Asking for the balances is free, and done at most twice a minute.',
    middleware: [requireRole('viewer')] as const,
    request: {
      query: z.object({
        days: z.enum(SPENDING_DAYS.map(String)).default(String(SPENDING_DAYS[0])),
        month: month.optional(),
        integration: z.string().min(1).optional(),
        from: z.coerce.number().int().min(0).max(1_000_000).default(0),
      }),
    },
    responses: {
      200: { description: 'The credits.', ...json(creditsSchema) },
      ...problems.access,
      ...problems.notFound,
      ...problems.invalid,
    },
  });
}

function billRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/credits/bill',
    tags: ['Credits'],
    summary: 'The bill of a month as CSV',
    description: 'A line for each client that has spent credits or written contacts.',
    middleware: [requireRole('viewer')] as const,
    request: { query: z.object({ month }) },
    responses: {
      200: { description: 'The file.', content: { 'text/csv': { schema: z.string() } } },
      ...problems.access,
      ...problems.invalid,
    },
  });
}

/** The routes of credits. */
export function creditRoutes(deps: HttpDeps, access: Access, credits: CreditReader) {
  return createRouter()
    .openapi(creditsRoute(access), async (c) => {
      const { days, month, integration, from } = c.req.valid('query');
      const question = { days: Number(days), month: month ?? null, from };
      const client = integration ?? null;
      return c.json(await readCredits({ ...deps, credits }, c, { ...question, client }), 200);
    })
    .openapi(billRoute(access), (c) => sendBill(deps, c, c.req.valid('query').month));
}

/** The bill of a month, of the clients within reach. */
export function sendBill(
  { application }: Pick<HttpDeps, 'application'>,
  c: Context<HttpEnv>,
  month: string,
): Response {
  const within = listAccessible(c, application);
  const reach = listAccessibleIds(c) ?? null;
  c.header('Content-Type', 'text/csv; charset=utf-8');
  c.header('Content-Disposition', `attachment; filename="credits-${month}.csv"`);
  return stream(c, async (out) => {
    await out.write(BILL_HEADER);
    for await (const clients of pagesOfBill(application.store, within, month, reach)) {
      await out.write(billLines(month, clients));
    }
  });
}
