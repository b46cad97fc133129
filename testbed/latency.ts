/** Simulates the time that a request takes to reach a sandbox and that the response takes to return. */

import { setTimeout as sleep } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';

/** The simulated distance to a sandbox. All values are 0 if they are omitted. */
export interface LatencyOptions {
  /** The additional time (ms) of every request. Half of this time passes before the sandbox receives the request. */
  latencyMs?: number;
  /** A random part of this time (ms) is added to each request. */
  jitterMs?: number;
  /** A share of the requests that take much longer. */
  latencyTail?: LatencyTail;
  /** The function that waits. By default, it uses the machine's timers. */
  wait?: Wait;
}

/** Waits for this number of milliseconds. */
export type Wait = (ms: number) => Promise<unknown>;

/** The few requests that take much longer. */
export interface LatencyTail {
  /** The share of these requests, from 0 to 1. */
  probability: number;
  delayMs: number;
}

/** Returns a random travel time for a request, in milliseconds. */
export type DrawLatency = () => number;

/**
 * Creates the latency. An option that is not set uses no random number. Therefore, all other random events are the same
 * as without latency.
 */
export function createLatency(
  { latencyMs = 0, jitterMs = 0, latencyTail }: LatencyOptions,
  random: () => number,
): DrawLatency {
  return () => {
    const jitter = jitterMs === 0 ? 0 : random() * jitterMs;
    const isInTail = latencyTail !== undefined && random() < latencyTail.probability;
    return latencyMs + jitter + (isInTail ? latencyTail.delayMs : 0);
  };
}

export const waitByTimer: Wait = (ms) => sleep(ms, undefined, { ref: false });

/**
 * Creates the middleware, which must come after the log and before the middleware that responds. A request waits for
 * half of its time before it is executed, and for the other half before its response is sent. If a caller disconnects
 * during the first wait, the request is still executed. After the database has been closed, the sandbox no longer
 * executes requests.
 */
export function playLatency(
  timeOf: (c: Context) => number,
  db: { readonly open: boolean },
  wait: Wait,
): MiddlewareHandler {
  return async (c, next) => {
    const halfMs = timeOf(c) / 2;
    if (halfMs === 0) return next();
    await wait(halfMs);
    if (!db.open) return RESPONSE_ALREADY_SENT;
    await next();
    await wait(halfMs);
    return undefined;
  };
}
