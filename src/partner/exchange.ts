import type { Clock } from '../core/clock.ts';
import type { DonorSyncError } from '../core/errors.ts';
import {
  type AnswerHead,
  type AnswerHeaders,
  type BrokenBy,
  exchange,
  MAX_ANSWER_BYTES,
  type Outcome,
  type Outgoing,
  type SendRequest,
} from '../outbound/exchange.ts';
import { retryAfterMs } from '../outbound/retry.ts';
import type { Charge } from './buckets.ts';
import type { Lane } from './key-pace.ts';

/** An outgoing request. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path. Empty for the base URL itself. */
  path: string;
  /** The method and the path without IDs, for errors, logs and reports. */
  endpoint: string;
  lane: Lane;
  /** The JSON body. A call without this property has no body. */
  body?: unknown;
  charges: Charge;
  /** The part of a successful response that the caller uses. `nothing` means that the caller uses only the status. */
  reads: 'json' | 'file' | 'nothing';
  /** Returns the problem with the JSON in a free call's response, or null if there is no problem. */
  faultIn?: (json: unknown) => DonorSyncError | null;
  /** The time that the service may need for this request, in addition to the usual timeout. */
  workMs?: number;
}

/** The result of one request. */
export type Exchange =
  | { kind: 'answered'; status: number; retryAfterMs: number | null; body: Body }
  /** The request certainly never reached the service. */
  | { kind: 'unsent'; cause: unknown }
  /** The request may have reached the service, and the service may have carried it out. */
  | { kind: 'broken'; problem: string; cause: unknown };

/** The body of a response. `problem` describes the body's error without quoting the body. */
export type Body =
  | { kind: 'json'; json: unknown }
  | { kind: 'file'; file: ReceivedFile }
  | { kind: 'unreadable'; problem: string };

/** A file in a response. The recipient must read the whole file, because the connection stays open until then. */
export interface ReceivedFile {
  chunks: AsyncIterable<Uint8Array>;
  /** The content type, such as `text/csv; charset=utf-8`. Null if the service does not state it. */
  contentType: string | null;
  /** The file name that the service suggests, without any folder. Null if the service suggests none. */
  fileName: string | null;
}

export interface Line {
  /** The base URL without a trailing slash. */
  baseUrl: string;
  apiKey: string;
  fetch: SendRequest;
  clock: Clock;
  /** Records the service's time. Called for every response. */
  time: Pick<ServiceTime, 'note'>;
  /** The maximum time for a free request, from connecting to the last byte of the response. */
  requestTimeoutMs: number;
  /** The timeout for a call that costs credits or may cost credits. */
  submitTimeoutMs: number;
}

/** Sends a request once and returns its result. Rejects only with the signal's reason, and only if the call is free. */
export async function ask(line: Line, call: Call, signal?: AbortSignal): Promise<Exchange> {
  const { clock, fetch, time } = line;
  const sentMs = clock.monotonicMs();
  const outcome = await exchange(
    {
      fetch,
      signal,
      timeoutMs: getTimeoutMs(line, call),
      onHead: (headers) => time.note(headers, sentMs),
    },
    outgoing(line, call),
  );
  switch (outcome.kind) {
    case 'unsent':
      return outcome;
    case 'opened':
      return answered(outcome, { kind: 'file', file: receivedFile(outcome) });
    case 'answered':
      return answered(outcome, parseBody(outcome));
    case 'broken': {
      const { why, cause, head } = outcome;
      const problem = head === null ? null : problemOfBody(why, head);
      if (head !== null && problem !== null) return answered(head, unreadable(problem));
      if (signal?.aborted && call.charges === null) throw signal.reason;
      return { kind: 'broken', problem: PROBLEMS[why], cause };
    }
  }

  function answered({ status, headers }: AnswerHead, body: Body): Exchange {
    return { kind: 'answered', status, retryAfterMs: retryAfterMs(headers, clock.now()), body };
  }
}

/**
 * Returns the problem with a response's body if the response is still usable. Returns null if the response is unusable.
 */
function problemOfBody(why: BrokenBy, { status }: AnswerHead): string | null {
  if (why === 'size') return `it is over ${MAX_ANSWER_BYTES} bytes`;
  // An error response is usable because of its status, even if its body is incomplete.
  return status >= 400 ? 'it is cut off' : null;
}

const PROBLEMS = {
  timeout: 'no response arrived in time',
  stop: 'it was stopped in transit',
  connection: 'the connection broke',
  size: 'the response is too large',
};

function getTimeoutMs(line: Line, { charges, workMs = 0 }: Call): number {
  return workMs + (charges === null ? line.requestTimeoutMs : line.submitTimeoutMs);
}

function outgoing(line: Line, { method, path, reads, body }: Call): Outgoing {
  const isStreamed = reads === 'file';
  const headers = {
    'x-api-key': line.apiKey,
    accept: isStreamed ? '*/*' : 'application/json',
    'user-agent': 'donor-sync',
  };
  const request = { method, url: line.baseUrl + path, isStreamed };
  if (body === undefined) return { ...request, headers };
  return {
    ...request,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

function parseBody({ headers, text }: Extract<Outcome, { kind: 'answered' }>): Body {
  const contentType = headers.get('content-type');
  if (contentType !== null && !/\bjson\b/i.test(contentType)) {
    return unreadable('its content type is not JSON');
  }
  try {
    return { kind: 'json', json: JSON.parse(text) };
  } catch {
    // The parser's own message quotes the body, which may contain personal data.
    return unreadable(text === '' ? 'it is empty' : 'it is not valid JSON');
  }
}

function unreadable(problem: string): Body {
  return { kind: 'unreadable', problem };
}

function receivedFile({ headers, chunks }: Extract<Outcome, { kind: 'opened' }>): ReceivedFile {
  return {
    chunks,
    contentType: headers.get('content-type'),
    fileName: fileNameIn(headers.get('content-disposition') ?? ''),
  };
}

/** Returns only the last part of a suggested path, because the service must not choose the folder. */
function fileNameIn(disposition: string): string | null {
  const name = /filename="?([^";]+)"?/i.exec(disposition)?.[1]?.trim();
  return name?.split(/[/\\]/).at(-1) || null;
}

/**
 * The service's time, based on the `Date` headers of its responses. Between responses, the time advances with the
 * monotonic clock. donor-sync therefore notices if someone sets this machine's clock.
 */
export interface ServiceTime {
  /** Records a response. `sentMs` is the time on the monotonic clock at which the request was sent. */
  note(headers: AnswerHeaders, sentMs: number): void;
  /**
   * Returns how far this machine's clock is ahead of the service's clock, in milliseconds. Negative if this machine's
   * clock is behind. 0 if the difference is within the uncertainty of the round trip, and null if no response had a
   * `Date`.
   */
  aheadMs(): number | null;
}

/** The precision of a `Date` header, which contains no fractions of a second. */
const DATE_UNIT_MS = 1_000;

export function createServiceTime(clock: Pick<Clock, 'now' | 'monotonicMs'>): ServiceTime {
  /** The earliest and the latest possible service time at the zero point of the monotonic clock (epoch ms). */
  let zero: { earliest: number; latest: number } | null = null;
  return {
    note(headers, sentMs) {
      const dateMs = Date.parse(headers.get('date') ?? '');
      // If a cache sent the response, the `Date` is the time at which the response was cached.
      if (Number.isNaN(dateMs) || headers.has('age')) return;
      // The service set the date between the sending of the request and the arrival of the response.
      zero = { earliest: dateMs - clock.monotonicMs(), latest: dateMs + DATE_UNIT_MS - sentMs };
    },
    aheadMs() {
      if (zero === null) return null;
      const now = clock.now() - clock.monotonicMs();
      if (now > zero.latest) return now - zero.latest;
      return now < zero.earliest ? now - zero.earliest : 0;
    },
  };
}
