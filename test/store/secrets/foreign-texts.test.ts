import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { FOREIGN_TEXT_LIFE_MS } from '../../../src/core/foreign-text.ts';
import { migrateToLatest } from '../../../src/store/engine/migrate.ts';
import { MIGRATIONS, type MigrationList } from '../../../src/store/engine/migrations.ts';
import type { Delivery } from '../../../src/store/fields/delivery-ends.ts';
import { MAX_TEXTS_OF_RUN } from '../../../src/store/secrets/foreign-texts.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import { contactRow, crmIds } from '../contact-stages.ts';
import {
  everything,
  INTEGRATION,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
} from '../store-world.ts';

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
    await world.store.runs.finish(world.lease, RUN, {
      ...{ status: 'failed', reason: { code: 'crm_request_refused', message: 'ours' } },
      ...{ finishedAt: START_MS, report: '{}' },
      words: { id: 'run-text', crmId: '', sealed: 'sealed of the run' },
    });
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
    expect(await world.store.foreignTexts.dropOld()).toBe(0);
    expect(await kept(world)).toHaveLength(2);
    await world.clock.advance(1);
    expect(await kept(world)).toEqual([['c-2', 'sealed text']]);
    expect(await world.store.foreignTexts.dropOld()).toBe(1);
    expect(await rows(world)).toBe(1);
    await world.clock.advance(FOREIGN_TEXT_LIFE_MS);
    // A run that ends drops them too.
    await world.store.runs.finish(world.lease, RUN, {
      ...{ status: 'succeeded', reason: null, finishedAt: world.clock.now(), report: '{}' },
    });
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

describeEachDatabase('the migration of texts that stood in clear', (open) => {
  it('keeps the codes and drops the texts, wherever earlier versions wrote them', async () => {
    const { db, url } = await open();
    const name = '0010-foreign-text';
    await migrateToLatest(
      db,
      migrationsUntil((one) => one < name),
    );
    const said = 'Quartermain is worth $4,200,000';
    const contacts = [
      ...crmIds(1_203).map((crm_id) => ({
        crm_id,
        outcome_reason: 'crm_refused',
        outcome_detail: `FIELD_CUSTOM_VALIDATION_EXCEPTION: A rule. It says: ${said} Fields: ${said}.`,
      })),
      { crm_id: 'd-1', outcome_reason: 'crm_busy', outcome_detail: `UNABLE_TO_LOCK_ROW: ${said}` },
      { crm_id: 'd-2', outcome_reason: 'crm_refused', outcome_detail: `${said}: no code` },
      { crm_id: 'd-3', outcome_reason: 'person_invalid', outcome_detail: `body.${said}: missing` },
      { crm_id: 'd-4', outcome_reason: 'fields_written', outcome_detail: 'Ours.' },
      { crm_id: 'd-5', outcome_reason: 'crm_refused', outcome_detail: null },
    ];
    for (let start = 0; start < contacts.length; start += 100) {
      await db
        .insertInto('contacts')
        .values(contacts.slice(start, start + 100).map((contact) => earlierRow(contact)))
        .execute();
    }
    const reports = [
      ['run-a', 'crm_filter_invalid', said],
      ['run-b', 'budget_reached', 'The budget is used up.'],
      ['run-c', null, null],
    ] as const;
    for (const [id, code, message] of reports) {
      const reason = code === null ? null : { code, message };
      await db
        .insertInto('runs')
        .values({
          id,
          integration_id: INTEGRATION,
          epoch: 1,
          trigger: 'manual',
          status: 'failed',
          reason_code: code,
          reason_message: message,
          started_at: START_MS,
          read_count: 0,
          chosen_count: 0,
          submitted_count: 0,
          enhanced_count: 0,
          shared_count: 0,
          spent_enhancements: 0,
          report: JSON.stringify({ id, reason, calls: { partner: 1 } }),
        })
        .execute();
    }
    await db
      .insertInto('consents')
      .values({
        state_hash: 'h',
        integration_id: INTEGRATION,
        verifier: 'v',
        expires_at: START_MS,
        outcome: `The CRM did not let donor-sync in (${said}).`,
      })
      .execute();

    expect(
      await migrateToLatest(
        db,
        migrationsUntil((one) => one <= name),
      ),
    ).toEqual([name]);
    expect(JSON.stringify(await everything(db))).not.toContain('Quartermain');
    const rows = await db
      .selectFrom('contacts')
      .select(['crm_id', 'outcome_detail'])
      .orderBy('crm_id')
      .execute();
    const details = new Map(rows.map((row) => [row.crm_id, row.outcome_detail]));
    expect(new Set(crmIds(1_203).map((id) => details.get(id)))).toEqual(
      new Set(['FIELD_CUSTOM_VALIDATION_EXCEPTION']),
    );
    expect(['d-1', 'd-2', 'd-3', 'd-4', 'd-5'].map((id) => details.get(id))).toEqual([
      ...['UNABLE_TO_LOCK_ROW', null, null, 'Ours.', null],
    ]);
    const runs = await db.selectFrom('runs').selectAll().orderBy('id').execute();
    expect(runs.map(({ report }) => JSON.parse(report ?? ''))).toEqual([
      {
        ...{ id: 'run-a', calls: { partner: 1 } },
        reason: { code: 'crm_filter_invalid', message: runs[0]?.reason_message },
      },
      {
        ...{ id: 'run-b', calls: { partner: 1 } },
        reason: { code: 'budget_reached', message: 'The budget is used up.' },
      },
      { id: 'run-c', reason: null, calls: { partner: 1 } },
    ]);
    if (url.startsWith('sqlite:')) {
      const path = url.slice('sqlite:'.length);
      expect(await readFile(path, 'latin1')).not.toContain('Quartermain');
      expect(await readFile(`${path}-wal`, 'latin1')).not.toContain('Quartermain');
    }
  });
});

function migrationsUntil(isWanted: (name: string) => boolean): MigrationList {
  return Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => isWanted(name)));
}

function refused(crmId: string, text = 'text'): Delivery {
  return {
    ...{ crmId, trackingId: `tracking-${crmId}`, reason: 'crm_refused', detail: 'CODE: ours' },
    words: { id: `text of ${crmId} ${text}`, crmId, sealed: `sealed ${text}` },
    end: { kind: 'postponed', writeId: null, enhanced: true },
  };
}

function record({ store, lease }: StoreWorld, deliveries: readonly Delivery[]): Promise<void> {
  return store.deliveries.recordDeliveries(lease, RUN, deliveries);
}

async function kept({ store }: StoreWorld): Promise<[string, string][]> {
  const rows = await store.foreignTexts.list(RUN);
  return rows.map(({ crmId, sealed }) => [crmId, sealed]);
}

async function rows({ db }: StoreWorld): Promise<number> {
  return (await db.selectFrom('foreign_texts').selectAll().execute()).length;
}

/** The row of a contact as it was before contacts knew what they became a part of, an opt-out under way, and since when they are missing. */
function earlierRow(contact: Parameters<typeof contactRow>[0]) {
  const {
    merged_into: _,
    has_opted_out: __,
    values_donor: ___,
    values_identity: ____,
    missing_since: _____,
    ...row
  } = contactRow(contact);
  return row;
}
