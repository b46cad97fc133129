import { describe, expect, it } from 'vitest';
import { memoryDefaultFields } from '../../connectors/memory/connector.ts';
import { findContacts } from '../../src/contacts/contacts.ts';
import type { RunReport } from '../../src/core/run.ts';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import { type Preview, previewRun } from '../../src/sync/preview.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { createSyncWorld, type SyncWorld, type SyncWorldOptions } from '../helpers/sync-world.ts';

const open = closedAfterTest(createSyncWorld);

/** Opens a CRM whose contacts are all enhanced, and returns the contacts' IDs and their cost. */
async function openEnhanced(
  count: number,
  options?: SyncWorldOptions,
): Promise<{ world: SyncWorld; ids: string[]; spent: number }> {
  const world = await open(options);
  const ids = await world.addPeople(count);
  expect((await world.sync()).status).toBe('succeeded');
  return { world, ids, spent: await world.spent() };
}

function contactOf({ crm }: SyncWorld, id: string) {
  const record = crm.records.get(id);
  if (!record) throw new Error(`The CRM has no contact ${id}`);
  return record.contact;
}

/** Moves a contact to a different house in its street, so the new address is not only a different spelling. */
function moveHouse(world: SyncWorld, id: string): void {
  const [address = ''] = contactOf(world, id).addresses;
  world.crm.editContact(id, { addresses: [`99${address}`] });
}

function plan(world: SyncWorld): Promise<Preview> {
  const { integration, store } = world;
  return previewRun(world.deps(), {
    integration,
    full: true,
    only: null,
    mappings: memoryDefaultFields,
    partnerKey: store.fingerprint('partner_key', integration.partner.apiKey),
  });
}

async function reasonOf({ store }: SyncWorld, id: string): Promise<string | undefined> {
  return (await findContacts(store.reader, 'riverside', [id])).get(id)?.outcomeReason;
}

describe.each(['address', 'employer'] as const)('an %s that may not be read any more', (source) => {
  it('costs no credit, neither when it goes nor when it comes back', async () => {
    const { world, spent } = await openEnhanced(30);
    world.crm.hideSource(source);
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, waiting: 0 });
    world.crm.showSource(source);
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, unchanged: 30 });
    expect(await world.spent()).toBe(spent);
  });

  it('lets new contacts wait, and go on once it can be read again', async () => {
    const { world, spent } = await openEnhanced(5);
    world.crm.hideSource(source);
    const newcomer = (await world.addPeople(6)).at(-1) ?? '';
    expect(await world.sync()).toMatchObject({ status: 'succeeded', contacts: { submitted: 0 } });
    expect(await reasonOf(world, newcomer)).toBe('identity_unreadable');
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0 });
    expect(await world.spent()).toBe(spent);
    world.crm.showSource(source);
    await world.sync();
    expect(await reasonOf(world, newcomer)).toBe('fields_written');
  });

  it('is left out where it never could be read, and taken over without a credit once it can', async () => {
    const world = await open();
    world.crm.hideSource(source);
    await world.addPeople(10);
    expect((await world.sync()).contacts).toMatchObject({ submitted: 10 });
    const spent = await world.spent();
    world.crm.showSource(source);
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0 });
    expect(await world.spent()).toBe(spent);
  });

  it('is named by a plan, with what becomes of contacts', async () => {
    const { world } = await openEnhanced(5);
    world.crm.hideSource(source);
    await world.addPeople(6);
    expect(await plan(world)).toMatchObject({
      leave: { identity_unreadable: 1 },
      missing: [{ name: source, wasReadable: true }],
    });
  });

  it('keeps contacts from sharing a profile: they may be different people', async () => {
    const world = await open();
    world.crm.hideSource(source);
    const [id = ''] = await world.addPeople(1);
    const { id: _, ...twin } = contactOf(world, id);
    world.crm.addContact({ ...twin, addresses: ['1 Elm Road'], employers: ['Ourtown Bank'] });
    expect((await world.sync()).contacts).toMatchObject({ submitted: 2 });
  });
});

it('does not take a change of another part for unchanged while one cannot be read', async () => {
  const { world, ids, spent } = await openEnhanced(5);
  const [id = ''] = ids;
  world.crm.hideSource('employer');
  moveHouse(world, id);
  await world.sync();
  expect(await reasonOf(world, id)).toBe('identity_unreadable');
  expect(await world.spent()).toBe(spent);
  world.crm.showSource('employer');
  await world.sync();
  expect(await world.spent()).toBe(spent + 1);
});

describe('many identities that change at once', () => {
  const GUARDS = { massChange: { share: 0.1, atLeast: 5 } };

  it('wait for a person, while new contacts go on', async () => {
    const { world, ids, spent } = await openEnhanced(20, { integration: { guards: GUARDS } });
    for (const id of ids) moveHouse(world, id);
    world.crm.addContact({ firstName: 'Ada', lastName: 'Newcomer' });
    expect(await world.sync()).toMatchObject({ status: 'succeeded', contacts: { held: 20 } });
    expect(await world.spent()).toBe(spent + 1);
    const holds = await listOpenQuestions(world.store.reader);
    expect(holds).toHaveLength(20);
    expect(new Set(holds.map(({ batch }) => batch)).size).toBe(1);
    expect(holds[0]).toMatchObject({ kind: 'identity_mass_change', detail: 'addresses' });
  });

  it('are bought one by one below the limit', async () => {
    const { world, ids, spent } = await openEnhanced(20, { integration: { guards: GUARDS } });
    for (const id of ids.slice(0, 4)) moveHouse(world, id);
    await world.sync();
    expect(await world.spent()).toBe(spent + 4);
  });

  it('do not walk past the limit in runs for one contact each', async () => {
    const { world, ids, spent } = await openEnhanced(40, { integration: { guards: GUARDS } });
    for (const id of ids) {
      moveHouse(world, id);
      await world.sync({ only: id, trigger: 'webhook' });
    }
    expect((await world.spent()) - spent).toBeLessThanOrEqual(4);
    expect(await listOpenQuestions(world.store.reader)).toHaveLength(36);
  });

  it('are taken over without a credit if a person says that they are the same people', async () => {
    const { world, ids, spent } = await openEnhanced(10, { integration: { guards: GUARDS } });
    for (const id of ids) moveHouse(world, id);
    await world.sync();
    for (const hold of await listOpenQuestions(world.store.reader)) {
      expect(await recordDecision(world.store, hold, 'rejected')).toBe(true);
    }
    expect((await world.sync({ full: true })).contacts).toMatchObject({ unchanged: 10 });
    expect(await world.spent()).toBe(spent);
  });

  it('are counted anew once a person has decided', async () => {
    const { world, ids, spent } = await openEnhanced(20, { integration: { guards: GUARDS } });
    for (const id of ids.slice(0, 4)) moveHouse(world, id);
    await world.sync();
    for (const id of ids.slice(4, 9)) moveHouse(world, id);
    await world.sync();
    for (const hold of await listOpenQuestions(world.store.reader)) {
      await recordDecision(world.store, hold, 'rejected');
    }
    moveHouse(world, ids[10] ?? '');
    await world.sync();
    expect(await world.spent()).toBe(spent + 5);
  });

  it('are submitted again if a person approves, without a second question', async () => {
    const { world, ids, spent } = await openEnhanced(10, { integration: { guards: GUARDS } });
    for (const id of ids) moveHouse(world, id);
    await world.sync();
    for (const hold of await listOpenQuestions(world.store.reader)) {
      await recordDecision(world.store, hold, 'approved');
    }
    await world.sync();
    expect(await world.spent()).toBe(spent + 10);
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
  });

  it('need no decision any more once the old details are back', async () => {
    const { world, ids, spent } = await openEnhanced(10, { integration: { guards: GUARDS } });
    const before = new Map(ids.map((id) => [id, contactOf(world, id).addresses]));
    for (const id of ids) moveHouse(world, id);
    await world.sync();
    for (const id of ids) world.crm.editContact(id, { addresses: before.get(id) ?? [] });
    expect((await world.sync()).contacts).toMatchObject({ held: 0, unchanged: 10 });
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
    expect(await world.spent()).toBe(spent);
  });

  it('are foreseen by a plan, which spends nothing on them', async () => {
    const { world, ids } = await openEnhanced(10, { integration: { guards: GUARDS } });
    for (const id of ids) moveHouse(world, id);
    expect(await plan(world)).toMatchObject({
      enhance: {},
      leave: { identity_mass_change: 10 },
      credits: { enhancements: { needed: 0 } },
    });
  });

  it('join the batch that waits for a decision already', async () => {
    const { world, ids } = await openEnhanced(20, { integration: { guards: GUARDS } });
    for (const id of ids.slice(0, 10)) moveHouse(world, id);
    await world.sync();
    const [late = ''] = ids.slice(-1);
    moveHouse(world, late);
    await world.sync();
    const holds = await listOpenQuestions(world.store.reader);
    expect(holds).toHaveLength(11);
    expect(new Set(holds.map(({ batch }) => batch)).size).toBe(1);
  });
});

it('spends nothing on an address in another spelling', async () => {
  const { world, ids, spent } = await openEnhanced(30);
  for (const id of ids) {
    const { addresses, employers } = contactOf(world, id);
    world.crm.editContact(id, {
      addresses: addresses.map((address) => `${address.toUpperCase()}, UNITED STATES`),
      employers: employers.map((employer) => employer.toUpperCase()),
    });
  }
  const report: RunReport = await world.sync();
  expect(report.contacts).toMatchObject({ chosen: 0, unchanged: 30 });
  expect(await world.spent()).toBe(spent);
});

describe('a contact whose id has two forms', () => {
  /** The connector treats IDs in upper and lower case as equal. */
  const canonicalId = (text: string) => (/^[a-z0-9-]+$/i.test(text) ? text.toUpperCase() : null);

  it('is paid for once, whichever form is asked for', async () => {
    const world = await open({ canonicalId });
    const [id = ''] = await world.addPeople(1);
    await world.sync({ only: id });
    await world.sync({ only: id.toLowerCase() });
    await world.sync();
    expect(await world.spent()).toBe(1);
  });

  it('is refused if no contact can have it, before anything is asked', async () => {
    const world = await open({ canonicalId });
    await expect(world.sync({ only: 'not an id' })).rejects.toMatchObject({
      kind: 'configuration',
      code: 'contact_id_malformed',
    });
  });
});
