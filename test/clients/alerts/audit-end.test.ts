import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { createAlerts } from '../../../src/clients/alerts/alerts.ts';
import { RETRY_WAIT_MS } from '../../../src/clients/alerts/notifier.ts';
import { findSentAuditEnd } from '../../../src/clients/statements/alerts.ts';
import { savePause } from '../../../src/clients/statements/schedules.ts';
import { alertsSchema } from '../../../src/core/alert-settings.ts';
import { integrationSchema } from '../../../src/core/integration-settings.ts';
import { silentLog } from '../../../src/core/log.ts';
import { verifyAudit } from '../../../src/privacy/audit/verify-audit.ts';
import { type StoreWorld, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import { startWebhook } from './receivers.ts';

const DAY_MS = 86_400_000;

describeEachDatabase('the end of the audit', (open) => {
  const createWorld = storeWorlds(open);
  const opened: { close(): Promise<void> }[] = [];

  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  });

  it('goes out once a day if it has moved, and shows later that entries before it are gone', async () => {
    const { world, tick, texts } = await watched();
    await world.store.act((trx) => savePause(trx, 'a'));
    await tick();
    await world.store.act((trx) => savePause(trx, 'b'));
    await tick();
    expect(texts()).toHaveLength(1);
    expect(texts()[0]).toContain('You do not have to do anything. This daily message is a receipt');
    const [, seq = '', hash = ''] = /--known (\d+):([\w-]+)/.exec(texts()[0] ?? '') ?? [];
    const known = { seq: Number(seq), hash };
    expect((await verifyAudit(world.store, known)).problems).toEqual([]);
    await world.clock.advance(DAY_MS);
    await tick();
    await world.clock.advance(DAY_MS);
    await tick();
    // On the third day, the audit log has no new entry, so the product sends no message.
    expect(texts()).toHaveLength(2);

    const { db } = world;
    const head = { seq: known.seq - 1, hash: 'x' };
    await db.deleteFrom('audit_entries').where('seq', '>=', known.seq).execute();
    await db.updateTable('audit_head').set(head).execute();
    expect((await verifyAudit(world.store, known)).problems.join('\n')).toContain(
      `Entry ${known.seq}, the end that you saved earlier, is missing`,
    );
    await world.clock.advance(DAY_MS);
    await tick();
    expect(texts()[2]).toContain('was not signed by donor-sync');
  });

  it('says so if it lies before the one that was sent last, although it was signed once', async () => {
    const { world, tick, texts } = await watched();
    const { db, store, clock } = world;
    const early = await db.selectFrom('audit_head').selectAll().executeTakeFirstOrThrow();
    await store.act((trx) => savePause(trx, 'a'));
    await tick();
    await db.deleteFrom('audit_entries').where('seq', '>', early.seq).execute();
    await db.updateTable('audit_head').set(early).execute();
    await clock.advance(DAY_MS);
    await tick();
    expect(texts()[1]).toContain(
      `ends at entry ${early.seq}, although it previously ended at entry`,
    );
  });

  it('is sent again where no channel has taken it', async () => {
    const { world, tick, texts, webhook } = await watched();
    webhook.answer(500);
    await tick();
    expect(await findSentAuditEnd(world.store.reader)).toBeNull();
    webhook.answer(200);
    await tick();
    expect(await findSentAuditEnd(world.store.reader)).toBeNull();
    await world.clock.advance(RETRY_WAIT_MS);
    await tick();
    expect(await findSentAuditEnd(world.store.reader)).not.toBeNull();
    expect(texts().at(-1)).toContain('The audit ends at');
  });

  async function watched() {
    const world: StoreWorld = await createWorld();
    const webhook = await startWebhook();
    const integration = integrationSchema.parse({
      id: 'riverside',
      partner: { baseUrl: 'https://p.example', apiKey: 'key' },
      crm: { kind: 'memory' },
    });
    const alerts = createAlerts({
      store: world.store,
      integrations: new Map([[integration.id, integration]]),
      settings: alertsSchema.parse({ webhook: { url: webhook.url }, on: ['auditEnd'] }),
      readUrl: async () => 'https://sync.example.org',
      clock: world.clock,
      log: silentLog,
      takeLease: (name) => world.store.leases.acquire(name, 'this process', () => false),
    });
    opened.push(webhook, alerts);
    const texts = () =>
      z
        .array(z.object({ text: z.string() }))
        .parse(webhook.bodies)
        .map(({ text }) => text);
    return { world, webhook, texts, tick: () => alerts.tick() };
  }
});
