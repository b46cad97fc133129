/** Checks that `forget` recognises values of ours that came from a former row of a list, under another ID. */
import { expect, it } from 'vitest';
import type { Connector } from '../../../connectors/contract.ts';
import { createMemoryConnector } from '../../../connectors/memory/connector.ts';
import type { MemoryCrm } from '../../../connectors/memory/crm.ts';
import { RetriableError } from '../../../src/core/errors.ts';
import { ERASURE_STAGES } from '../../../src/fields/erasing/retry-erasures.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import type { SyncWorldOptions } from '../../helpers/sync-world.ts';
import { createForgetWorld, type ForgetWorld } from './forget-world.ts';

const openWorld = closedAfterTest(createForgetWorld);

/** A list: each reading is complete, and a row that left is only absent. */
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

/** The fields of ours that have a value. */
function writtenInto({ crm }: ForgetWorld, id: string): string[] {
  return [...crm.fields.keys()].filter((field) => crm.valueOf(id, field) !== null);
}

/** Gives the row another ID. It keeps its values. */
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
  expect(receipt.alike).toEqual([{ integration: 'riverside', crmId: id }]);
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

it('leaves the values that a similar contact of the list has now', async () => {
  const { world, id, others } = await open();
  const [twin = ''] = others;
  const { contact } = recordOf(world.crm, id);
  const { id: _, ...person } = contact;
  world.crm.editContact(twin, person);
  await world.sync({ full: true });
  // The values of the twin are a user's values in this row: the twin is in the list, so nothing has moved.
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
