import { afterEach, describe, expect, it } from 'vitest';
import { undoRun } from '../../src/fields/undo.ts';
import { openCrm } from '../../src/sync/control/crm-account.ts';
import { withLease } from '../../src/sync/control/with-lease.ts';
import { purgeOld } from '../../src/sync/purge-old.ts';
import { createSyncWorld, type SyncWorld } from '../helpers/sync-world.ts';

let world: SyncWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

/** Opens a service. With each request, every person becomes a year older. */
function openAgeingWorld(): Promise<SyncWorld> {
  let age = 40;
  return createSyncWorld({
    integration: {
      fields: [
        { from: 'age', to: 'Donor Age' },
        { from: 'donorId', to: 'Donor ID' },
      ],
    },
    partner: (client) => ({
      ...client,
      async readResults(jobIds, signal) {
        const results = await client.readResults(jobIds, signal);
        age += 1;
        for (const result of results.values()) {
          if (result.state === 'completed') result.profile.age = age;
        }
        return results;
      },
    }),
  });
}

function undo({ deps, integration }: SyncWorld, runId: string) {
  const all = deps();
  return withLease(all, integration.id, async (lease) =>
    undoRun(await openCrm(all, lease), lease, runId),
  );
}

/** The values of one field in two contacts before a run overwrote the values. */
const NOTES = ['Met at the gala, grieving', 'Owes us a call'] as const;

/** Runs a sync that overwrites notes in two contacts and writes a note into a third contact. */
async function overwriteNotes() {
  const opened = await createSyncWorld({
    integration: { fields: [{ from: 'donorId', to: 'Donor ID', when: 'always' }] },
  });
  world = opened;
  const ids = await opened.addPeople(3);
  for (const [at, id] of ids.entries()) {
    opened.crm.setValue(id, 'Donor ID', NOTES[at] ?? 'A third note');
  }
  const { id: run, contacts } = await opened.sync();
  expect(contacts.written).toBe(3);
  const [first = '', second = '', third = ''] = ids;
  return { world: opened, run, first, second, third };
}

describe('undoRun', () => {
  it('says of a run whose values before were purged that they are not kept any more', async () => {
    const { world: old, run, first } = await overwriteNotes();
    const written = old.crm.valueOf(first, 'Donor ID');
    const all = old.deps();
    await old.database.db.updateTable('writes').set({ written_at: 1 }).execute();
    const { integration } = old;
    await withLease(all, integration.id, (lease) =>
      purgeOld({ ...all, retention: { runRows: 90, previousValues: 30 } }, { lease, integration }),
    );
    const { contacts, refusals } = await undo(old, run);
    expect(contacts).toEqual({ restored: 0, gone: 0, refused: 3 });
    expect(refusals[0]?.message).toMatch(/^values_purged: .*no longer kept/);
    expect(old.crm.valueOf(first, 'Donor ID')).toBe(written);
  });

  it.each([
    ['the values before', ['before']],
    ['all but their ids', ['before', 'after', 'owned_before', 'crm_id']],
    ['their contacts and what was written', ['crm_id', 'after', 'owned_before']],
    ['their ids', ['id']],
  ] as const)('refuses contacts whose rows exchanged %s', async (_, columns) => {
    const { world: exchanged, run, first, second, third } = await overwriteNotes();
    const { db } = exchanged.database;
    const rowOf = (crmId: string) =>
      db.selectFrom('writes').selectAll().where('crm_id', '=', crmId).executeTakeFirstOrThrow();
    const [one, two] = [await rowOf(first), await rowOf(second)];
    const taken = (row: typeof one) =>
      Object.fromEntries(columns.map((column) => [column, row[column]]));
    await db.deleteFrom('writes').where('crm_id', 'in', [first, second]).execute();
    await db
      .insertInto('writes')
      .values([
        { ...one, ...taken(two) },
        { ...two, ...taken(one) },
      ])
      .execute();

    const report = await undo(exchanged, run);
    const noteOf = (id: string) => exchanged.crm.valueOf(id, 'Donor ID');
    expect(noteOf(first)).not.toBe(NOTES[1]);
    expect(noteOf(second)).not.toBe(NOTES[0]);
    // The third contact has its previous value again.
    expect(noteOf(third)).toBe('A third note');
    expect(report.contacts).toEqual({ restored: 1, gone: 0, refused: 2 });
    expect(report.refusals.map(({ crmId }) => crmId).sort()).toEqual([first, second].sort());
    expect(report.refusals[0]?.message).toMatch(/sealed_value_damaged: .*changed in the database/);
  });

  it('restores every contact whose row is untouched', async () => {
    const { world: kept, run, first, second } = await overwriteNotes();
    expect((await undo(kept, run)).contacts).toEqual({ restored: 3, gone: 0, refused: 0 });
    expect(kept.crm.valueOf(first, 'Donor ID')).toBe(NOTES[0]);
    expect(kept.crm.valueOf(second, 'Donor ID')).toBe(NOTES[1]);
  });

  it('goes on where it was cut off between the CRM and its record, and says the whole', async () => {
    const { world: cut, run } = await overwriteNotes();
    const { db } = cut.database;
    const writes = await db.selectFrom('writes').selectAll().execute();
    const contacts = await db.selectFrom('contacts').selectAll().execute();
    const whole = await undo(cut, run);
    // The process was killed. The CRM has the previous values, but the database does not know this.
    await db.deleteFrom('writes').execute();
    await db.insertInto('writes').values(writes).execute();
    await db.deleteFrom('contacts').execute();
    await db.insertInto('contacts').values(contacts).execute();

    expect(await undo(cut, run)).toEqual(whole);
    const left = await db.selectFrom('contacts').select('owned_values').execute();
    expect(left.map((contact) => contact.owned_values)).toEqual(['{}', '{}', '{}']);
    expect((await undo(cut, run)).fields).toEqual({ restored: 0, editedSince: 0 });
  });

  it('takes back all but the field that the CRM refuses, and that one at the next try', async () => {
    world = await createSyncWorld();
    const [id = ''] = await world.addPeople(1);
    const { id: run } = await world.sync();
    world.crm.refuseField(id, 'Donor ID');
    const donorId = world.crm.valueOf(id, 'Donor ID');
    const first = await undo(world, run);
    expect(first.contacts).toEqual({ restored: 0, gone: 0, refused: 1 });
    expect(first.fields.restored).toBeGreaterThan(1);
    expect(first.refusals).toEqual([
      { crmId: id, message: 'value_refused: The CRM refuses a value.' },
    ]);
    expect(world.crm.valueOf(id, 'Donor ID')).toBe(donorId);
    world.crm.allowWrites(id);
    const second = await undo(world, run);
    expect(second.contacts).toEqual({ restored: 1, gone: 0, refused: 0 });
    expect(second.fields).toEqual({ restored: 1, editedSince: 0 });
    expect(world.crm.valueOf(id, 'Donor ID')).toBeNull();
  });

  it('takes back what a newer run had written over, once that is undone too', async () => {
    world = await openAgeingWorld();
    const { crm } = world;
    const [id = ''] = await world.addPeople(1);
    const older = await world.sync();
    const first = crm.valueOf(id, 'Donor Age');
    expect(first).not.toBeNull();
    crm.editContact(id, { employers: ['Another Works'] });
    const newer = await world.sync();
    expect(newer.contacts.written).toBe(1);

    expect((await undo(world, older.id)).fields).toEqual({ restored: 1, editedSince: 1 });
    expect((await undo(world, newer.id)).fields).toEqual({ restored: 1, editedSince: 0 });
    expect(crm.valueOf(id, 'Donor Age')).toBe(first);
    expect((await undo(world, older.id)).fields).toEqual({ restored: 1, editedSince: 0 });
    expect(crm.valueOf(id, 'Donor Age')).toBeNull();
    expect((await undo(world, older.id)).fields).toEqual({ restored: 0, editedSince: 0 });
  });
});
