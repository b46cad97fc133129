/** Charges requests before the work is done, and refunds the charge if necessary (service document, section 4.5). */

import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';
import type { PartnerEnv } from './context.ts';
import type { Bucket, Charge, Credits, Payment } from './credits.ts';
import { isTransient } from './database-file.ts';
import type { CommitTogether } from './shared-commits.ts';

/** An endpoint that costs credits. */
export interface ChargedEndpoint {
  method: string;
  /** A pattern for the complete path of an endpoint, relative to the base URL and without a trailing slash. */
  path: RegExp;
  bucket: Bucket;
  /**
   * Returns the number of credits that a team's request with this body costs. Requests that cost nothing are not
   * metered.
   */
  items(body: unknown, team: string): number;
}

export interface MeterOptions {
  credits: Credits;
  commitTogether: CommitTogether;
  clock: () => number;
  basePath: string;
  endpoints: readonly ChargedEndpoint[];
}

/**
 * Charges a request before the work is done, up to the team's balance, and sets `c.var.charged`. Responds with 402 if
 * the bucket is empty. The handler completes the charge in the transaction of its work (`c.var.settle`). Items that
 * were not processed are refunded. If a request fails (4xx, 5xx) or the service is restarted, the charge is refunded.
 * If the file cannot be written, the caller gets a 500. The charge is refunded as soon as the file can be written
 * again.
 */
export function meterCredits(options: MeterOptions): MiddlewareHandler<PartnerEnv> {
  return async (c, next) => {
    c.set('charged', 0);
    c.set('chargeId', null);
    c.set('settle', () => {});
    const payment = priceRequest(options, c);
    if (payment === undefined) {
      return next();
    }
    const { fault } = c.var;
    if (fault?.kind === 'lateCharge') {
      return payLater(options, c, next, payment, fault.delayMs);
    }
    const { credits, commitTogether } = options;
    const charge = await commitTogether(() => credits.charge(payment));
    if (charge === undefined) {
      return answerInsufficient(c, payment.bucket);
    }
    c.set('charged', charge.amount);
    c.set('chargeId', charge.id);
    c.set('settle', (earned = charge.amount) => credits.settle(charge, earned));
    await next();
    endCharge(credits, charge, c.res.status < 400);
    return undefined;
  };
}

/**
 * Completes the charge of a request after its handler has returned. A request that changes no data, such as a search,
 * leaves the charge to this middleware.
 */
function endCharge(credits: MeterOptions['credits'], charge: Charge, isDone: boolean): void {
  try {
    if (isDone) credits.settle(charge, charge.amount);
    else credits.refund(charge);
  } catch (error) {
    refundLater(() => (isDone ? credits.settle(charge, 0) : credits.refund(charge)));
    throw error;
  }
}

const RETRY_MS = 1_000;

/**
 * Repeats a refund until it succeeds or the database is closed. If the database is closed, the next start makes the
 * refund.
 */
function refundLater(refund: () => void): void {
  const attempt = () => {
    try {
      refund();
    } catch (error) {
      if (isTransient(error)) refundLater(refund);
    }
  };
  setTimeout(attempt, RETRY_MS).unref();
}

function priceRequest(options: MeterOptions, c: Context<PartnerEnv>): Payment | undefined {
  const path = c.req.path.slice(options.basePath.length).replace(/\/$/, '');
  // The router handles HEAD like GET, so a HEAD request costs as much as a GET request.
  const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
  const endpoint = options.endpoints.find(
    (candidate) => candidate.method === method && candidate.path.test(path),
  );
  const { apiKey, team } = c.var.key;
  const amount = endpoint?.items(c.var.body, team) ?? 0;
  if (endpoint === undefined || amount === 0) {
    return undefined;
  }
  const what = `${c.req.method} ${c.req.path}`;
  return { apiKey, team, bucket: endpoint.bucket, amount, what, requestId: c.var.requestId };
}

/** Simulates a lost response and a late charge. */
async function payLater(
  { credits, clock }: MeterOptions,
  c: Context<PartnerEnv>,
  next: () => Promise<void>,
  payment: Payment,
  delayMs: number,
): Promise<Response | undefined> {
  const affordable = Math.min(payment.amount, credits.balances(payment.team)[payment.bucket]);
  if (affordable === 0) {
    return answerInsufficient(c, payment.bucket);
  }
  c.set('charged', affordable);
  await next();
  if (c.res.status < 400) {
    credits.chargeLater({ ...payment, amount: affordable }, clock() + delayMs);
    // If a new response is assigned directly, the framework adds the old headers to it.
    c.res = undefined;
    c.res = resetConnection(c.env);
  }
  return undefined;
}

/** Resets the caller's connection. The returned response is never sent. */
function resetConnection({ incoming }: HttpBindings): Response {
  incoming.socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}

function answerInsufficient(c: Context, bucket: Bucket): Response {
  return c.json(
    {
      error: 'insufficient_partner_api_credits',
      message: `No credits remain in the ${bucket} bucket.`,
      bucket,
      available_credits: 0,
    },
    402,
  );
}
