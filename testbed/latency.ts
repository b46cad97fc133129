/** How long a request is on its way to a sandbox and back. */

import { setTimeout as sleep } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';

/** How far away a sandbox seems; everything is 0 by default. */
export interface LatencyOptions {
  /** Every request takes so long besides, half of it on its way there. */
  latencyMs?: number;
  /** A part of this, drawn for each request, is added. */
  jitterMs?: number;
  /** Some requests, from none (0) to all (1), take so much longer. */
  latencyTail?: LatencyTail;
  /** How a request waits so many milliseconds; by the time of this machine by default. */
  wait?: Wait;
}

/** Resolves when so many milliseconds have passed. */
export type Wait = (ms: number) => Promise<unknown>;

/** The few requests that take much longer. */
export interface LatencyTail {
  /** From 0 to 1. */
  probability: number;
  delayMs: number;
}

/** Draws how long a request is on its way, in milliseconds. */
export type DrawLatency = () => number;

/** Only what the options ask for draws a number: other chances stay as they were without it. */
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
 * To stand before all that answers, but behind the log. A request waits half of its time before
 * anything happens to it and half with its answer, so a caller who leaves in between is served as well. One
 * that arrives when the database is closed was on its way to a sandbox that has ended.
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
