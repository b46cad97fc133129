import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHubspotOAuth } from '../../../connectors/hubspot/sign-in/oauth.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { loadKeyRing } from '../../../src/database/encryption/key-ring.ts';
import { migrateToLatest } from '../../../src/database/migrate.ts';
import { openSqliteTemp, type TestDatabase } from '../../helpers/test-databases.ts';
import { type Account, openAccount } from './account.ts';

const PROCESS = join(import.meta.dirname, 'signing-in-process.ts');
const REDIRECT_URI = 'http://localhost:8787/oauth/hubspot/callback';
const CODE_VERIFIER = 'v'.repeat(64);
const ROUNDS = 3;
/** The token endpoint is so slow that both processes send a request before either gets a response. */
const SLOW = { on: { path: '/oauth/*/token' }, fault: { kind: 'slow', delayMs: 250 } };

type SigningIn = Awaited<ReturnType<typeof startProcess>>;

describe('two processes that sign in to one HubSpot account', () => {
  let account: Account;
  let database: TestDatabase;
  let processes: SigningIn[] = [];

  beforeEach(async () => {
    account = await openAccount({ rotateRefreshTokens: true });
    database = await openSqliteTemp();
    await migrateToLatest(database.db);
    await loadKeyRing(undefined, database.url);
  });

  afterEach(async () => {
    for (const one of processes.splice(0)) await one.close();
    await account.close();
    await database.close();
  });

  it('never lose the account, whichever of them uses the rotated token first', async () => {
    const settings = await connectedSettings();
    const order = JSON.stringify({ databaseUrl: database.url, settings });
    processes = await Promise.all([startProcess(order), startProcess(order)]);
    const id = String(account.sandbox.portalId);
    await account.putFaults([SLOW]);
    for (let round = 0; round < ROUNDS; round += 1) {
      expect(await Promise.all(processes.map((one) => one.signIn()))).toEqual([id, id]);
    }
    const asked = (await account.requests()).filter(({ path }) => path.endsWith('/token'));
    expect(asked.some(({ status }) => status === 400)).toBe(true);
  });

  async function connectedSettings() {
    const { baseUrl: url, clientId, clientSecret } = account.sandbox;
    const { signal } = new AbortController();
    const world = { fetch: globalThis.fetch, clock: systemClock, signal, random: () => 0 };
    const oauth = createHubspotOAuth({ url, clientId, clientSecret, ...world });
    const request = { redirectUri: REDIRECT_URI, state: 'state', codeVerifier: CODE_VERIFIER };
    const page = `${oauth.authorizeUrl(request)}&approve=true`;
    const { headers } = await fetch(page, { redirect: 'manual' });
    const code = new URL(headers.get('location') ?? '').searchParams.get('code') ?? '';
    const { refreshToken } = await oauth.exchangeCode({ ...request, code });
    oauth.close();
    return { kind: 'hubspot', url, auth: { type: 'oauth', clientId, clientSecret, refreshToken } };
  }
});

/** Starts a process that signs in when it receives a command. */
async function startProcess(order: string) {
  const child = spawn(process.execPath, [PROCESS, order], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return {
    /** Returns the account's ID or the error code. */
    async signIn(): Promise<string> {
      child.stdin.write('sign in\n');
      return (await lines.next()).value ?? 'ended';
    },
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
