/** Sends events in signed batches. If the receiver does not accept a batch, the sender repeats it. */

import { setTimeout as sleep } from 'node:timers/promises';
import { isOnThisMachine } from '../../crm/this-machine.ts';
import type { WebhookEvent } from './event.ts';
import { signatureHeaders } from './signature.ts';
import type { WebhookSettings } from './webhook-store.ts';

/** The maximum number of events in one delivery. */
const MAX_EVENTS = 100;
/** The number of retries that HubSpot makes. */
const MAX_RETRIES = 10;
/** The timeout of a delivery (ms). If the receiver takes longer, the delivery counts as not accepted. */
const TIMEOUT_MS = 5000;
/** The number of deliveries to remember. Older deliveries are forgotten. */
const MAX_DELIVERIES = 1000;
const USER_AGENT =
  'HubSpot Connect 2.0 (http://dev.hubspot.com/) (namespace: webhooks-nio-http-client) - WebhooksExecutorDaemon-executor';

/** The options for sending events. */
export interface SenderOptions {
  clientSecret: string;
  /** Returns the current settings. The sender calls this function before each delivery. */
  settings(): WebhookSettings | null;
  clock: () => number;
  /** The time (ms) for which events are collected before they are sent. */
  batchMs: number;
  /** The time (ms) before the sender repeats a delivery. */
  retryMs: number;
}

/** One attempt to deliver events. */
export interface Delivery {
  id: number;
  /** The time of the attempt in ISO format. */
  at: string;
  url: string;
  headers: Record<string, string>;
  /** The JSON body that was sent. */
  body: string;
  /** The number of the attempt, counted from 0. */
  attemptNumber: number;
  /** The HTTP status, or null if there was no response. */
  status: number | null;
  /** The error, or null if there was a response. */
  error: string | null;
}

/** The differences between a forged delivery and a real delivery. */
export interface Forgery {
  /**
   * The kind of signature. By default, the signature is correct and has the versions 1 and 3. With `v1`, the call is
   * signed only with version 1.
   */
  signature?: 'right' | 'wrong' | 'missing' | 'v1' | undefined;
  /** The age (ms) of the request, according to its timestamp. */
  ageMs?: number | undefined;
}

/** Sends events until it is closed. */
export interface Sender {
  /** Sends events after a short delay, if an address for events is set. */
  queue(events: readonly WebhookEvent[]): void;
  /** Sends this body immediately, without retries. Returns undefined if no address is set. */
  send(body: string, forgery?: Forgery): Promise<Delivery | undefined>;
  /** Returns the finished attempts, oldest first. */
  deliveries(): readonly Delivery[];
  /** Returns the number of events that the receiver has not accepted yet. */
  waiting(): number;
  /** Stops sending. Deliveries in flight are cut off. */
  close(): void;
}

/** Creates a sender without events. */
export function createSender(options: SenderOptions): Sender {
  const closing = new AbortController();
  const deliveries: Delivery[] = [];
  let queued: WebhookEvent[] = [];
  let batch: NodeJS.Timeout | undefined;
  let underWay = 0;
  let waiting = 0;
  let count = 0;

  /**
   * Sends waiting events. The settings limit how many deliveries run at the same time. The remaining events are sent
   * after a delivery has finished.
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

  /** Repeats a delivery until the receiver accepts it, no attempt is left, or the subscription has been removed. */
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

/** Sends a POST request. Redirects are not followed, because they may lead to a different machine. */
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

/** Waits. Ends early without an error if the sandbox is closed. */
async function pause(ms: number, closing: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: closing, ref: false }).catch(() => undefined);
}
