import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Alerts, createAlerts } from '../../../src/clients/alerts/alerts.ts';
import { RETRY_WAIT_MS } from '../../../src/clients/alerts/notifier.ts';
import { listAlerts } from '../../../src/clients/statements/alerts.ts';
import { beginSetupDraft, removeSetupDraft } from '../../../src/clients/statements/setup-drafts.ts';
import { ALERT_KINDS, alertsSchema } from '../../../src/core/alert-settings.ts';
import { integrationSchema } from '../../../src/core/integration-settings.ts';
import { silentLog } from '../../../src/core/log.ts';
import { listBatches, recordBatchDecision } from '../../../src/decisions/statements/batches.ts';
import { recordRunBegin, recordRunEnd } from '../../../src/sync/statements/runs.ts';
import { holdChanged } from '../../contacts/contact-stages.ts';
import { type StoreWorld, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import { startMailServer, startWebhook } from './receivers.ts';

const FROM = 'sync@example.org';
const TO = ['anna@example.org', 'ben@example.org'];

describeEachDatabase('alerts', (open) => {
  const createWorld = storeWorlds(open);
  let world: StoreWorld;
  let webhook: Awaited<ReturnType<typeof startWebhook>>;
  let mailServer: Awaited<ReturnType<typeof startMailServer>>;
  const made: Alerts[] = [];

  beforeEach(async () => {
    world = await createWorld();
    webhook = await startWebhook();
    mailServer = await startMailServer();
  });

  afterEach(async () => {
    for (const alerts of made.splice(0)) await alerts.close();
    await webhook.close();
    await mailServer.close();
  });

  it('says nothing while all is well', async () => {
    await endRun('succeeded', null);
    await alertsBy('webhook').tick();
    expect(texts()).toEqual([]);
  });

  it('tells once that runs stop, and once that they succeed again', async () => {
    const alerts = alertsBy('webhook');
    await endRun('incomplete', 'crm_unauthorized');
    await alerts.tick();
    await alerts.tick();
    expect(texts()).toEqual([
      expect.stringContaining("the CRM does not accept donor-sync's sign-in"),
    ]);
    await endRun('succeeded', null);
    await alerts.tick();
    await alerts.tick();
    expect(texts().slice(1)).toEqual([expect.stringContaining('runs succeed again')]);
  });

  it('tells a chat that the integration has of its own as well, and alone where there is no other', async () => {
    const chat = await startWebhook();
    const own = { alerts: { webhook: { url: chat.url } } };
    try {
      const both = alertsBy('webhook', {}, {}, own);
      await endRun('failed', null);
      await both.tick();
      expect([texts().length, chat.bodies.length]).toEqual([1, 1]);
      expect(await unsent()).toBe(0);
      const alone = alertsBy('none', {}, {}, own);
      await endRun('succeeded', null);
      await alone.tick();
      expect([texts().length, chat.bodies.length]).toEqual([1, 2]);
      expect(JSON.stringify(chat.bodies[1])).toContain('runs succeed again');
    } finally {
      await chat.close();
    }
  });

  it('never calls the end of a trial a problem, not even after the set-up has ended', async () => {
    const alerts = alertsBy('webhook');
    await world.store.act((trx) => beginSetupDraft(trx, 'riverside', 'answers'));
    await endRun('incomplete', 'budget_reached', { isTrial: true });
    await alerts.tick();
    // The user sends the rest. The first run without the limits of the trial has not ended yet.
    await world.store.act((trx) => removeSetupDraft(trx, 'riverside', 'finished'));
    await alerts.tick();
    expect(texts()).toEqual([]);
    // A client without a set-up can have a small budget, too.
    await endRun('incomplete', 'budget_reached', { isTrial: true });
    await alerts.tick();
    expect(texts()).toHaveLength(1);
  });

  it('tells it again when it begins again', async () => {
    const alerts = alertsBy('webhook');
    for (const status of ['failed', 'succeeded', 'failed'] as const) {
      await endRun(status, null);
      await alerts.tick();
    }
    expect(texts()).toHaveLength(3);
  });

  it('tells another reason, without calling the first one well', async () => {
    const alerts = alertsBy('webhook');
    await endRun('incomplete', 'credits_exhausted');
    await alerts.tick();
    await endRun('incomplete', 'crm_unavailable');
    await alerts.tick();
    expect(texts()).toHaveLength(2);
    expect(texts()[1]).toContain('the CRM was unavailable');
    expect(texts().join()).not.toContain('again');
  });

  it('says nothing of a run that was interrupted, and leaves what is on record', async () => {
    const alerts = alertsBy('webhook');
    await endRun('incomplete', 'interrupted');
    await alerts.tick();
    expect(texts()).toEqual([]);
    await endRun('failed', null);
    await endRun('incomplete', 'interrupted');
    await alerts.tick();
    expect(texts()).toHaveLength(1);
  });

  it('looks at the integration of a run that has ended', async () => {
    await endRun('failed', null);
    alertsBy('webhook').afterRun({ integration: 'riverside' });
    await expect.poll(texts).toHaveLength(1);
  });

  it('is not impressed by a run of an integration that it does not know', async () => {
    const alerts = alertsBy('webhook');
    alerts.afterRun({ integration: 'unknown' });
    await alerts.tick();
    expect(texts()).toEqual([]);
  });

  it('tells by itself, and again after a minute, until it is closed', async () => {
    const alerts = alertsBy('webhook');
    alerts.start();
    await expect.poll(() => world.clock.sleepers()).toBe(1);
    await endRun('failed', null);
    await world.clock.advance(60_000);
    await expect.poll(texts).toHaveLength(1);
    await alerts.close();
    expect(world.clock.sleepers()).toBe(0);
  });

  it('puts several changes into one message', async () => {
    await endRun('incomplete', 'credits_exhausted', { remaining: 3 });
    await alertsBy('webhook', { expiresOn: '2020-01-01' }).tick();
    expect(texts()).toHaveLength(1);
    expect(texts()[0]).toContain('the service key has expired on 2020-01-01');
    expect(texts()[0]).toContain('3 credits are left for enhancements');
  });

  it('remembers the balance of an earlier run when the last one did not ask', async () => {
    await endRun('succeeded', null, { remaining: 3 });
    await endRun('failed', null);
    await alertsBy('webhook').tick();
    expect(texts()[0]).toContain('3 credits are left for enhancements');
  });

  it('tells what is held, by its number alone', async () => {
    await hold('contact-4711');
    await alertsBy('webhook').tick();
    expect(texts()[0]).toContain('1 decision is pending');
    expect(texts().join()).not.toContain('4711');
  });

  it('tells once of contacts whose details changed at once, and once that they are decided', async () => {
    await hold('contact-4711');
    const alerts = alertsBy('webhook');
    await holdChanged(world, ['contact-1', 'contact-2']);
    await alerts.tick();
    await holdChanged(world, ['contact-3']);
    await alerts.tick();
    expect(texts()).toHaveLength(1);
    expect(texts()[0]).toContain('1 decision is pending');
    expect(texts()[0]).toContain(
      'the details of 2 contacts changed at once (2 addresses); submitting them again costs 2 credits',
    );
    const [batch] = await listBatches(world.store.reader);
    await recordBatchDecision(world.store.act, batch?.id ?? '', 'rejected');
    await alerts.tick();
    expect(texts()).toHaveLength(2);
    expect(texts()[1]).toContain('the decision about the changed details was made');
    expect(texts().join()).not.toMatch(/4711|contact-[123]/);
  });

  it('does not call well what the settings do not name any more', async () => {
    await endRun('failed', null);
    await alertsBy('webhook').tick();
    await alertsBy('webhook', {}, { on: ['held'] }).tick();
    expect(texts()).toHaveLength(1);
  });

  it('writes what Slack does not take for its own marks', async () => {
    await endRun('failed', '<!channel> & all');
    await alertsBy('webhook').tick();
    expect(texts()[0]).toContain('&lt;!channel&gt; &amp; all');
  });

  describe('the delivery of alerts', () => {
    it('tries again after a while, and tells it once', async () => {
      const alerts = alertsBy('webhook');
      await endRun('failed', null);
      webhook.answer(500);
      await alerts.tick();
      webhook.answer(200);
      await alerts.tick();
      expect(texts()).toEqual([]);
      await world.clock.advance(RETRY_WAIT_MS);
      await alerts.tick();
      await alerts.tick();
      expect(texts()).toHaveLength(1);
    });

    it('does not follow a redirect from the webhook', async () => {
      await endRun('failed', null);
      webhook.answer(302);
      await alertsBy('webhook').tick();
      expect(await unsent()).toBe(1);
    });

    it('tells it after a new start', async () => {
      await endRun('failed', null);
      webhook.answer(500);
      await alertsBy('webhook').tick();
      webhook.answer(200);
      await alertsBy('webhook').tick();
      expect(texts()).toHaveLength(1);
    });

    it('says nothing of what came and went meanwhile', async () => {
      const alerts = alertsBy('webhook');
      await endRun('failed', null);
      webhook.answer(500);
      await alerts.tick();
      await endRun('succeeded', null);
      webhook.answer(200);
      await world.clock.advance(RETRY_WAIT_MS);
      await alerts.tick();
      expect(texts()).toEqual([]);
      expect(await unsent()).toBe(0);
    });

    it('does not repeat itself in the channel that works', async () => {
      const alerts = alertsBy('both');
      await endRun('failed', null);
      mailServer.refuse('no such person here');
      await alerts.tick();
      expect([texts().length, mailServer.mails.length]).toEqual([1, 0]);
      mailServer.refuse(null);
      await world.clock.advance(RETRY_WAIT_MS);
      await alerts.tick();
      expect([texts().length, mailServer.mails.length]).toEqual([1, 1]);
    });

    it('still says in the channel that works that it is well again', async () => {
      const alerts = alertsBy('both');
      await endRun('failed', null);
      mailServer.refuse('no such person here');
      await alerts.tick();
      await endRun('succeeded', null);
      await alerts.tick();
      expect(texts()[1]).toContain('runs succeed again');
    });

    it('gives a message up after a day', async () => {
      const alerts = alertsBy('webhook');
      await endRun('failed', null);
      webhook.answer(500);
      for (let tries = 0; tries < 144; tries += 1) {
        expect(await unsent()).toBe(tries === 0 ? 0 : 1);
        await alerts.tick();
        await world.clock.advance(RETRY_WAIT_MS);
      }
      expect(await unsent()).toBe(0);
    });
  });

  it('leaves the telling to another process that is at it', async () => {
    await endRun('failed', null);
    const attempt = await world.store.leases.acquire('*alerts', 'another', () => false);
    await alertsBy('webhook').tick();
    expect(texts()).toEqual([]);
    if (attempt.acquired) await world.store.leases.release(attempt.lease);
    await alertsBy('webhook').tick();
    expect(texts()).toHaveLength(1);
  });

  it('reads nothing while there is no channel to send to', async () => {
    await endRun('failed', null);
    await alertsBy('none').tick();
    expect(await listAlerts(world.store.reader)).toEqual([]);
  });

  it('sends mail to everybody who is named', async () => {
    await endRun('failed', null);
    await alertsBy('email').tick();
    expect(mailServer.mails).toMatchObject([{ from: FROM, to: TO }]);
    const [{ source } = { source: '' }] = mailServer.mails;
    expect(source).toContain('Subject: donor-sync, riverside: the last run failed');
    expect(source).toContain('Auto-Submitted: auto-generated');
  });

  function alertsBy(
    channels: 'webhook' | 'email' | 'both' | 'none',
    partner: object = {},
    settings: object = {},
    own: object = {},
  ): Alerts {
    const integration = integrationSchema.parse({
      ...own,
      id: 'riverside',
      partner: { baseUrl: 'https://p.example', apiKey: 'key', ...partner },
      crm: { kind: 'memory' },
    });
    const email = { to: TO, from: `donor-sync <${FROM}>`, smtp: mailServer.url };
    const alerts = createAlerts({
      store: world.store,
      integrations: new Map([[integration.id, integration]]),
      settings: alertsSchema.parse({
        ...(['webhook', 'both'].includes(channels) ? { webhook: { url: webhook.url } } : {}),
        ...(['email', 'both'].includes(channels) ? { email } : {}),
        on: ALERT_KINDS.filter((kind) => kind !== 'auditEnd'),
        ...settings,
      }),
      readUrl: async () => 'https://sync.example.org',
      clock: world.clock,
      log: silentLog,
      takeLease: (name) => world.store.leases.acquire(name, 'this process', () => false),
    });
    made.push(alerts);
    return alerts;
  }

  /** Returns the messages that the webhook received. */
  function texts(): string[] {
    return z
      .array(z.strictObject({ text: z.string() }))
      .parse(webhook.bodies)
      .map(({ text }) => text);
  }

  /** Returns the number of recorded changes for which no alert has been sent. */
  async function unsent(): Promise<number> {
    return (await listAlerts(world.store.reader)).filter(({ sentAt }) => sentAt === null).length;
  }

  let runs = 0;

  /** Completes a run shortly after the previous run. */
  async function endRun(
    status: 'succeeded' | 'incomplete' | 'failed',
    code: string | null,
    { remaining = null, isTrial = false }: { remaining?: number | null; isTrial?: boolean } = {},
  ): Promise<void> {
    const { store, lease, clock } = world;
    await clock.advance(1);
    runs += 1;
    const id = `ended-${runs}`;
    await store.checkpoint(lease, (trx) => recordRunBegin(trx, id, 'manual', null, { isTrial }));
    const credits = { enhancements: { remaining }, networks: { remaining: null } };
    await store.checkpoint(lease, (trx) =>
      recordRunEnd(trx, id, {
        ...{ status, reason: code === null ? null : { code, message: 'Anna Smith' } },
        finishedAt: clock.now(),
        report: JSON.stringify({ credits }),
      }),
    );
  }

  async function hold(contact: string): Promise<void> {
    await world.db
      .insertInto('questions')
      .values({
        id: 'hold-1',
        integration_id: 'riverside',
        crm_id: contact,
        tracking_id: 'hold-1',
        kind: 'name_mismatch',
        detail: null,
        opened_at: world.clock.now(),
      })
      .execute();
  }
});
