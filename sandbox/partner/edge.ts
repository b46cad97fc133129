/**
 * The middleware between a caller and the service. The middleware writes the log, adds latency in both directions, and
 * simulates faults.
 */

import type { Context, MiddlewareHandler } from 'hono';
import { BASE_PATH } from '../../service/app.ts';
import type { PartnerEnv } from '../../service/context.ts';
import { chargedEnhancements, type PathForms } from '../../service/enhancements.ts';
import type { Faults } from '../../testbed/fault-rules.ts';
import { playFaults } from '../../testbed/faults.ts';
import { type DrawLatency, playLatency, type Wait } from '../../testbed/latency.ts';
import { logRequests, type RequestLog } from '../../testbed/request-log.ts';
import type { PartnerFault } from './faults.ts';

/** Additional details of a request for the log. */
export interface RequestDetails {
  requestId: string;
  apiKey: string | null;
}

/** The objects from which the middleware is built. */
export interface EdgeOptions {
  clock: () => number;
  db: { readonly open: boolean };
  faults: Faults<PartnerFault>;
  forms: PathForms;
  requests: Pick<RequestLog<RequestDetails>, 'add'>;
  drawLatency: DrawLatency;
  wait: Wait;
  /** The additional time (ms) of submissions that cost credits. */
  submitLatencyMs: number;
}

/** Creates the middleware. The outermost function comes first. */
export function createEdge(options: EdgeOptions): MiddlewareHandler[] {
  return [
    logRequests(options.requests, options.clock, detailsOf),
    playLatency(latencyOf(options), options.db, options.wait),
    playFaults(options.faults),
  ];
}

/** Returns the latency of a request. For a submission, the additional time is included. */
function latencyOf({ drawLatency, submitLatencyMs, forms }: EdgeOptions): (c: Context) => number {
  const submits = chargedEnhancements(forms);
  return ({ req }) => {
    const path = req.path.slice(BASE_PATH.length).replace(/\/$/, '');
    const isSubmit = submits.some((one) => one.method === req.method && one.path.test(path));
    return drawLatency() + (isSubmit ? submitLatencyMs : 0);
  };
}

function detailsOf(c: Context<PartnerEnv>): RequestDetails {
  return { requestId: c.var.requestId, apiKey: c.req.header('x-api-key') ?? null };
}
