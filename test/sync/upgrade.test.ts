import { afterEach, describe, expect, it } from 'vitest';
import { parseIdentityText } from '../../src/identity/identity-text.ts';
import type { Database } from '../../src/store/engine/tables.ts';
import { eraseContact } from '../helpers/erasing.ts';
import { createSyncWorld, type SyncWorld } from '../helpers/sync-world.ts';

let world: SyncWorld;
afterEach(() => world.close());

/** Fingerprints as the first version made them, and no trace of what a later one remembers. */
async function asTheFirstVersionLeftIt({ db }: { db: Database }): Promise<void> {
  const contacts = await db.selectFrom('contacts').selectAll().execute();
  for (const { integration_id, crm_id, identity, asked_identity } of contacts) {
    await db
      .updateTable('contacts')
      .set({ identity: firstVersion(identity), asked_identity: firstVersion(asked_identity) })
      .where('integration_id', '=', integration_id)
      .where('crm_id', '=', crm_id)
      .execute();
  }
  for (const { tracking_id, identity } of await db.selectFrom('jobs').selectAll().execute()) {
    await db
      .updateTable('jobs')
      .set({ identity: firstVersion(identity), known: null, answered_at: null })
      .where('tracking_id', '=', tracking_id)
      .execute();
  }
  await db.updateTable('integrations').set({ identity_sources: null, cursor: null }).execute();
  await db.deleteFrom('mappings').execute();
}

function firstVersion<Text extends string | null>(text: Text): Text | string {
  return text === null ? text : (parseIdentityText(text)?.whole ?? text);
}

/** A run that is stopped once contacts stand where `reached` wants them. */
async function stopWhen(
  reached: (counts: { due: number; submitted: number; ready: number }) => boolean,
): Promise<void> {
  const stop = new AbortController();
  const running = world.sync({ signal: stop.signal });
  const isReached = async () => reached(await world.store.contacts.countWork('riverside'));
  await expect.poll(isReached).toBe(true);
  stop.abort();
  await running;
}

/** Contacts in every state that one can be in, of which each is to cost one credit in the end. */
async function everyState(): Promise<void> {
  const ids = await world.addPeople(24);
  const [held = '', rejected = '', merged = '', removed = ''] = ids;
  const strange = (id: string) => {
    const contact = world.crm.records.get(id)?.contact;
    if (contact) world.crm.editContact(id, { firstName: `Zq${contact.firstName}` });
  };
  strange(held);
  strange(rejected);
  world.crm.addContact({ id: 'unknown', firstName: 'Nemo', lastName: 'Quillfeather' });
  await world.sync();
  for (const hold of await world.store.holds.listOpen()) {
    if (hold.crmId === rejected) await world.store.holds.decide(hold, 'rejected');
  }
  world.crm.mergeContact(merged, ids[5] ?? '');
  world.crm.deleteContact(removed);
  world.crm.addContact({ id: 'forgotten', firstName: 'Ada', lastName: 'Forgotten' });
  await eraseContact(world.store, 'riverside', 'forgotten');
  await world.sync();
}

describe('an update from the first version', () => {
  it('costs no credit, whatever state the contacts are in', async () => {
    world = await createSyncWorld();
    await everyState();
    const spent = await world.spent();
    await asTheFirstVersionLeftIt(world.database);
    expect((await world.sync()).contacts).toMatchObject({ chosen: 0, submitted: 0 });
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0 });
    expect(await world.spent()).toBe(spent);
  });

  it.each([
    ['due', { budget: { perRun: 10 } }, null],
    ['submitted', {}, ({ submitted }: { submitted: number }) => submitted >= 20],
    ['ready', {}, ({ ready }: { ready: number }) => ready >= 20],
  ] as const)('in the middle of a run costs nothing twice (contacts are %s)', async (...state) => {
    const [name, integration, reached] = state;
    world = await createSyncWorld({ integration });
    await world.addPeople(20);
    if (name === 'submitted') {
      const slow = { on: { path: '*progress*' }, fault: { kind: 'slow', delayMs: 60_000 } };
      await world.putFaults([slow]);
    }
    if (name === 'ready') {
      const slow = { on: { path: '*results*' }, fault: { kind: 'slow', delayMs: 60_000 } };
      await world.putFaults([slow]);
    }
    if (reached === null) await world.sync();
    else await stopWhen(reached);
    await world.putFaults([]);
    await asTheFirstVersionLeftIt(world.database);
    await world.sync();
    await world.sync();
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0 });
    expect(await world.spent()).toBe(20);
  });

  it('settles a lost answer of the first version, and pays for no contact twice', async () => {
    world = await createSyncWorld();
    await world.addPeople(10);
    const lost = { on: { method: 'POST' }, times: 1, fault: { kind: 'resetAfter' } };
    await world.putFaults([lost]);
    const stop = new AbortController();
    const running = world.sync({ signal: stop.signal });
    const partnerKey = world.store.fingerprint('partner_key', world.integration.partner.apiKey);
    const isLost = async () => (await world.store.submissions.findOpen(partnerKey))?.state;
    await expect.poll(isLost).toBe('lost');
    stop.abort();
    await running;
    await asTheFirstVersionLeftIt(world.database);
    expect((await world.sync()).contacts).toMatchObject({ chosen: 0, submitted: 0 });
    expect(await world.store.holds.listOpen()).toHaveLength(10);
    expect((await world.sync({ full: true })).contacts).toMatchObject({ held: 10, chosen: 0 });
    expect(await world.spent()).toBe(10);
  });

  it('notices what changed while it was updated, and buys that alone', async () => {
    world = await createSyncWorld();
    const [id = ''] = await world.addPeople(20);
    await world.sync();
    await asTheFirstVersionLeftIt(world.database);
    world.crm.editContact(id, { lastName: 'Married-Name' });
    expect((await world.sync()).contacts).toMatchObject({ chosen: 1 });
    expect(await world.spent()).toBe(21);
  });

  it('survives an address tool the day after', async () => {
    world = await createSyncWorld();
    const ids = await world.addPeople(30);
    await world.sync();
    await asTheFirstVersionLeftIt(world.database);
    await world.sync();
    for (const id of ids) {
      const addresses = world.crm.records.get(id)?.contact.addresses ?? [];
      world.crm.editContact(id, { addresses: addresses.map((text) => text.toUpperCase()) });
    }
    expect((await world.sync()).contacts).toMatchObject({ chosen: 0 });
    expect(await world.spent()).toBe(30);
  });
});
