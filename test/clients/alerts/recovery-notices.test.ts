import { afterEach, expect, it } from 'vitest';
import { createAlerts } from '../../../src/clients/alerts/alerts.ts';
import { RETRY_WAIT_MS } from '../../../src/clients/alerts/notifier.ts';
import { noteRecovery } from '../../../src/clients/alerts/recovery-notices.ts';
import { alertsSchema } from '../../../src/core/alert-settings.ts';
import { silentLog } from '../../../src/core/log.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import { startWebhook } from './receivers.ts';

describeEachDatabase('a link to recover access', (open) => {
  const createWorld = storeWorlds(open);
  const opened: { close(): Promise<void> }[] = [];

  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  });

  it('is told once to the recipients of alerts, whatever they asked for, before there is a client', async () => {
    const { store, tick, webhook } = await watched();
    await tick();
    expect(webhook.bodies).toEqual([]);
    await store.act((trx) => noteRecovery(trx, null));
    await store.act((trx) => noteRecovery(trx, 'anna'));
    await tick();
    await tick();
    expect(webhook.bodies).toHaveLength(1);
    const text = JSON.stringify(webhook.bodies[0]);
    expect(text).toContain('donor-sync: a link to recover access was created');
    expect(text.match(/Created at /g)).toHaveLength(2);
    expect(text).not.toContain('anna');
    await store.act((trx) => noteRecovery(trx, null));
    await tick();
    expect(webhook.bodies).toHaveLength(2);
    expect(await listAuditEntries(store, { limit: 3 })).toMatchObject([
      { action: 'recovery.asked', details: { person: null } },
      { action: 'recovery.asked', details: { person: 'anna' } },
      { action: 'recovery.asked', details: { person: null } },
    ]);
  });

  it('is told again later where no channel took the message, also by the next process', async () => {
    const { store, tick, webhook, clock, another } = await watched();
    webhook.answer(500);
    await store.act((trx) => noteRecovery(trx, null));
    await tick();
    webhook.answer(200);
    await tick();
    expect(webhook.bodies).toEqual([]);
    await clock.advance(RETRY_WAIT_MS);
    await tick();
    expect(webhook.bodies).toHaveLength(1);
    await store.act((trx) => noteRecovery(trx, null));
    await another().tick();
    await tick();
    expect(webhook.bodies).toHaveLength(2);
  });

  async function watched() {
    const { store, clock } = await createWorld();
    const webhook = await startWebhook();
    opened.push(webhook);
    const another = () => {
      const alerts = createAlerts({
        ...{ store, clock, log: silentLog, integrations: new Map() },
        settings: alertsSchema.parse({ webhook: { url: webhook.url }, on: [] }),
        readUrl: async () => 'https://sync.example.org',
        takeLease: (name) => store.leases.acquire(name, 'this process', () => false),
      });
      opened.push(alerts);
      return alerts;
    };
    const first = another();
    return { store, clock, webhook, another, tick: () => first.tick() };
  }
});
