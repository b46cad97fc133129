import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findConnectorDefinition } from '../../../connectors/index.ts';
import { startHubspotSandbox } from '../../../sandbox/hubspot/index.ts';
import { startSalesforceSandbox } from '../../../sandbox/salesforce/index.ts';
import { openApplication } from '../../../src/application.ts';
import { connectorSecrets } from '../../../src/clients/connector-secrets.ts';
import { pinCrmAccount } from '../../../src/clients/statements/integrations.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { silentLog } from '../../../src/core/log.ts';
import { createHttpApp } from '../../../src/interfaces/api/app.ts';
import { startHttpServer } from '../../../src/interfaces/api/server.ts';
import { createRunner } from '../../../src/jobs/runner.ts';
import { hashToken, newAccessToken } from '../../../src/people/access-token.ts';
import { addAccessToken } from '../../../src/people/statements/access.ts';
import { settingsSchema } from '../../../src/settings/settings-schema.ts';
import { type Browser, createBrowser } from '../../helpers/browser.ts';

/** The kinds of CRM that a user can connect with OAuth. */
export const KINDS = ['salesforce', 'hubspot'] as const;
export type Kind = (typeof KINDS)[number];

/** The address in the settings. The service actually listens elsewhere. */
export const PUBLIC_URL = 'http://127.0.0.1:8787';

/** The public address to which each kind of CRM sends users back. HubSpot accepts http only for `localhost`. */
export const WAY_BACK: Readonly<Record<Kind, string>> = {
  hubspot: 'http://localhost:8787',
  salesforce: PUBLIC_URL,
};

/** The service with a client `riverside` whose CRM is not connected yet. */
export type OAuthWorld = Awaited<ReturnType<typeof openOAuthWorld>>;

/** Starts a CRM and the service. The caller closes them. */
export async function openOAuthWorld(kind: Kind, publicUrl = PUBLIC_URL) {
  const crm = await startCrm(kind);
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-oauth-'));
  let aheadMs = 0;
  // Waits end immediately, so a test of retries takes no time.
  const clock = {
    ...systemClock,
    now: () => Date.now() + aheadMs,
    sleep: () => Promise.resolve(),
  };
  const partner = { baseUrl: 'http://127.0.0.1:9', apiKey: 'key' };
  const { baseUrl: url, clientId, clientSecret } = crm;
  const settings = settingsSchema.parse({
    server: { publicUrl },
    database: `sqlite:${join(folder, 'store.db')}`,
    integrations: [
      {
        id: 'riverside',
        partner,
        crm: { kind, url, auth: { type: 'oauth', clientId, clientSecret } },
      },
      {
        id: 'hillside',
        partner,
        crm: { kind, url, auth: { type: 'token', token: crm.token } },
      },
    ],
  });
  const application = await openApplication({
    settings: { path: join(folder, 'donor-sync.yaml'), ...settings },
    secretKey: undefined,
    clock,
    log: silentLog,
    owner: { host: 'test', processId: process.pid, start: randomUUID() },
  });
  const runner = createRunner(application, { clock, log: silentLog, maxRunsAtOnce: 1 });
  const stopping = new AbortController();
  const app = createHttpApp({
    application,
    runner,
    clock,
    log: silentLog,
    publicUrl,
    version: '0.0.0',
    withoutToken: 'thisMachine',
    lastTickAt: () => clock.now(),
    stopping: stopping.signal,
  });
  const http = await startHttpServer({ app, host: '127.0.0.1', port: 0 });
  const [integration] = application.select(['riverside']);
  if (integration === undefined) throw new Error('the settings have no integration');

  const secrets = connectorSecrets(application, integration.id);
  const { consent, settingsSchema: crmSchema } = await findConnectorDefinition(kind);
  const secretName = consent?.secretName(crmSchema.parse(integration.crm)) ?? '';

  return {
    application,
    clock,
    integration,
    url: http.url,
    crm,
    /** Creates a user's browser, in which the public address resolves to this service. */
    browser: (): Browser => createBrowser({ [publicUrl]: http.url, [WAY_BACK.hubspot]: http.url }),
    /** Moves the service's clock forward. */
    wait(ms: number) {
      aheadMs += ms;
    },
    async addToken(role: 'admin' | 'viewer'): Promise<string> {
      const token = newAccessToken();
      const hash = hashToken(token);
      await application.store.act((trx) =>
        addAccessToken(trx, { id: randomUUID(), name: role, role, hash }),
      );
      return token;
    },
    refreshToken: (): Promise<string | null> => secrets.read(secretName),
    /** Replaces the stored refresh token. */
    keepRefreshToken: (token: string): Promise<void> => secrets.write(secretName, token),
    /** Returns the client's account. */
    async signIn() {
      const open = await application.open(integration, new AbortController().signal);
      try {
        return (await open.deps.openConnector(null)).account;
      } finally {
        await open.close();
      }
    },
    /** Pins the account, as earlier runs do when they write into it. */
    async pinAccount(accountId: string): Promise<void> {
      const { store } = application;
      const attempt = await store.leases.acquire('riverside', 'test', () => true);
      if (!attempt.acquired) throw new Error('the lease is taken');
      await store.checkpoint(attempt.lease, (trx) =>
        pinCrmAccount(trx, store.fingerprint('crm_account', accountId)),
      );
      await store.leases.release(attempt.lease);
    },
    /** Returns the content of all files on disk as one string. */
    async disk(): Promise<string> {
      const names = await readdir(folder);
      const files = names.map((name) => readFile(join(folder, name), 'latin1'));
      return (await Promise.all(files)).join('\n');
    },
    async close() {
      stopping.abort();
      await runner.stop();
      await http.close();
      await application.close();
      await crm.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Starts an empty account of this kind. */
export async function startCrm(kind: Kind) {
  const few = { contacts: 0, donors: 10 };
  return kind === 'hubspot'
    ? startHubspotSandbox({ ...few, ratePer10s: 0, searchLagMs: 0 })
    : startSalesforceSandbox({ ...few, shape: 'plain' });
}
