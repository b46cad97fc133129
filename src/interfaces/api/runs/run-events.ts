/** GET /v1/runs/:id/events: a run's progress, as server-sent events. */
import { createRoute, z } from '@hono/zod-openapi';
import { messageOf } from '../../../core/errors.ts';
import {
  createRunFollower,
  type FollowedRun,
  type RunDetails,
  type RunFollower,
} from '../../../sync/views/run-follower.ts';
import type { Access } from '../access.ts';
import { findRun } from '../request/client-access.ts';
import type { HttpDeps } from '../request/context.ts';
import { tryLater } from '../request/errors.ts';
import { createRouter, failure, problems } from '../request/router.ts';

/**
 * The maximum duration of a stream. Browsers reconnect automatically. A browser with an expired session is not admitted
 * again.
 */
const MAX_STREAM_MS = 15 * 60_000;

/** The time after which browsers reconnect. */
const RETRY_MS = 2_000;

/** The maximum number of open streams. Each open stream occupies a connection. */
const MAX_LISTENERS = 400;

function eventsRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/runs/{id}/events',
    tags: ['Runs'],
    summary: 'Follow a run',
    description:
      'Server-sent events: `progress` after each change, and `ended` once at the end. Each contains the whole run as GET /v1/runs/{id} returns it, and its progress (`progress`). Nothing is missed after a reconnect, so `Last-Event-ID` is not needed.',
    middleware: [requireRole('viewer')] as const,
    request: { params: z.object({ id: z.string() }) },
    responses: {
      200: {
        description: 'Events until the run ends.',
        content: { 'text/event-stream': { schema: z.string() } },
      },
      ...problems.access,
      ...problems.notFound,
      503: failure('Too many callers are already following runs; Retry-After tells when to retry.'),
    },
  });
}

/** Returns the route that streams the state of a run. */
export function runEventRoutes(deps: HttpDeps, access: Access) {
  const { application, clock, log, stopping } = deps;
  const { store } = application;
  let listeners = 0;
  const follower = createRunFollower({
    store,
    clock,
    stopping,
    toMessage: encodeEvent,
    onError: (run, error) => log.warn({ run, error: messageOf(error) }, 'a run could not be read'),
  });
  return createRouter().openapi(eventsRoute(access), async (c) => {
    const { id: runId } = await findRun(c, store.reader, c.req.valid('param').id);
    const headers = {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      // Without this header, some proxies buffer events.
      'X-Accel-Buffering': 'no',
    };
    // The stream for a HEAD request would never end.
    if (c.req.method === 'HEAD') return c.body(null, 200, headers);
    if (listeners >= MAX_LISTENERS) {
      throw tryLater(
        503,
        'too_many_listeners',
        'Too many callers are already following runs.',
        RETRY_MS,
      );
    }
    listeners += 1;
    const events = follow({ follower, clock }, runId, () => {
      listeners -= 1;
    });
    return c.body(events, 200, { ...headers, 'Transfer-Encoding': 'chunked' });
  });
}

interface FollowDeps {
  follower: RunFollower<Uint8Array>;
  clock: HttpDeps['clock'];
}

const encoder = new TextEncoder();

/** Encodes an event. Each event contains the whole run, so missed events do not matter. */
function encodeEvent(run: FollowedRun): Uint8Array {
  const name = run.status === 'running' ? 'progress' : 'ended';
  return encoder.encode(`event: ${name}\ndata: ${JSON.stringify(run)}\nretry: ${RETRY_MS}\n\n`);
}

const STILL_HERE = encoder.encode(': still here\n\n');

/**
 * Sends events until the run ends, the listener disconnects, or the time limit is reached. A slow listener later gets
 * only the newest event.
 */
function follow(
  { follower, clock }: FollowDeps,
  runId: string,
  onGone: () => void,
): ReadableStream<Uint8Array> {
  let go: () => void = () => undefined;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const until = clock.now() + MAX_STREAM_MS;
      let sent: RunDetails<Uint8Array> | null = null;
      let isQuiet = true;
      let hasGone = false;
      const end = () => {
        if (hasGone) return;
        go();
        controller.close();
      };
      const send = (bytes: Uint8Array) => {
        isQuiet = false;
        controller.enqueue(bytes);
      };
      const isReading = () => (controller.desiredSize ?? 0) > 0;
      let leave: () => void = () => undefined;
      go = () => {
        if (hasGone) return;
        hasGone = true;
        leave();
        onGone();
      };
      leave = follower.join(runId, {
        see(look) {
          if (hasGone || look === sent || !(isReading() || look.hasEnded)) return;
          sent = look;
          send(look.message);
          if (look.hasEnded) end();
        },
        beat() {
          if (hasGone) return;
          if (clock.now() >= until) return end();
          if (isQuiet && isReading()) send(STILL_HERE);
          isQuiet = true;
        },
        leave: end,
      });
    },
    cancel: () => go(),
  });
}
