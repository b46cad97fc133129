/**
 * Health checks. One check reports whether the process is alive, and the other check reports whether the process can do
 * its work.
 */
import { createRoute, z } from '@hono/zod-openapi';
import { type Clock, isoTime } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import { findDatabaseProblem } from '../../database/readiness.ts';
import type { HttpDeps } from './request/context.ts';
import { createRouter, json } from './request/router.ts';

/**
 * The maximum time since the last check of the schedules, which happens several times a minute. After this time, the
 * scheduler is stuck.
 */
const MAX_TICK_AGE_MS = 180_000;

/**
 * The shortest interval between two database checks. Each database check writes to the database, and anyone may request
 * a check.
 */
const STORE_LOOK_INTERVAL_MS = 1_000;

/** A database that takes longer than this counts as failed. */
const STORE_TIMEOUT_MS = 5_000;

const checkSchema = z.object({
  ok: z.boolean(),
  problem: z.string().nullable(),
});

const readinessSchema = z
  .object({
    status: z.enum(['ready', 'unready']),
    checks: z.object({ store: checkSchema, schedules: checkSchema }),
  })
  .openapi('Readiness');

type Check = z.infer<typeof checkSchema>;

const liveRoute = createRoute({
  method: 'get',
  path: '/healthz',
  tags: ['Health'],
  summary: 'Is the process alive?',
  description: 'Needs no token. Restart the process if this does not respond.',
  security: [],
  responses: {
    200: { description: 'It is.', ...json(z.object({ status: z.literal('ok') })) },
  },
});

const readyRoute = createRoute({
  method: 'get',
  path: '/readyz',
  tags: ['Health'],
  summary: 'Can the service do its work?',
  description:
    'Needs no token. Ready means that the database can be written, has the schema of this program, and the schedules are running.',
  security: [],
  responses: {
    200: { description: 'It can.', ...json(readinessSchema) },
    503: {
      description: 'The service cannot do its work; `checks` names the problem.',
      ...json(readinessSchema),
    },
  },
});

/** Adds GET /healthz and GET /readyz. */
export function healthRoutes(deps: HttpDeps) {
  const startedAt = deps.clock.now();
  const checkStoreAtTimes = atMostEvery(STORE_LOOK_INTERVAL_MS, deps.clock, () => checkStore(deps));
  return createRouter()
    .openapi(liveRoute, (c) => c.json({ status: 'ok' as const }, 200))
    .openapi(readyRoute, async (c) => {
      const checks = { store: await checkStoreAtTimes(), schedules: checkTick(deps, startedAt) };
      const isReady = checks.store.ok && checks.schedules.ok;
      return isReady
        ? c.json({ status: 'ready' as const, checks }, 200)
        : c.json({ status: 'unready' as const, checks }, 503);
    });
}

/** Returns the last result if it is recent. Does the work again if the last result is too old. */
function atMostEvery<Result>(
  intervalMs: number,
  clock: Pick<Clock, 'now'>,
  work: () => Promise<Result>,
): () => Promise<Result> {
  let last: { at: number; result: Promise<Result> } | null = null;
  return () => {
    const now = clock.now();
    // If the clock was set back, the last result may seem to be from the future.
    if (last === null || now < last.at || now - last.at >= intervalMs) {
      last = { at: now, result: work() };
    }
    return last.result;
  };
}

/** Checks whether the database works. Anyone can read the response, so internal errors are only logged. */
async function checkStore({ application, clock, log }: HttpDeps): Promise<Check> {
  const waiting = new AbortController();
  const timeout = clock.sleep(STORE_TIMEOUT_MS, waiting.signal).then(() => 'does not respond');
  try {
    const { connection, requireInPlace } = application.store;
    const found = findDatabaseProblem(connection, requireInPlace);
    const problem = await Promise.race([found, timeout]);
    return { ok: problem === null, problem };
  } catch (error) {
    log.error({ error: messageOf(error) }, 'the store is not ready');
    return { ok: false, problem: 'cannot be written' };
  } finally {
    waiting.abort();
  }
}

/** Checks the age of the scheduler's last check. Before the first check, uses the time since the start. */
function checkTick({ clock, lastTickAt }: HttpDeps, startedAt: number): Check {
  const last = lastTickAt() ?? startedAt;
  if (clock.now() - last <= MAX_TICK_AGE_MS) return { ok: true, problem: null };
  return { ok: false, problem: `not checked since ${isoTime(last)}` };
}
