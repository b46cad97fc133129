/** Metering: charges requests before the work, and refunds them if necessary (service document, section 4.5). */

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
  /** The whole path relative to the base URL. It has no trailing slash. */
  path: RegExp;
  bucket: Bucket;
  /** Returns the cost of a team's request with this body. Free requests are not metered. */
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
 * Charges before the work, as far as the balance allows, and sets `c.var.charged`. 402 if the bucket is empty. The
 * handler settles the charge in its own transaction (`c.var.settle`). Unprocessed items are refunded. Failed requests
 * (4xx, 5xx) and open charges after a restart are refunded. If the file cannot be written, the caller gets a 500. The
 * refund follows as soon as writing works.
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
 * Settles the charge of a request that has been handled. Work without changes, such as a search, leaves this to the
 * middleware.
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

/** Ends when the database is closed. The next start then repeats it. */
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
  // The router handles HEAD in the same way as GET, so HEAD does the same work.
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

/** The response is lost, and the charge comes later. */
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
    // Assigning over a response would merge the old headers.
    c.res = undefined;
    c.res = resetConnection(c.env);
  }
  return undefined;
}

/** Resets the caller's connection. The returned response sends nothing. */
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
