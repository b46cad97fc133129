import { expect, it } from 'vitest';
import type { Connector } from '../../connectors/contract.ts';
import { createMemoryConnector } from '../../connectors/memory/connector.ts';
import type { MemoryCrm } from '../../connectors/memory/crm.ts';
import { findContacts } from '../../src/contacts/contacts.ts';
import { RetriableError } from '../../src/core/errors.ts';
import type { FieldMapping } from '../../src/core/field-map.ts';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import { listWaitingValues } from '../../src/fields/statements/value-states.ts';
import { undoRun } from '../../src/fields/undo.ts';
import type { PartnerClient } from '../../src/partner/client.ts';
import { openCrm } from '../../src/sync/control/crm-account.ts';
import { withLease } from '../../src/sync/control/with-lease.ts';
import type { SyncWorld } from '../helpers/sync-world.ts';
import { describeEachDatabase, describeOn } from '../helpers/test-databases.ts';
import { ageJobs, open, strangers } from './worlds.ts';

const FIELDS = [
  { from: 'donorId', to: 'Donor ID' },
  { from: 'netWorth.low', to: 'Donor Net Worth Low' },
  { from: 'netWorth.high', to: 'Donor Net Worth High' },
  { from: 'age', to: 'Donor Age' },
  { from: 'profileUrl', to: 'Donor Profile' },
] as const;

function linesOf(count: number): FieldMapping[] {
  return FIELDS.slice(0, count).map((line) => ({ ...line, when: 'unlessEdited' }));
}

/** Returns a CRM behind a network, in which a run does not create fields. */
function asServer(crm: MemoryCrm, signal: AbortSignal): Connector {
  const connector = createMemoryConnector(crm, signal);
  return { ...connector, capabilities: { ...connector.capabilities, remote: true } };
}

/** Returns how many values all contacts have in the given fields. */
function filled({ crm }: SyncWorld, fields: readonly string[]): number {
  const ids = [...crm.records.keys()];
  return fields.flatMap((field) => ids.filter((id) => crm.valueOf(id, field) !== null)).length;
}

/** Returns the number of contacts whom the service knew, which are the contacts with a donor ID. */
function known(world: SyncWorld): number {
  return filled(world, ['Donor ID']);
}

/** Expects that every contact with a donor ID has the values that a first sync would have written. */
async function expectWhole(world: SyncWorld, fields: readonly string[]): Promise<void> {
  const untouched = await open({ integration: { fields: linesOf(FIELDS.length) } });
  await untouched.addPeople(world.crm.records.size);
  await untouched.sync();
  for (const field of fields) {
    for (const id of untouched.crm.records.keys()) {
      const value = String(world.crm.valueOf(id, field));
      expect([field, id, value]).toEqual([field, id, String(untouched.crm.valueOf(id, field))]);
    }
  }
}

/** Returns a connector that omits each Donor Age, unless the write tests whether the CRM accepts the value. */
function leavingOutAges(crm: MemoryCrm, signal: AbortSignal): Connector {
  const refusal = { retriable: false, code: 'JUDGED', message: 'No.', fields: ['Donor Age'] };
  const connector = createMemoryConnector(crm, signal);
  return {
    ...connector,
    async *write(changes) {
      for await (const change of changes) {
        const { 'Donor Age': age, ...values } = change.values;
        const isLeftOut = age !== undefined && change.probe !== true;
        for await (const result of connector.write([isLeftOut ? { ...change, values } : change])) {
          if (isLeftOut) yield { status: 'written_in_part', id: result.id, refusals: [refusal] };
          else yield result;
        }
      }
    },
  };
}

/** Moves all waiting values back by this number of days. */
async function pass({ database }: SyncWorld, days: number): Promise<void> {
  const ms = days * 86_400_000;
  await database.db
    .updateTable('value_states')
    .set((eb) => ({ since: eb('since', '-', ms), probed_at: eb('probed_at', '-', ms) }))
    .execute();
}

describeOn('sqlite', 'what was paid for arrives', () => {
  it('writes the values of a field that was missing once it is there, without a credit', async () => {
    const world = await open({ integration: { fields: linesOf(5) }, connector: asServer });
    await world.addPeople(60);
    world.crm.removeField('Donor Age');
    world.crm.removeField('Donor Profile');
    const first = await world.sync();
    expect(filled(world, ['Donor Profile'])).toBe(0);
    world.crm.addField({ name: 'Donor Age' });
    world.crm.addField({ name: 'Donor Profile' });
    const second = await world.sync();
    expect(second.contacts.written).toBe(known(world));
    await expectWhole(world, ['Donor Age', 'Donor Profile', 'Donor ID']);
    expect(await world.spent()).toBe(first.contacts.submitted);
    expect(await listWaitingValues(world.store.reader, 'riverside')).toEqual([]);
  });

  it('writes them once the permission is granted, and once a field is enlarged', async () => {
    const world = await open({ integration: { fields: linesOf(5) } });
    await world.addPeople(50);
    world.crm.addField({ name: 'Donor Age', writable: false });
    world.crm.addField({ name: 'Donor Net Worth Low', type: 'currency', integerDigits: 1 });
    world.crm.addField({ name: 'Donor Profile', type: 'url', maxLength: 5 });
    await world.sync();
    const states = await listWaitingValues(world.store.reader, 'riverside');
    expect(new Map(states.map(({ field, state }) => [field, state]))).toEqual(
      new Map([
        ['Donor Age', 'no_permission'],
        ['Donor Net Worth Low', 'does_not_fit'],
        ['Donor Profile', 'does_not_fit'],
      ]),
    );
    const before = await world.spent();
    for (const { to: name } of FIELDS) world.crm.addField({ name });
    await world.sync();
    await expectWhole(world, ['Donor Age', 'Donor Net Worth Low', 'Donor Profile']);
    expect(await world.spent()).toBe(before);
  });

  it('writes them although an earlier run broke off before the CRM had them', async () => {
    const world = await open({ integration: { fields: linesOf(5) } });
    await world.addPeople(20);
    world.crm.addField({ name: 'Donor Age', writable: false });
    await world.sync();
    const before = await world.spent();
    world.crm.addField({ name: 'Donor Age' });
    world.crm.failNext('write', new RetriableError('No answer.', { code: 'crm_unavailable' }));
    await world.sync();
    await world.sync();
    await expectWhole(world, ['Donor Age']);
    expect(await world.spent()).toBe(before);
  });

  it('writes them while the contacts wait for the credit of their next profile', async () => {
    const count = 20;
    const budget = { perMonth: count };
    const world = await open({
      integration: { fields: linesOf(5), refresh: { afterDays: 1 }, budget },
    });
    await world.addPeople(count);
    world.crm.addField({ name: 'Donor Age', writable: false });
    await world.sync();
    const before = await world.spent();
    await world.database.db
      .updateTable('contacts')
      .set((eb) => ({ asked_at: eb('asked_at', '-', 3 * 86_400_000) }))
      .execute();
    world.crm.addField({ name: 'Donor Age' });
    expect((await world.sync()).reason?.code).toBe('budget_reached');
    await expectWhole(world, ['Donor Age']);
    expect(await world.spent()).toBe(before);
  });

  it('writes the values of lines that the field map has gained', async () => {
    const world = await open({ integration: { fields: linesOf(2) } });
    await world.addPeople(50);
    await world.sync();
    const before = await world.spent();
    await world.sync({ mappings: linesOf(5) });
    await expectWhole(
      world,
      FIELDS.map(({ to }) => to),
    );
    expect(await world.spent()).toBe(before);
    const writes = world.crm.writes.length;
    await world.sync({ mappings: linesOf(5) });
    expect(world.crm.writes).toHaveLength(writes);
  });

  it('tries five contacts that a rule refuses, and the others once one is accepted', async () => {
    const world = await open({ integration: { fields: linesOf(5) } });
    const ids = await world.addPeople(40);
    for (const id of ids) world.crm.refuseField(id, 'Donor Net Worth High');
    await world.sync();
    const tries = world.crm.calls.write;
    await world.sync();
    expect(world.crm.calls.write - tries).toBeLessThanOrEqual(5);
    // The day is not over yet, so only a few values are tried.
    await world.sync();
    expect(world.crm.calls.write - tries).toBeLessThanOrEqual(5);
    for (const id of ids) world.crm.allowWrites(id);
    await world.database.db
      .updateTable('value_states')
      .set((eb) => ({ probed_at: eb('probed_at', '-', 86_400_000) }))
      .execute();
    await world.sync();
    await expectWhole(world, ['Donor Net Worth High']);
  });

  it('asks the CRM each week about values that the connector itself leaves out', async () => {
    const world = await open({ integration: { fields: linesOf(5) }, connector: leavingOutAges });
    await world.addPeople(20);
    await world.sync();
    await pass(world, 1);
    await world.sync();
    expect(filled(world, ['Donor Age'])).toBe(0);
    await pass(world, 8);
    await world.sync();
    await expectWhole(world, ['Donor Age']);
  });

  it('reports a contact as written that gets one value while another does not fit in the same run', async () => {
    const world = await open({ integration: { fields: linesOf(5) }, connector: leavingOutAges });
    world.crm.addField({ name: 'Donor Net Worth Low', type: 'currency', integerDigits: 1 });
    await world.addPeople(20);
    await world.sync();
    // The field is longer now, but still too short.
    world.crm.addField({ name: 'Donor Net Worth Low', type: 'currency', integerDigits: 2 });
    await pass(world, 8);
    const { contacts } = await world.sync();
    const written = filled(world, ['Donor Age']);
    expect(written).toBeGreaterThan(5);
    expect(contacts.written).toBe(written);
    const unfit = await world.database.db
      .selectFrom('contacts')
      .select('outcome_detail as detail')
      .where('outcome_reason', '=', 'fields_written_some_unfit')
      .execute();
    expect(unfit.length).toBeGreaterThan(5);
    expect(unfit.every(({ detail }) => detail?.includes('Donor Net Worth Low holds at most'))).toBe(
      true,
    );
  });

  it('reports a contact as written that was deleted and put back while the run was reading', async () => {
    let away: string | null = null;
    const world = await open({
      integration: { fields: linesOf(5) },
      connector(crm, signal) {
        const connector = asServer(crm, signal);
        return {
          ...connector,
          async *readPages(cursor) {
            if (away !== null) {
              const removed = [{ id: away, mergedInto: null }];
              yield { contacts: [], removed, cursor };
              crm.editContact(away, {});
            }
            yield* connector.readPages(cursor);
          },
        };
      },
    });
    await world.addPeople(10);
    world.crm.removeField('Donor Age');
    await world.sync();
    world.crm.addField({ name: 'Donor Age' });
    away = [...world.crm.records.keys()].find((id) => world.crm.valueOf(id, 'Donor ID')) ?? null;
    const { contacts } = await world.sync();
    expect(world.crm.valueOf(away ?? '', 'Donor Age')).not.toBeNull();
    expect(contacts.written).toBe(known(world));
    expect(
      (await findContacts(world.store.reader, 'riverside', [away ?? ''])).get(away ?? ''),
    ).toMatchObject({
      outcomeReason: 'fields_written',
    });
  });

  it('leaves a field empty that a user has emptied, while another field of the contact is filled', async () => {
    const world = await open({ integration: { fields: linesOf(2) } });
    await world.addPeople(10);
    await world.sync();
    const [id = ''] = [...world.crm.records.keys()].filter(
      (each) => world.crm.valueOf(each, 'Donor Net Worth Low') !== null,
    );
    world.crm.setValue(id, 'Donor Net Worth Low', null);
    const changed = linesOf(5).map((line) => ({ ...line, when: 'always' as const }));
    await world.sync({ mappings: changed });
    expect(world.crm.valueOf(id, 'Donor Net Worth Low')).toBeNull();
    expect(world.crm.valueOf(id, 'Donor Profile')).not.toBeNull();
  });

  it('leaves out what a user has undone', async () => {
    const world = await open({ integration: { fields: linesOf(2) } });
    await world.addPeople(10);
    const { id: runId } = await world.sync();
    const deps = world.deps();
    await withLease(deps, 'riverside', async (lease) =>
      undoRun(await openCrm(deps, lease), lease, runId),
    );
    expect(known(world)).toBe(0);
    await world.sync({ mappings: linesOf(5) });
    expect(filled(world, ['Donor ID', 'Donor Net Worth Low'])).toBe(0);
    expect(filled(world, ['Donor Profile'])).toBeGreaterThan(0);
  });

  it('writes nothing for a contact that has opted out, and everything once it opts in again', async () => {
    const world = await open({ integration: { fields: linesOf(2) } });
    const [id = ''] = await world.addPeople(10);
    await world.sync();
    world.crm.editContact(id, { optedOut: true });
    await world.sync({ mappings: linesOf(5) });
    expect(world.crm.valueOf(id, 'Donor Profile')).toBeNull();
    world.crm.editContact(id, { optedOut: false });
    await world.sync({ mappings: linesOf(5) });
    await expectWhole(world, ['Donor Profile', 'Donor ID']);
  });

  it('keeps the profile of a held contact, and delivers it only after an approval, however late', async () => {
    const world = await open({ ...strangers, integration: { fields: linesOf(5) } });
    await world.addPeople(5);
    await world.sync();
    expect(known(world)).toBe(0);
    await world.sync({ mappings: linesOf(5).map((line) => ({ ...line, when: 'always' })) });
    expect(known(world)).toBe(0);
    const before = await world.spent();
    await ageJobs(world, 60 * 24 * 30);
    await world.putFaults([{ on: { path: '*results*' }, fault: { kind: 'jobsVanish' } }]);
    for (const hold of await listOpenQuestions(world.store.reader)) {
      await recordDecision(world.store, hold, 'approved');
    }
    await world.sync();
    expect(known(world)).toBeGreaterThan(0);
    expect(await world.spent()).toBe(before);
  });

  it('fetches the result again where no profile is kept', async () => {
    const world = await open({
      retention: { profiles: 0 },
      integration: { fields: linesOf(2) },
    });
    await world.addPeople(20);
    await world.sync();
    const rows = await world.database.db.selectFrom('kept_profiles').selectAll().execute();
    expect(rows.every(({ key, profile }) => key === '' && profile === '')).toBe(true);
    await world.sync({ mappings: linesOf(5) });
    await expectWhole(world, ['Donor Profile', 'Donor Age']);
  });

  it('asks for results that are gone in one night only, and leaves them to the next refresh', async () => {
    const world = await open({ retention: { profiles: 0 }, integration: { fields: linesOf(2) } });
    await world.addPeople(20);
    await world.sync();
    await ageJobs(world, 60);
    await world.putFaults([{ on: { path: '*results*' }, fault: { kind: 'jobsVanish' } }]);
    const asked = async () => {
      const before = await world.requests();
      await world.sync({ mappings: linesOf(5) });
      const after = await world.requests();
      return after.slice(before.length).filter(({ path }) => path.includes('results')).length;
    };
    expect(await asked()).toBeGreaterThan(0);
    expect(await asked()).toBe(0);
    expect(filled(world, ['Donor Profile'])).toBe(0);
    const rows = await world.database.db.selectFrom('kept_profiles').selectAll().execute();
    expect(rows.every(({ gone_at: goneAt }) => goneAt !== null)).toBe(true);
  });

  it('gives a contact that left and came back the values of its kept profile', async () => {
    const world = await open({ integration: { fields: linesOf(5) } });
    const [id = ''] = await world.addPeople(10);
    await world.sync();
    const { contact } = world.crm.records.get(id) ?? {};
    world.crm.deleteContact(id);
    await world.sync({ full: true });
    const before = await world.spent();
    world.crm.addContact({ ...contact, id });
    await world.sync({ full: true });
    await expectWhole(
      world,
      FIELDS.map(({ to }) => to),
    );
    expect(await world.spent()).toBe(before);
  });

  it('deletes profiles that are too old at the end of a run that failed as well', async () => {
    const world = await open({ retention: { profiles: 30 } });
    await world.addPeople(5);
    await world.sync();
    await world.database.db
      .updateTable('kept_profiles')
      .set((eb) => ({ kept_at: eb('kept_at', '-', 31 * 86_400_000) }))
      .execute();
    const stopped = await world.sync({ signal: AbortSignal.abort() });
    expect(stopped.status).toBe('incomplete');
    expect(await world.database.db.selectFrom('kept_profiles').selectAll().execute()).toEqual([]);
  });

  it('deletes the profile of a contact that has been opted out for 30 days, and no other', async () => {
    const world = await open();
    const [id = ''] = await world.addPeople(5);
    await world.sync();
    const kept = async () => {
      const rows = await world.database.db
        .selectFrom('kept_profiles')
        .select(['crm_id', 'opted_out_at'])
        .execute();
      return new Map(rows.map((row) => [row.crm_id, row.opted_out_at]));
    };
    const all = (await kept()).size;
    world.crm.editContact(id, { optedOut: true });
    await world.sync();
    expect((await kept()).get(id)).toBeGreaterThan(0);
    await world.database.db
      .updateTable('kept_profiles')
      .set((eb) => ({ opted_out_at: eb('opted_out_at', '-', 31 * 86_400_000) }))
      .execute();
    await world.sync();
    expect((await kept()).has(id)).toBe(false);
    expect((await kept()).size).toBe(all - 1);
  });

  it('deletes no profile while more contacts than usual have opted out at once', async () => {
    const world = await open();
    const ids = await world.addPeople(40);
    await world.sync();
    for (const id of ids) world.crm.editContact(id, { optedOut: true });
    await world.sync();
    await world.database.db
      .updateTable('kept_profiles')
      .set((eb) => ({ opted_out_at: eb('opted_out_at', '-', 31 * 86_400_000) }))
      .execute();
    const before = await world.database.db.selectFrom('kept_profiles').select('crm_id').execute();
    await world.sync();
    expect(await world.database.db.selectFrom('kept_profiles').select('crm_id').execute()).toEqual(
      before,
    );
  });

  it('has nothing of a profile in clear', async () => {
    const world = await open();
    await world.addPeople(20);
    await world.sync();
    const rows = await world.database.db.selectFrom('kept_profiles').selectAll().execute();
    expect(rows.length).toBeGreaterThan(0);
    const text = JSON.stringify(rows);
    for (const { values } of world.crm.writes) {
      expect(text).not.toContain(String(values['Donor ID']));
      expect(text).not.toContain(String(values['Donor Profile']));
    }
  });
});

describeEachDatabase('what was paid for arrives, on each database', (openDatabase) => {
  it('tells what waits, tries, writes, and deletes by age and by opt-out', async () => {
    const database = await openDatabase();
    const world = await open({ database, integration: { fields: linesOf(2) } });
    const ids = await world.addPeople(20);
    for (const id of ids) world.crm.refuseField(id, 'Donor Net Worth Low');
    await world.sync();
    const before = await world.spent();
    const [waiting, ...more] = await listWaitingValues(world.store.reader, 'riverside');
    expect(more).toEqual([]);
    expect(waiting).toMatchObject({ field: 'Donor Net Worth Low', state: 'refused' });
    expect(waiting?.contacts).toBeGreaterThan(10);
    for (const id of ids) world.crm.allowWrites(id);
    await world.sync({ mappings: linesOf(5) });
    await expectWhole(
      world,
      FIELDS.map(({ to }) => to),
    );
    expect(await listWaitingValues(world.store.reader, 'riverside')).toEqual([]);
    expect(await world.spent()).toBe(before);
    const [id = ''] = ids;
    world.crm.editContact(id, { optedOut: true });
    await world.sync();
    const early = { opted_out_at: 1 };
    await database.db
      .updateTable('kept_profiles')
      .set(early)
      .where('opted_out_at', 'is not', null)
      .execute();
    await world.sync();
    const left = await database.db.selectFrom('kept_profiles').select('crm_id').execute();
    expect(left.map(({ crm_id }) => crm_id)).not.toContain(id);
    expect(left.length).toBeGreaterThan(10);
  });

  it('takes at most twice the room of the profile as JSON', async () => {
    const database = await openDatabase();
    const world = await open({ database, partner: listening });
    await world.addPeople(50);
    await world.sync();
    const rows = await database.db.selectFrom('kept_profiles').selectAll().execute();
    const stored = rows.reduce((sum, row) => sum + Object.values(row).join('').length, 0);
    const json = [...heard.values()].reduce((sum, length) => sum + length, 0);
    expect(rows.length).toBe(heard.size);
    expect(stored / json).toBeLessThan(2);
  });
});

const heard = new Map<string, number>();

/** Records the length of each profile as JSON. */
function listening(client: PartnerClient): PartnerClient {
  heard.clear();
  return {
    ...client,
    async readResults(jobIds, signal) {
      const results = await client.readResults(jobIds, signal);
      for (const [jobId, result] of results) {
        if (result.state !== 'completed') continue;
        heard.set(jobId, JSON.stringify(result.profile).length);
      }
      return results;
    },
  };
}
