/** Sends events: gathered, signed, and again where the receiver did not take them. */

import { setTimeout as sleep } from 'node:timers/promises';
import { isOnThisMachine } from '../../crm/this-machine.ts';
import type { WebhookEvent } from './event.ts';
import { signatureHeaders } from './signature.ts';
import type { WebhookSettings } from './webhook-store.ts';

/** The most events of one delivery. */
const MAX_EVENTS = 100;
/** As often as HubSpot tries again. */
const MAX_RETRIES = 10;
/** A receiver that takes longer has not taken it. */
const TIMEOUT_MS = 5000;
/** How many deliveries are remembered; older ones are forgotten. */
const MAX_DELIVERIES = 1000;
const USER_AGENT =
  'HubSpot Connect 2.0 (http://dev.hubspot.com/) (namespace: webhooks-nio-http-client) - WebhooksExecutorDaemon-executor';

/** How events are sent. */
export interface SenderOptions {
  clientSecret: string;
  /** Read before each delivery. */
  settings(): WebhookSettings | null;
  clock: () => number;
  /** Events are gathered for so long before they are sent. */
  batchMs: number;
  /** How long to wait before a delivery is tried again. */
  retryMs: number;
}

/** One attempt to deliver events. */
export interface Delivery {
  id: number;
  /** ISO time. */
  at: string;
  url: string;
  headers: Record<string, string>;
  /** The JSON that was sent. */
  body: string;
  /** From 0. */
  attemptNumber: number;
  /** Null where there was no answer. */
  status: number | null;
  /** Null where there was one. */
  error: string | null;
}

/** What makes a delivery different from an honest one. */
export interface Forgery {
  /** Right by default, in the first version and the third; `v1` in the first one alone. */
  signature?: 'right' | 'wrong' | 'missing' | 'v1' | undefined;
  /** How old the request claims to be. */
  ageMs?: number | undefined;
}

/** Sends until it is closed. */
export interface Sender {
  /** Sends events in a little while, if there is an address for them. */
  queue(events: readonly WebhookEvent[]): void;
  /** Sends this body at once and once only; undefined if there is no address for it. */
  send(body: string, forgery?: Forgery): Promise<Delivery | undefined>;
  /** Attempts that are over, oldest first. */
  deliveries(): readonly Delivery[];
  /** How many events have yet to be taken by the receiver. */
  waiting(): number;
  /** Sends nothing any more; what is under way is cut off. */
  close(): void;
}

/** Starts with nothing to send. */
export function createSender(options: SenderOptions): Sender {
  const closing = new AbortController();
  const deliveries: Delivery[] = [];
  let queued: WebhookEvent[] = [];
  let batch: NodeJS.Timeout | undefined;
  let underWay = 0;
  let waiting = 0;
  let count = 0;

  /** Sends what is queued, as far as the settings allow at once; the rest follows what is under way. */
  function sendQueued(): void {
    while (queued.length > 0 && underWay < (options.settings()?.maxConcurrentRequests ?? 1)) {
      const events = queued.splice(0, MAX_EVENTS);
      underWay += 1;
      void deliver(events).finally(() => {
        underWay -= 1;
        waiting -= events.length;
        if (!closing.signal.aborted) sendQueued();
      });
    }
  }

  function sendBatch(): void {
    batch = undefined;
    sendQueued();
  }

  /** Until it is taken, or no attempt is left, or it is not wanted any more. */
  async function deliver(events: readonly WebhookEvent[]): Promise<void> {
    for (let attemptNumber = 0; attemptNumber <= MAX_RETRIES; attemptNumber += 1) {
      if (attemptNumber > 0) await pause(options.retryMs, closing.signal);
      if (closing.signal.aborted) return;
      const body = JSON.stringify(events.map((event) => ({ ...event, attemptNumber })));
      const delivery = await attempt(body, attemptNumber, {});
      if (delivery === undefined || isTaken(delivery)) return;
    }
  }

  async function attempt(body: string, attemptNumber: number, forgery: Forgery) {
    const target = options.settings()?.targetUrl;
    if (target === undefined || !isOnThisMachine(target)) return undefined;
    const url = new URL(target).href;
    const headers = headersOf(options, { url, body, forgery });
    const at = new Date(options.clock()).toISOString();
    const outcome = await post(url, { headers, body }, closing.signal);
    count += 1;
    const delivery = { id: count, at, url, headers, body, attemptNumber, ...outcome };
    deliveries.push(delivery);
    if (deliveries.length > MAX_DELIVERIES) deliveries.shift();
    return delivery;
  }

  return {
    queue(events) {
      if (closing.signal.aborted || events.length === 0 || options.settings() === null) return;
      queued.push(...events);
      waiting += events.length;
      batch ??= setTimeout(sendBatch, options.batchMs).unref();
    },
    send: (body, forgery = {}) => attempt(body, 0, forgery),
    deliveries: () => deliveries,
    waiting: () => waiting,
    close() {
      clearTimeout(batch);
      queued = [];
      closing.abort();
    },
  };
}

function isTaken({ status }: Delivery): boolean {
  return status !== null && status >= 200 && status < 300;
}

function headersOf(
  { clientSecret, clock }: SenderOptions,
  { url, body, forgery }: { url: string; body: string; forgery: Forgery },
): Record<string, string> {
  const { signature = 'right', ageMs = 0 } = forgery;
  const secret = signature === 'wrong' ? `not ${clientSecret}` : clientSecret;
  const timestampMs = clock() - ageMs;
  const signed = signatureHeaders(secret, { method: 'POST', url, body, timestampMs });
  return {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    'X-HubSpot-Timeout-Millis': String(TIMEOUT_MS),
    ...(signature === 'missing' ? {} : signature === 'v1' ? onlyFirst(signed) : signed),
  };
}

function onlyFirst(signed: Record<string, string>): Record<string, string> {
  const isFirst = ([name]: [string, string]) => !/-v3$|-Timestamp$/.test(name);
  return Object.fromEntries(Object.entries(signed).filter(isFirst));
}

/** Redirects are not followed, as they may lead away from this machine. */
async function post(
  url: string,
  request: { headers: Record<string, string>; body: string },
  closing: AbortSignal,
): Promise<Pick<Delivery, 'status' | 'error'>> {
  try {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await fetch(url, { method: 'POST', redirect: 'manual', signal, ...request });
    await response.arrayBuffer();
    return { status: response.status, error: null };
  } catch (error) {
    return { status: null, error: String(error) };
  }
}

/** Ends early, and without an error, when the sandbox closes. */
async function pause(ms: number, closing: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: closing, ref: false }).catch(() => undefined);
}
