/** Sends events in signed batches. If the receiver does not accept a batch, sends it again. */

import { setTimeout as sleep } from 'node:timers/promises';
import { isOnThisMachine } from '../../crm/this-machine.ts';
import type { WebhookEvent } from './event.ts';
import { signatureHeaders } from './signature.ts';
import type { WebhookSettings } from './webhook-store.ts';

/** The maximum number of events in one delivery. */
const MAX_EVENTS = 100;
/** The number of retries that HubSpot makes. */
const MAX_RETRIES = 10;
/** A receiver that takes longer is treated as if it had not accepted the delivery. */
const TIMEOUT_MS = 5000;
/** The number of deliveries that are kept. Older ones are dropped. */
const MAX_DELIVERIES = 1000;
const USER_AGENT =
  'HubSpot Connect 2.0 (http://dev.hubspot.com/) (namespace: webhooks-nio-http-client) - WebhooksExecutorDaemon-executor';

/** The options for sending events. */
export interface SenderOptions {
  clientSecret: string;
  /** Read before each delivery. */
  settings(): WebhookSettings | null;
  clock: () => number;
  /** The time (ms) for which events are collected before they are sent. */
  batchMs: number;
  /** Milliseconds before a delivery is retried. */
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
  /** Counted from 0. */
  attemptNumber: number;
  /** Null if there was no response. */
  status: number | null;
  /** Null if there was a response. */
  error: string | null;
}

/** The differences between a forged delivery and a genuine one. */
export interface Forgery {
  /**
   * By default, the signature is correct and has versions 1 and 3. `v1` signs only in version 1.
   */
  signature?: 'right' | 'wrong' | 'missing' | 'v1' | undefined;
  /** The age that the forged request claims to have. */
  ageMs?: number | undefined;
}

/** Sends events until it is closed. */
export interface Sender {
  /** If there is an address for the events, sends them after a short delay. */
  queue(events: readonly WebhookEvent[]): void;
  /**
   * Sends this body immediately, without retries. Returns undefined if there is no address for it.
   */
  send(body: string, forgery?: Forgery): Promise<Delivery | undefined>;
  /** Finished attempts, oldest first. */
  deliveries(): readonly Delivery[];
  /** Returns the number of events that the receiver has not accepted yet. */
  waiting(): number;
  /** Stops sending. Deliveries in flight are cut off. */
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

  /**
   * Sends queued events, up to the number of concurrent deliveries that the settings allow. The
   * other events are sent after deliveries have finished.
   */
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

  /** Retries until the delivery is accepted, no attempt is left, or it is no longer wanted. */
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

/** Redirects are not followed, because they may lead to a different machine. */
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

/** Ends early and throws no error if the sandbox closes. */
async function pause(ms: number, closing: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: closing, ref: false }).catch(() => undefined);
}
