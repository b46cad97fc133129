/** Checks that `forget` recognises our values that came from a former row of a list with a different ID. */
import { describe, expect, it } from 'vitest';
import type { Connector } from '../../../connectors/contract.ts';
import { createMemoryConnector } from '../../../connectors/memory/connector.ts';
import type { MemoryCrm } from '../../../connectors/memory/crm.ts';
import { RetriableError } from '../../../src/core/errors.ts';
import { listOpenQuestions, recordDecision } from '../../../src/decisions/statements/questions.ts';
import { ERASURE_STAGES } from '../../../src/fields/erasing/retry-erasures.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import type { SyncWorldOptions } from '../../helpers/sync-world.ts';
import { createForgetWorld, type ForgetWorld } from './forget-world.ts';

const openWorld = closedAfterTest(createForgetWorld);

/** Makes the CRM a list. Each reading of the list is then complete, and a removed row is only absent. */
function listConnector(crm: MemoryCrm, signal: AbortSignal): Connector {
  const connector = createMemoryConnector(crm, signal);
  return {
    ...connector,
    capabilities: { ...connector.capabilities, incremental: false, reportsRemovals: false },
    async *readPages() {
      for await (const page of connector.readPages(null)) {
        yield { ...page, removed: [], cursor: null };
      }
    },
  };
}

async function open(options: SyncWorldOptions = { connector: listConnector }) {
  const world = await openWorld(options);
  const [id = '', ...others] = await world.addPeople(4);
  await world.sync();
  expect(writtenInto(world, id)).toContain('Donor ID');
  return { world, id, others };
}

/** Returns our fields that have a value. */
function writtenInto({ crm }: ForgetWorld, id: string): string[] {
  return [...crm.fields.keys()].filter((field) => crm.valueOf(id, field) !== null);
}

/** Gives the row a different ID, and keeps the row's values. */
function renumber({ crm }: ForgetWorld, id: string): string {
  const { contact, values } = recordOf(crm, id);
  crm.vanish(id);
  const next = crm.addContact({ ...contact, id: `0${id}` });
  for (const [field, value] of Object.entries(values)) crm.setValue(next, field, value);
  return next;
}

function recordOf(crm: MemoryCrm, id: string) {
  const record = crm.records.get(id);
  if (record === undefined) throw new Error(`The CRM has no contact ${id}.`);
  return record;
}

/** Returns the names of the tables that contain data about the contact. */
async function tracesOf({ database }: ForgetWorld, id: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of ['contacts', 'jobs', 'kept_profiles', 'writes', 'run_rows'] as const) {
    const rows = await database.db
      .selectFrom(table)
      .select('crm_id')
      .where('crm_id', '=', id)
      .execute();
    if (rows.length > 0) found.push(table);
  }
  return found;
}

const CLEARED = { alsoInCrm: true };
const LOCKED = new RetriableError('The file is locked.', { code: 'crm_unavailable' });
const VERIFIED = { complete: true, crm: { verified: true, stillPresent: [], editedSince: [] } };

it('clears the values of a row that no run has read under its new ID', async () => {
  const { world, id, others } = await open();
  const [other = ''] = others;
  const fields = writtenInto(world, id);
  const next = renumber(world, id);
  const receipt = await world.forget(next, CLEARED);
  expect(receipt).toMatchObject(VERIFIED);
  expect(receipt.crm?.cleared.toSorted()).toEqual(fields.toSorted());
  expect(receipt.alike).toEqual([]);
  expect(writtenInto(world, next)).toEqual([]);
  expect(writtenInto(world, other)).toEqual(fields);
});

it('clears them if the ID has changed twice since a run has read the list', async () => {
  const { world, id } = await open();
  const next = renumber(world, renumber(world, id));
  expect(await world.forget(next, CLEARED)).toMatchObject(VERIFIED);
  expect(writtenInto(world, next)).toEqual([]);
});

it('clears them if the person also changed jobs, and a run has paid for the new details', async () => {
  const { world, id } = await open();
  const next = renumber(world, id);
  world.crm.editContact(next, { employers: ['Northern Lights Foundation'] });
  await world.sync({ full: true });
  expect(await world.forget(next, CLEARED)).toMatchObject(VERIFIED);
  expect(writtenInto(world, next)).toEqual([]);
});

describe('the data about a former row', () => {
  it.each([
    ['before a run has read the new row', false],
    ['after a run has recorded the new ID', true],
  ])('is erased with the contact under its new ID, %s', async (_, isRead) => {
    const { world, id, others } = await open();
    const next = renumber(world, id);
    if (isRead) await world.sync({ full: true });
    expect(await tracesOf(world, id)).not.toEqual([]);
    const receipt = await world.forget(next);
    expect(receipt).toMatchObject({ complete: true, alike: [] });
    expect(receipt.erased.contacts).toBeGreaterThan(0);
    expect(await tracesOf(world, id)).toEqual([]);
    expect(await tracesOf(world, next)).toEqual([]);
    for (const other of others) expect(await tracesOf(world, other)).toContain('contacts');
  });

  it('is erased by the next run if the file could not be written at first', async () => {
    const { world, id } = await open();
    const next = renumber(world, id);
    await world.sync({ full: true });
    world.crm.failNext('write', LOCKED);
    await expect(world.forget(next, CLEARED)).rejects.toMatchObject({ code: 'erasure_cut_off' });
    expect(await tracesOf(world, id)).not.toEqual([]);
    await world.sync({ full: true, stages: ERASURE_STAGES });
    expect(await tracesOf(world, id)).toEqual([]);
    expect(await tracesOf(world, next)).toEqual([]);
  });

  it('is erased when the command is repeated, if the list could not be read at first', async () => {
    const { world, id } = await open();
    const next = renumber(world, id);
    await world.sync({ full: true });
    world.crm.failNext('readByIds', LOCKED);
    await world.forget(next);
    await world.forget(next);
    expect(await tracesOf(world, id)).toEqual([]);
  });

  it('is left, and the receipt shows the ID, if the new row has another employer', async () => {
    const { world, id } = await open();
    const next = renumber(world, id);
    world.crm.editContact(next, { employers: ['Northern Lights Foundation'] });
    const receipt = await world.forget(next, CLEARED);
    expect(receipt.alike).toEqual([{ integration: 'riverside', crmId: id }]);
    expect(await tracesOf(world, id)).toContain('contacts');
  });

  it('is left if the list still contains the row', async () => {
    const { world, id } = await open();
    const { contact } = recordOf(world.crm, id);
    const copy = world.crm.addContact({ ...contact, id: 'copy' });
    const receipt = await world.forget(copy);
    expect(receipt.alike).toEqual([{ integration: 'riverside', crmId: id }]);
    expect(await tracesOf(world, id)).toContain('contacts');
  });
});

it('recognises the person under another ID if the former rows could not be read during the erasure', async () => {
  let readings = Number.NEGATIVE_INFINITY;
  const { world } = await open({
    connector: (crm, signal) => {
      const connector = listConnector(crm, signal);
      return {
        ...connector,
        async readByIds(ids, fields) {
          readings += 1;
          // The erasure reads the contact first, and then its former rows.
          if (readings === 2) throw LOCKED;
          return connector.readByIds(ids, fields);
        },
      };
    },
  });
  const [first = ''] = world.crm.records.keys();
  const { contact } = recordOf(world.crm, first);
  const newcomer = world.crm.addContact({ ...contact, id: 'newcomer', firstName: 'Alexandra' });
  const spent = await world.spent();
  readings = 0;
  await world.forget(newcomer);
  expect(readings).toBeGreaterThanOrEqual(2);
  renumber(world, newcomer);
  readings = Number.NEGATIVE_INFINITY;
  expect(await world.sync({ full: true })).toMatchObject({ contacts: { held: 1 } });
  expect(await world.spent()).toBe(spent);
});

it('leaves a value that a user has changed since', async () => {
  const { world, id } = await open();
  const next = renumber(world, id);
  world.crm.setValue(next, 'Donor Net Worth', 'typed by a person');
  expect(await world.forget(next, CLEARED)).toMatchObject({
    complete: true,
    crm: { editedSince: ['Donor Net Worth'], verified: true },
  });
  expect(writtenInto(world, next)).toEqual(['Donor Net Worth']);
});

it('clears the rest when it is repeated after the file could not be written', async () => {
  const { world, id } = await open();
  const next = renumber(world, id);
  world.crm.failNext('write', LOCKED);
  await expect(world.forget(next, CLEARED)).rejects.toMatchObject({ code: 'erasure_cut_off' });
  expect(writtenInto(world, next)).not.toEqual([]);
  await world.sync({ full: true });
  expect(await world.forget(next, CLEARED)).toMatchObject(VERIFIED);
  expect(writtenInto(world, next)).toEqual([]);
});

it('lets the next run clear the rest if a run has read the row under its new ID', async () => {
  const { world, id } = await open();
  const next = renumber(world, id);
  world.crm.editContact(next, { employers: ['Northern Lights Foundation'] });
  await world.sync({ full: true });
  world.crm.failNext('write', LOCKED);
  await expect(world.forget(next, CLEARED)).rejects.toMatchObject({ code: 'erasure_cut_off' });
  expect(writtenInto(world, next)).not.toEqual([]);
  await world.sync({ full: true, stages: ERASURE_STAGES });
  expect(writtenInto(world, next)).toEqual([]);
});

it('does not confirm that no value is left if the values may come from a row with other details', async () => {
  const { world, id } = await open();
  const fields = writtenInto(world, id);
  const next = renumber(world, id);
  const elsewhere = ['9 Elsewhere Road, Springfield, IL 62701'];
  world.crm.editContact(next, { employers: ['Northern Lights Foundation'], addresses: elsewhere });
  const first = await world.forget(next, CLEARED);
  expect(first).toMatchObject({ complete: true, crm: { cleared: [], verified: false } });
  expect(first.crm?.unrecognized.toSorted()).toEqual(fields.toSorted());
  expect(first.pending).toMatchObject([{ what: 'crm' }]);
  const again = await world.forget(next, CLEARED);
  expect(again.crm?.unrecognized.toSorted()).toEqual(fields.toSorted());
  expect(writtenInto(world, next)).toEqual(fields);
});

describe('with two rows of one person in the list', () => {
  /**
   * Adds a second row of the first contact's person. The client has paid for both rows, and both rows have donor-sync's
   * values.
   */
  async function openTwoRows(options?: SyncWorldOptions) {
    const { world, id } = await open(options);
    const { contact } = recordOf(world.crm, id);
    const twin = world.crm.addContact({ ...contact, id: `twin-of-${id}` });
    await world.sync({ full: true });
    expect(writtenInto(world, twin)).toContain('Donor ID');
    return { world, id, twin, spent: await world.spent() };
  }

  /** Answers all open questions about contacts that look like an erased person. */
  async function answerAll({ store }: ForgetWorld, decision: 'approved' | 'rejected') {
    const questions = await listOpenQuestions(store.reader);
    expect(questions).not.toHaveLength(0);
    for (const question of questions) {
      expect(question.kind).toBe('forgotten_person');
      expect(await recordDecision(store, question, decision)).toBe(true);
    }
  }

  it('leaves the data that a run has recorded for the other row under its new ID', async () => {
    const { world, id, twin } = await openTwoRows();
    const [now, other] = [renumber(world, id), renumber(world, twin)];
    await world.sync({ full: true });
    const before = await tracesOf(world, other);
    expect(await world.forget(now, CLEARED)).toMatchObject(VERIFIED);
    expect(await tracesOf(world, other)).toEqual(before);
    // The two former rows have equal details, so either former row can be the previous row of the remaining contact.
    const former = [await tracesOf(world, id), await tracesOf(world, twin)];
    expect(former.filter((traces) => traces.includes('contacts'))).toHaveLength(1);
    expect(writtenInto(world, now)).toEqual([]);
    expect(await world.forget(other, CLEARED)).toMatchObject(VERIFIED);
    expect(writtenInto(world, other)).toEqual([]);
    for (const each of [id, twin, other]) expect(await tracesOf(world, each)).toEqual([]);
  });

  it('leaves the other row its profile if the first row is erased again under its new ID', async () => {
    const { world, id, twin, spent } = await openTwoRows();
    await world.forget(id, CLEARED);
    const [now, other] = [renumber(world, id), renumber(world, twin)];
    await world.sync({ full: true });
    await world.forget(now, CLEARED);
    expect(await tracesOf(world, twin)).toContain('contacts');
    await world.sync({ full: true });
    const last = renumber(world, other);
    await world.sync({ full: true });
    expect(await world.spent()).toBe(spent);
    expect(writtenInto(world, last)).toContain('Donor ID');
    expect(await world.forget(last, CLEARED)).toMatchObject(VERIFIED);
    expect(writtenInto(world, last)).toEqual([]);
    for (const each of [twin, other, last]) expect(await tracesOf(world, each)).toEqual([]);
  });

  it('leaves the other row its profile if a user has said that both rows are other people', async () => {
    const { world, id, twin, spent } = await openTwoRows();
    await world.forget(id, CLEARED);
    const [now, other] = [renumber(world, id), renumber(world, twin)];
    await world.sync({ full: true });
    await answerAll(world, 'approved');
    await world.forget(now, CLEARED);
    expect(await tracesOf(world, twin)).toContain('contacts');
    // The erasure of the first row makes the other row look like an erased person again.
    await world.sync({ full: true });
    await answerAll(world, 'rejected');
    expect(await world.forget(other, CLEARED)).toMatchObject(VERIFIED);
    expect(writtenInto(world, other)).toEqual([]);
    for (const each of [twin, other]) expect(await tracesOf(world, each)).toEqual([]);
    expect(await world.spent()).toBe(spent);
  });

  it('leaves one former row to the other row if the run that read both rows was interrupted', async () => {
    let isCut = false;
    const { world, id, twin, spent } = await openTwoRows({
      connector: (crm, signal) => {
        const connector = listConnector(crm, signal);
        return {
          ...connector,
          async *readPages(since) {
            yield* connector.readPages(since);
            if (isCut) throw LOCKED;
          },
        };
      },
    });
    const [now, other] = [renumber(world, id), renumber(world, twin)];
    isCut = true;
    await world.sync({ full: true });
    isCut = false;
    expect(await tracesOf(world, other)).toContain('contacts');
    expect(await world.forget(now, CLEARED)).toMatchObject(VERIFIED);
    const former = [await tracesOf(world, id), await tracesOf(world, twin)];
    expect(former.filter((traces) => traces.includes('contacts'))).toHaveLength(1);
    await world.sync({ full: true });
    await answerAll(world, 'approved');
    await world.sync({ full: true });
    expect(await world.spent()).toBe(spent);
    expect(writtenInto(world, other)).toContain('Donor ID');
  });
});

it('leaves the values that a similar contact of the list has now', async () => {
  const { world, id, others } = await open();
  const [twin = ''] = others;
  const { contact } = recordOf(world.crm, id);
  const { id: _, ...person } = contact;
  world.crm.editContact(twin, person);
  await world.sync({ full: true });
  // The duplicate's values count as a user's values in this row. The duplicate is also in the list, so nothing was
  // moved.
  const copy = world.crm.addContact({ ...contact, id: 'copy' });
  world.crm.setValue(copy, 'Donor Net Worth', world.crm.valueOf(twin, 'Donor Net Worth'));
  expect(await world.forget(copy, CLEARED)).toMatchObject({ complete: true });
  expect(writtenInto(world, copy)).toEqual(['Donor Net Worth']);
  expect(writtenInto(world, twin)).toContain('Donor Net Worth');
});

it('leaves them in a CRM that says which contacts are gone, because its IDs do not change', async () => {
  const { world, id } = await open({});
  const fields = writtenInto(world, id);
  const next = renumber(world, id);
  expect(await world.forget(next, CLEARED)).toMatchObject({ complete: true });
  expect(writtenInto(world, next)).toEqual(fields);
});
