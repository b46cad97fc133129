/**
 * Simulates the network between a process and the service, which delays, loses, cuts and damages requests and
 * responses.
 */
import type { Life } from '../processes/process.ts';
import type { Random } from '../random.ts';
import type { Faults } from '../swarm/swarm.ts';
import type { Timeline } from '../timeline.ts';
import type { ServiceAnswer, ServiceModel, ServiceRequest } from './service.ts';

export const BASE_URL = 'https://partner.example/v1/partners';

export interface WireDeps {
  timeline: Timeline;
  random: Random;
  service: ServiceModel;
  /** The time (ms) after a lost response in which the product does not rely on a balance. */
  quietMs: number;
  /** The latency of a submission's response (ms). */
  submitMs: number;
  faults(): Faults;
  say(who: string, what: string): void;
  /** Called when the complete response to a request has reached its process. */
  onAnswered(request: ServiceRequest, answer: ServiceAnswer, givenAt: number): void;
  /** Called when the process knows that there will be no response. */
  onGivenUp(request: ServiceRequest, endpoint: string): void;
  onFault(fault: string, endpoint: string): void;
  /** Called when a process has decided to send a request. */
  onSend(request: ServiceRequest, endpoint: string): void;
}

const LOST_ANSWERS = ['lost answer', 'late request', 'overtaken'] as const;

/** Creates the `fetch` for one process. */
export function createWire(deps: WireDeps, life: Life): typeof globalThis.fetch {
  const { timeline, random, service, say } = deps;

  return async (input, init = {}) => {
    const request = requestOf(String(input), init, life.name, timeline.now());
    const endpoint = endpointOf(request);
    deps.onSend(request, endpoint);
    await life.point(`send ${endpoint}`);
    const { signal } = init;
    signal?.throwIfAborted();
    const reply = Promise.withResolvers<Response>();
    const leave = () => reply.reject(signal?.reason);
    signal?.addEventListener('abort', leave, { once: true });
    send(request, endpoint, reply, () => signal?.aborted === true);
    try {
      const response = await reply.promise;
      await life.point(`answer ${endpoint}`);
      return response;
    } catch (error) {
      deps.onGivenUp(request, endpoint);
      await life.point(`no answer ${endpoint}`);
      throw error;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  };

  function send(
    request: ServiceRequest,
    endpoint: string,
    { resolve, reject }: PromiseWithResolvers<Response>,
    isGivenUp: () => boolean,
  ): void {
    const faults = deps.faults();
    const isPaid = endpoint === 'POST /enhancements';
    const fault = pickFault(faults, isPaid ? 3 : 1);
    // A request in flight arrives within the quiet time, even if its sender died long ago.
    const isLate = fault === 'late request' || fault === 'overtaken';
    const slowMs = isPaid ? deps.submitMs * random.next() : 0;
    // The service can charge at any moment of its work, but no later than allowed.
    const workMs = isLate ? 0 : Math.min(slowMs * random.next(), deps.quietMs * 0.5);
    const wayMs = isLate ? deps.quietMs * 0.8 * random.next() : random.magnitude(5, 400);
    const thereMs = wayMs + workMs;
    const backMs = random.magnitude(5, 400) + (slowMs - workMs);
    if (fault !== null) deps.onFault(fault, endpoint);
    if (fault === 'lost request') {
      say('the network', `loses ${endpoint} of process ${life.name}`);
      breakOff(backMs);
      return;
    }
    if (fault === 'no connection') {
      const cause = Object.assign(new Error('refused'), {
        code: 'ECONNREFUSED',
        syscall: 'connect',
      });
      timeline.after(backMs, () => reject(new TypeError('fetch failed', { cause })), life);
      return;
    }
    if (fault === 'overtaken') {
      say('the network', `breaks under ${endpoint} of process ${life.name}, which arrives later`);
      breakOff(backMs);
      timeline.after(thereMs, () => service.handle(request));
      return;
    }
    timeline.after(thereMs, () => {
      if (fault === 'gateway before') {
        say('the gateway', `answers 502 to ${endpoint} of process ${life.name}`);
        timeline.after(backMs, () => resolve(new Response('bad gateway', { status: 502 })), life);
        return;
      }
      if (fault === 'server error') {
        say('the service', `answers 500 to ${endpoint} of process ${life.name}`);
        const body = JSON.stringify({ detail: 'internal' });
        const headers = {
          date: new Date(timeline.now()).toUTCString(),
          'content-type': 'application/json',
        };
        timeline.after(backMs, () => resolve(new Response(body, { status: 500, headers })), life);
        return;
      }
      if (fault === 'throttle') service.drain(request.key);
      const answer = service.handle(request);
      const givenAt = timeline.now();
      if (fault === 'lost answer') {
        say('the network', `loses the answer to ${endpoint} of process ${life.name}`);
        breakOff(backMs);
        return;
      }
      if (fault === 'gateway after') {
        say('the gateway', `answers 502 to ${endpoint} of process ${life.name}, which was done`);
        timeline.after(backMs, () => resolve(new Response('bad gateway', { status: 502 })), life);
        return;
      }
      if (fault === 'cut answer')
        say('the network', `cuts the answer to ${endpoint} of process ${life.name}`);
      timeline.after(
        backMs,
        () => {
          const isWhole = fault !== 'cut answer';
          if (isWhole && !isGivenUp()) deps.onAnswered(request, answer, givenAt);
          resolve(responseOf(answer, fault === 'cut answer'));
        },
        life,
      );
    });

    /** The connection breaks immediately, or the process never receives a response. */
    function breakOff(ms: number): void {
      if (random.chance(0.3)) return;
      const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
      timeline.after(ms, () => reject(new TypeError('fetch failed', { cause })), life);
    }
  }

  /** Chooses a fault at random. Requests that cost credits fail more often than others. */
  function pickFault(faults: Faults, weight: number) {
    if (random.chance(faults.lostRequest)) return random.pick(['lost request', 'no connection']);
    if (random.chance(faults.lostAnswer * weight)) return random.pick(LOST_ANSWERS);
    if (random.chance(faults.cutAnswer)) return 'cut answer';
    if (random.chance(faults.badGateway)) return random.pick(['gateway before', 'gateway after']);
    if (random.chance(faults.serverError)) return 'server error';
    if (random.chance(faults.throttle)) return 'throttle';
    return null;
  }
}

function requestOf(url: string, init: RequestInit, sender: string, sentAt: number): ServiceRequest {
  const headers = new Headers(init.headers);
  return {
    method: init.method ?? 'GET',
    path: url.slice(BASE_URL.length),
    key: headers.get('x-api-key') ?? '',
    body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
    sender,
    sentAt,
  };
}

/** Returns the endpoint of a request without IDs, as the coverage counts it. */
export function endpointOf({ method, path }: Pick<ServiceRequest, 'method' | 'path'>): string {
  const bare = path.replace(/\?.*/, '').replace(/\/(n\d+|a\d+|[0-9a-f]{32})(?=\/|$)/g, '/ID');
  return `${method} ${bare}`;
}

function responseOf({ status, headers, body }: ServiceAnswer, isCut: boolean): Response {
  if (status === 204) return new Response(null, { status, headers });
  const text = body === null ? '' : JSON.stringify(body);
  if (!isCut) return new Response(text, { status, headers });
  const half = new TextEncoder().encode(text.slice(0, Math.floor(text.length / 2)));
  let isSent = false;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isSent) controller.error(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
      else controller.enqueue(half);
      isSent = true;
    },
  });
  return new Response(stream, { status, headers });
}
