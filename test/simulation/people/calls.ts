/**
 * Webhook calls as other programs send them: over the product's HTTP, to an address that a user has created, usually
 * signed.
 */
import { createHmac } from 'node:crypto';
import type { Hono } from 'hono';
import type { Application } from '../../../src/application.ts';
import { createHookAddress } from '../../../src/clients/hook-address.ts';
import type { Log } from '../../../src/core/log.ts';
import { createHttpApp } from '../../../src/interfaces/api/app.ts';
import type { HttpEnv } from '../../../src/interfaces/api/request/context.ts';
import type { Runner } from '../../../src/jobs/runner.ts';
import type { Life } from '../processes/process.ts';
import type { Random } from '../random.ts';

/** An address as its callers know it, with the signing secret, or null if they do not sign. */
export interface HookAddress {
  url: string;
  secret: string | null;
}

export interface CallsDeps {
  application: Application;
  runner: Runner;
  life: Life;
  log: Log;
  random: Random;
  /** Aborted when the process ends. */
  ended: AbortSignal;
  /** The addresses created in this night, by integration. */
  addresses: Map<string, HookAddress>;
  violate(invariant: string, what: string): void;
}

/** `taken` if a run will check the contacts. */
export type CallOutcome = 'taken' | 'left alone' | 'refused';

/**
 * Matches the four kinds of errors that the product knows. A full disk causes an error of one kind, and the caller then
 * repeats the call.
 */
const OF_FOUR_KINDS = /^(Configuration|Retriable|Skippable|Fatal)Error\b/;

const PUBLIC_URL = 'https://sync.example';

/** Returns a function that sends calls to one process. The first call creates the process's HTTP app. */
export function createCalls(deps: CallsDeps) {
  const { application, life, random, addresses, violate } = deps;
  // Records the details that the caller does not get.
  const log: Log = {
    ...deps.log,
    error(facts, message) {
      deps.log.error(facts, message);
      const stack = Reflect.get(facts, 'stack');
      if (stack !== undefined && !OF_FOUR_KINDS.test(String(stack))) {
        violate('no error', `${message}: ${stack}`);
      }
    },
  };
  let app: Hono<HttpEnv> | null = null;

  /**
   * Returns a function that makes a call about these contacts. `isComplete` is false if the call also concerns other
   * contacts.
   */
  return async (
    integration: string,
    ids: readonly string[],
    isComplete: boolean,
  ): Promise<CallOutcome> => {
    app ??= createHttpApp({
      ...{ application, runner: deps.runner, log, clock: life.clock },
      ...{ publicUrl: PUBLIC_URL, lastTickAt: () => null, stopping: deps.ended, version: '0' },
    });
    const address = addresses.get(integration) ?? (await makeAddress(integration));
    const events = ids.map((objectId) => ({ subscriptionType: 'contact.change', objectId }));
    const body = JSON.stringify(isComplete ? events : [...events, { what: 'something' }]);
    const isForged = address.secret !== null && random.chance(0.1);
    const headers = address.secret === null ? {} : sign(address, body, life.clock.now(), isForged);
    const answer = await app.request(address.url, { method: 'POST', headers, body });
    if (answer.status !== 202) return 'refused';
    if (isForged) violate('who asks', 'a call is taken whose signature is wrong');
    const { runId }: { runId?: unknown } = Object(await answer.json());
    return runId === null ? 'left alone' : 'taken';
  };

  async function makeAddress(integration: string): Promise<HookAddress> {
    const secret = random.chance(0.7) ? 'a secret of the caller' : null;
    const signing = secret === null ? null : ({ kind: 'hmac', secret } as const);
    const { store, sealer } = application;
    const url = await store.act((trx) =>
      createHookAddress(trx, sealer, PUBLIC_URL, integration, signing),
    );
    const address = { url, secret };
    addresses.set(integration, address);
    return address;
  }
}

/** Signs a call as docs/guides/webhooks.md describes. The caller's clock is the host's clock. */
function sign(
  { url, secret }: HookAddress,
  body: string,
  now: number,
  isForged: boolean,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const text = `v2\n${timestamp}\n${url}\n${body}`;
  const signature = createHmac('sha256', isForged ? 'another secret' : (secret ?? ''))
    .update(text)
    .digest('hex');
  return { 'X-Donor-Sync-Timestamp': timestamp, 'X-Donor-Sync-Signature': `v2=${signature}` };
}
