import { expect, it } from 'vitest';
import { FOREIGN_TEXT_LIFE_MS } from '../../../src/core/foreign-text.ts';
import {
  dropOldTexts,
  listForeignTexts,
  MAX_TEXTS_OF_RUN,
} from '../../../src/database/encryption/foreign-texts.ts';
import { recordDeliveries } from '../../../src/fields/statements/deliveries.ts';
import type { Delivery } from '../../../src/fields/statements/delivery-ends.ts';
import { recordRunEnd } from '../../../src/sync/statements/runs.ts';
import { crmIds } from '../../contacts/contact-stages.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import { INTEGRATION, RUN, START_MS, type StoreWorld, storeWorlds } from '../store-world.ts';

describeEachDatabase('texts of a CRM', (open) => {
  const createWorld = storeWorlds(open);

  it('are kept sealed with the outcome that they explain, of each contact the latest', async () => {
    const world = await createWorld();
    await record(world, [refused('c-1', 'first'), refused('c-2', 'other')]);
    await record(world, [refused('c-1', 'second')]);
    expect(await kept(world)).toEqual([
      ['c-1', 'sealed second'],
      ['c-2', 'sealed other'],
    ]);
    await world.store.checkpoint(world.lease, (trx) =>
      recordRunEnd(trx, RUN, {
        ...{ status: 'failed', reason: { code: 'crm_request_refused', message: 'ours' } },
        ...{ finishedAt: START_MS, report: '{}' },
        words: { id: 'run-text', crmId: '', sealed: 'sealed of the run' },
      }),
    );
    expect((await kept(world))[0]).toEqual(['', 'sealed of the run']);
    expect(await kept(world)).toHaveLength(3);
  });

  it('are not more of one run than help', async () => {
    const world = await createWorld();
    const ids = crmIds(MAX_TEXTS_OF_RUN + 30);
    await record(
      world,
      ids.slice(0, 990).map((id) => refused(id)),
    );
    await record(
      world,
      ids.slice(990).map((id) => refused(id)),
    );
    expect(await kept(world)).toHaveLength(MAX_TEXTS_OF_RUN);
  });

  it('are neither shown nor kept after thirty days', async () => {
    const world = await createWorld();
    await record(world, [refused('c-1')]);
    await world.clock.advance(FOREIGN_TEXT_LIFE_MS - 1);
    await record(world, [refused('c-2')]);
    expect(await dropOldTexts(world.store.connection)).toBe(0);
    expect(await kept(world)).toHaveLength(2);
    await world.clock.advance(1);
    expect(await kept(world)).toEqual([['c-2', 'sealed text']]);
    expect(await dropOldTexts(world.store.connection)).toBe(1);
    expect(await rows(world)).toBe(1);
    await world.clock.advance(FOREIGN_TEXT_LIFE_MS);
    // When the run ends, donor-sync also deletes the stored messages.
    await world.store.checkpoint(world.lease, (trx) =>
      recordRunEnd(trx, RUN, {
        ...{ status: 'succeeded', reason: null, finishedAt: world.clock.now(), report: '{}' },
      }),
    );
    expect(await rows(world)).toBe(0);
  });

  it('go with a person who is forgotten, also where they are about another contact', async () => {
    const world = await createWorld();
    await record(world, [refused('c-1'), refused('c-2')]);
    await eraseContact(world.store, 'hillside', 'c-1');
    expect(await kept(world)).toHaveLength(2);
    await eraseContact(world.store, INTEGRATION, 'c-1');
    expect(await kept(world)).toEqual([]);
  });
});

function refused(crmId: string, text = 'text'): Delivery {
  return {
    ...{ crmId, trackingId: `tracking-${crmId}`, reason: 'crm_refused', detail: 'CODE: ours' },
    words: { id: `text of ${crmId} ${text}`, crmId, sealed: `sealed ${text}` },
    end: { kind: 'postponed', writeId: null, enhanced: true },
  };
}

function record({ store, lease }: StoreWorld, deliveries: readonly Delivery[]): Promise<void> {
  return store.checkpoint(lease, (trx) => recordDeliveries(trx, RUN, deliveries));
}

async function kept({ store }: StoreWorld): Promise<[string, string][]> {
  const rows = await listForeignTexts(store.reader, RUN);
  return rows.map(({ crmId, sealed }) => [crmId, sealed]);
}

async function rows({ db }: StoreWorld): Promise<number> {
  return (await db.selectFrom('foreign_texts').selectAll().execute()).length;
}
