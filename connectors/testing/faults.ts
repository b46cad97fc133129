/** Faults that tests cause, and functions that examine a connector's reaction to the faults. */
import assert from 'node:assert/strict';
import type { Clock } from '../../src/core/clock.ts';
import { isDonorSyncError } from '../../src/core/errors.ts';
import type { Log } from '../../src/core/log.ts';
import type { Connector, WriteResult } from '../contract.ts';
import type { HarnessOptions } from './harness.ts';
import type { Fault, FaultProxy, FaultRule } from './proxy.ts';
import type { ConnectorTest } from './suite.ts';

const HTML = '<html><body>Service temporarily unavailable</body></html>';

/**
 * Responses that contain no information about contacts. The test simulates a failure of the CRM, or of a proxy between
 * the connector and the CRM.
 */
export const FAILURES: readonly [name: string, fault: Fault][] = [
  ['status 500', { kind: 'answer', status: 500, body: '{"message":"internal error"}' }],
  ['status 503', { kind: 'answer', status: 503, body: HTML, headers: { 'retry-after': '0' } }],
  [
    'the page of a proxy',
    { kind: 'answer', status: 200, body: HTML, headers: { 'content-type': 'text/html' } },
  ],
  ['an empty response', { kind: 'answer', status: 200, body: '' }],
  ['a response in another form', { kind: 'answer', status: 200, body: '{"unexpected":true}' }],
  ['a connection that breaks', { kind: 'break' }],
  ['a response that breaks off', { kind: 'cutOff' }],
];

/** A response that reports a request limit, with the shortest possible wait. */
export const LIMITED: Fault = {
  kind: 'answer',
  status: 429,
  body: '{"message":"too many requests"}',
  headers: { 'retry-after': '0' },
};

/**
 * Returns a rule that applies the fault to all requests from this position on. The position counts requests since the
 * rule was set.
 */
export function from(position: number, fault: Fault): FaultRule {
  return (_, at) => (at >= position ? fault : null);
}

/** Returns a rule that applies the fault only to the request at this position. */
export function only(position: number, fault: Fault): FaultRule {
  return (_, at) => (at === position ? fault : null);
}

/** Creates a clock that ends each wait immediately. The clock's time advances by the duration of the wait. */
export function createKitClock(): Clock & { sleptMs(): number } {
  let sleptMs = 0;
  return {
    now: () => Date.now() + sleptMs,
    monotonicMs: () => performance.now() + sleptMs,
    async sleep(ms) {
      sleptMs += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
    sleptMs: () => sleptMs,
  };
}

/** Stores all log entries as text. */
export function createKitLog(): Log & { lines: string[] } {
  const lines: string[] = [];
  const note = (facts: unknown, message: string) =>
    void lines.push(`${message} ${JSON.stringify(facts)}`);
  return { lines, debug: note, info: note, warn: note, error: note };
}

/** Opens a connector behind a proxy. The connector's waits end immediately. */
export async function openBehindProxy(
  t: ConnectorTest,
  options: HarnessOptions = {},
): Promise<{ connector: Connector; proxy: FaultProxy }> {
  const proxy = await t.proxy();
  const connector = await t.another({ url: proxy.url, clock: createKitClock(), ...options });
  return { connector, proxy };
}

export type Ending<Result> = { result: Result; error: null } | { result: null; error: Error };

/**
 * Runs some work and returns its result or error. The test fails if the error does not belong to one of the four kinds.
 */
export async function endingOf<Result>(work: () => Promise<Result>): Promise<Ending<Result>> {
  try {
    return { result: await work(), error: null };
  } catch (error) {
    assert.ok(
      isDonorSyncError(error),
      `The connector threw an error that is none of the four kinds: ${error}`,
    );
    return { result: null, error };
  }
}

/** Returns the kind of the error, or null if the work succeeded. */
export function kindOf({ error }: Ending<unknown>): string | null {
  return isDonorSyncError(error) ? error.kind : null;
}

/** The results of the changes that were written before the end or an error. */
export interface Written {
  results: WriteResult[];
  error: Error | null;
}

export async function writeUntilEnd(
  connector: Connector,
  changes: Parameters<Connector['write']>[0],
): Promise<Written> {
  const results: WriteResult[] = [];
  const { error } = await endingOf(async () => {
    for await (const result of connector.write(changes)) results.push(result);
    await connector.finish();
  });
  return { results, error };
}

/** Returns some of these positions, including the first, the second and the last position. */
export function somePositions(count: number, most = 4): number[] {
  const middle = Array.from({ length: most - 3 }, (_, at) =>
    Math.round(((at + 1) * count) / (most - 2)),
  );
  return [...new Set([0, 1, ...middle, count - 1])].filter((at) => at >= 0 && at < count);
}
