/** The travel time of a request to a sandbox and back. */

import { setTimeout as sleep } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';

/** The simulated distance to a sandbox. All values are 0 by default. */
export interface LatencyOptions {
  /** The additional time of every request. Half of it passes before the request arrives. */
  latencyMs?: number;
  /** A random part of this is added to each request. */
  jitterMs?: number;
  /** Some requests, from none (0) to all (1), take this much longer. */
  latencyTail?: LatencyTail;
  /** Waits this many milliseconds. By default, this uses the machine's timers. */
  wait?: Wait;
}

/** Resolves after that many milliseconds. */
export type Wait = (ms: number) => Promise<unknown>;

/** The few requests that take much longer. */
export interface LatencyTail {
  /** From 0 to 1. */
  probability: number;
  delayMs: number;
}

/** Returns a random travel time for a request, in milliseconds. */
export type DrawLatency = () => number;

/**
 * Only options that are set use a random number. Other random events therefore stay the same as
 * without latency.
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
 * This middleware comes after the log but before everything that responds. A request waits half of
 * its time before it is processed and half before its response is sent. If a caller disconnects
 * during the wait, the request is therefore also processed. A request that arrives after the
 * database was closed was sent to a sandbox that has ended.
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
