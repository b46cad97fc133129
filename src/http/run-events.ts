/** GET /v1/runs/:id/events: a run as it goes on, as server-sent events. */
import { createRoute, z } from '@hono/zod-openapi';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import { messageOf } from '../core/errors.ts';
import type { RunReport } from '../core/run.ts';
import { findRunReport } from '../views/run.ts';
import type { Access } from './access.ts';
import type { HttpDeps } from './request/context.ts';
import { tryLater } from './request/errors.ts';
import { createRouter, failure, problems } from './request/router.ts';
import { runUnknown } from './runs.ts';

/** How often the store is asked how far the run is. */
const LOOK_INTERVAL_MS = 1_000;

/** A line that says nothing keeps proxies from closing a quiet stream. */
const HEARTBEAT_INTERVAL_MS = 15_000;

/** Browsers come back by themselves; one whose token has ended meanwhile does not get in again. */
const MAX_STREAM_MS = 15 * 60_000;

/** A little longer: by then a stream has ended by itself, unless its listener does not read. */
const MAX_STALLED_MS = MAX_STREAM_MS + 60_000;

/** How soon browsers come back. */
const RETRY_MS = 2_000;

/** Open streams; each costs a connection and a look at the store every second. */
const MAX_LISTENERS = 100;

function eventsRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/runs/{id}/events',
    tags: ['Runs'],
    summary: 'Follow a run',
    description:
      'Server-sent events. `progress` whenever something changed and `ended` once at the end, each with the whole run as GET /v1/runs/{id} shows it. So nothing is missed by coming back: `Last-Event-ID` is not needed.',
    middleware: [requireRole('viewer')] as const,
    request: { params: z.object({ id: z.string() }) },
    responses: {
      200: {
        description: 'Events until the run ends.',
        content: { 'text/event-stream': { schema: z.string() } },
      },
      ...problems.access,
      ...problems.notFound,
      503: failure('Too many follow runs already; Retry-After says when to come back.'),
    },
  });
}

/** The route that follows a run. */
export function runEventRoutes(deps: HttpDeps, access: Access) {
  let listeners = 0;
  return createRouter().openapi(eventsRoute(access), async (c) => {
    const { id } = c.req.valid('param');
    const report = await findRunReport(deps.application.store, id);
    if (report === null) throw runUnknown(id);
    // No client reads what follows the headers here, so that a stream would never end.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' });
    if (listeners >= MAX_LISTENERS) {
      throw tryLater(503, 'too_many_listeners', 'Too many follow runs already.', RETRY_MS);
    }
    listeners += 1;
    c.header('Cache-Control', 'no-store');
    // Some proxies would gather the events otherwise.
    c.header('X-Accel-Buffering', 'no');
    return streamSSE(c, async (stream) => {
      try {
        await followForAWhile(deps, report, stream);
      } catch (error) {
        deps.log.warn({ run: id, error: messageOf(error) }, 'a run could not be followed further');
      } finally {
        listeners -= 1;
      }
    });
  });
}

/** Follows, but not for longer than the time allows for a listener that has stopped to read. */
async function followForAWhile(
  deps: Pick<HttpDeps, 'application' | 'clock'>,
  report: RunReport,
  stream: SSEStreamingApi,
): Promise<void> {
  const over = new AbortController();
  void deps.clock.sleep(MAX_STALLED_MS, over.signal).then(() => {
    if (!over.signal.aborted) stream.abort();
  });
  try {
    await follow(deps, report, stream);
  } finally {
    over.abort();
  }
}

/** Tells of the run until it ends, the listener goes, or the time is up. */
async function follow(
  { application: { store }, clock }: Pick<HttpDeps, 'application' | 'clock'>,
  first: RunReport,
  stream: SSEStreamingApi,
): Promise<void> {
  const gone = new AbortController();
  stream.onAbort(() => gone.abort());
  const until = clock.now() + MAX_STREAM_MS;
  let report = first;
  let sent = '';
  let sentAt = clock.now();
  while (clock.now() < until) {
    const data = JSON.stringify(report);
    const hasEnded = report.status !== 'running';
    if (data !== sent) {
      await stream.writeSSE({ event: hasEnded ? 'ended' : 'progress', data, retry: RETRY_MS });
      [sent, sentAt] = [data, clock.now()];
    } else if (clock.now() - sentAt >= HEARTBEAT_INTERVAL_MS) {
      await stream.write(': still here\n\n');
      sentAt = clock.now();
    }
    if (hasEnded) return;
    await clock.sleep(LOOK_INTERVAL_MS, gone.signal);
    if (gone.signal.aborted) return;
    const now = await findRunReport(store, report.id);
    // A run that was taken up anew after a crash goes on under another id.
    if (now === null) return;
    report = now;
  }
}
