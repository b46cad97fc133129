import { afterEach, describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../../src/database/leases.ts';
import { undoRun } from '../../../src/fields/undo.ts';
import { readContactPaths } from '../../../src/paths/contact-paths.ts';
import { findProspects } from '../../../src/paths/find-prospects.ts';
import { ERASED_INTRODUCER } from '../../../src/paths/statements/forget-introducer.ts';
import { listIntroducedContacts } from '../../../src/paths/statements/warm-paths.ts';
import { STRENGTH_FLOOR } from '../../../src/paths/strength.ts';
import { findErasedDonors } from '../../../src/privacy/statements/mentions.ts';
import type { Store } from '../../../src/store.ts';
import { withLease } from '../../../src/sync/control/with-lease.ts';
import { everything } from '../../database/store-world.ts';
import { createPathWorld, INTRODUCER, type PathWorld, SENTENCE } from '../../paths/path-world.ts';
import { forgetIn } from './forget-world.ts';

let world: PathWorld;
afterEach(() => world.close());

/** Opens a board with a member who introduces several contacts. Returns the member and the name in the CRM. */
async function openIntroduced() {
  world = await createPathWorld();
  const run = await world.sync();
  for (const id of world.people) {
    // If two contacts are one donor, the two contacts count as one introducer.
    const introduced = await listIntroducedContacts(world.store.reader, 'riverside', [id]);
    if (introduced.length < 2) continue;
    const name = String(world.crm.valueOf(introduced[0]?.crmId ?? '', INTRODUCER));
    const donorId = await world.donorOf(id);
    return { id, donorId, name, introduced: introduced.map(({ crmId }) => crmId), run };
  }
  throw new Error('No contact introduces several others');
}

function contactsNaming(name: string): string[] {
  const sentences = [...world.filled(SENTENCE), ...world.filled(INTRODUCER)];
  return sentences.flatMap(([id, value]) => (String(value).includes(name) ? [id] : []));
}

function undo(runId: string) {
  const deps = world.deps();
  return withLease(deps, 'riverside', (lease) => undoRun(deps, lease, runId));
}

/** Returns a store for a process that dies after it has deleted these rows. */
function storeKilledAfter(what: 'members' | 'introducers'): Store {
  const count = what === 'members' ? countMembers : countErasedIntroducers;
  const checkpoint: Checkpoint = async (lease, work) => {
    const before = await count();
    const result = await world.store.checkpoint(lease, work);
    if ((await count()) !== before) throw new Error('killed');
    return result;
  };
  return { ...world.store, checkpoint };
}

async function countMembers(): Promise<number> {
  return (await world.database.db.selectFrom('network_members').select('donor_id').execute())
    .length;
}

async function countErasedIntroducers(): Promise<number> {
  const paths = await world.database.db
    .selectFrom('warm_paths')
    .select('crm_id')
    .where('introducer_id', '=', ERASED_INTRODUCER)
    .execute();
  return paths.length;
}

async function donorIsNamed(donorId: string): Promise<boolean> {
  return JSON.stringify(await everything(world.database.db)).includes(donorId);
}

const PAYER = { integrationId: 'riverside', partnerKey: 'key' };

function prospects() {
  return findProspects(world.deps(), PAYER, { minStrength: STRENGTH_FLOOR, limit: 500 });
}

it('an erased person is no prospect', async () => {
  world = await createPathWorld();
  await world.sync();
  const [known = ''] = [...world.filled(SENTENCE).keys()].slice(-1);
  const before = await prospects();
  await forgetIn(world, known, { alsoInCrm: true });
  expect(await prospects()).toEqual(before);
});

it.each([true, false])(
  'a person is left out in a client of another account if erased everywhere: %s',
  async (everywhere) => {
    world = await createPathWorld({ contacts: 3, board: 1 });
    const [id = ''] = world.people;
    await world.sync();
    const donorId = await world.donorOf(id);
    await forgetIn(world, id, { everywhere });
    const { reader, fingerprint } = world.store;
    const erased = await findErasedDonors(reader, fingerprint, 'of another account', [donorId]);
    expect([...erased]).toEqual(everywhere ? [donorId] : []);
  },
);

describe('a person that the CRM names as an introducer', () => {
  it('is named nowhere once the CRM is cleared, and undo does not bring the name back', async () => {
    const { id, donorId, name, introduced, run } = await openIntroduced();
    const receipt = await forgetIn(world, id, { alsoInCrm: true });
    expect(receipt.erased.introductions).toBe(introduced.length);
    expect(receipt.pending).toEqual([]);
    expect(receipt.integrations[0]?.networks).toEqual({ left: ['Board'], pending: [] });
    expect(contactsNaming(name)).toEqual([]);
    expect(await donorIsNamed(donorId)).toBe(false);
    const next = await world.sync();
    expect(contactsNaming(name)).toEqual([]);
    await undo(next.id);
    await undo(run.id);
    expect(contactsNaming(name)).toEqual([]);
    expect(await donorIsNamed(donorId)).toBe(false);
  });

  it('takes nothing but its own values from an undo: those of everyone else come back', async () => {
    const { id, run } = await openIntroduced();
    const filled = () => Array.from(world.filled('Donor Net Worth'), ([contact]) => contact);
    const others = filled().filter((contact) => contact !== id);
    expect(others.length).toBeGreaterThan(2);
    await forgetIn(world, id, { alsoInCrm: true });
    const report = await undo(run.id);
    expect(report.contacts.restored).toBeGreaterThanOrEqual(others.length);
    expect(report.refusals).toEqual([]);
    expect(filled()).toEqual([]);
  });

  it('introduces nobody any more, though the service still has the person in the network', async () => {
    const { id, donorId, name } = await openIntroduced();
    await forgetIn(world, id, { alsoInCrm: true });
    // After a backup is restored, donor-sync does not know who has since joined the network.
    const { partner } = world.deps();
    const [network] = await partner.networks.list();
    await partner.networks.addMembers(network?.networkId ?? '', [donorId]);
    const insights = { ...world.integration.insights, minStrength: 0.01 };
    await world.sync({ full: true, integration: { ...world.integration, insights } });
    expect(contactsNaming(name)).toEqual([]);
    expect(await donorIsNamed(donorId)).toBe(false);
  });

  it('is named in no connection that is shown, though the service still has the person in the network', async () => {
    const { id, donorId, introduced } = await openIntroduced();
    const [stays = '', leaves = ''] = introduced;
    const shown = async () => JSON.stringify(await readContactPaths(world.deps(), PAYER, stays));
    expect(await shown()).toContain(donorId);
    await forgetIn(world, id, { alsoInCrm: true });
    const { partner } = world.deps();
    const [network] = await partner.networks.list();
    await partner.networks.addMembers(network?.networkId ?? '', [donorId]);
    expect(await shown()).not.toContain(donorId);
    world.crm.deleteContact(leaves);
    await world.sync();
    expect(JSON.stringify(await prospects())).not.toContain(donorId);
  });

  it.each(['members', 'introducers'] as const)(
    'is on the receipt as a whole, though a kill came when its %s were just dropped',
    async (what) => {
      const { id, donorId, name, introduced } = await openIntroduced();
      const killed = forgetIn(world, id, { alsoInCrm: true, store: storeKilledAfter(what) });
      await expect(killed).rejects.toThrow('killed');
      const receipt = await forgetIn(world, id, { alsoInCrm: true });
      expect(receipt.erased.introductions).toBe(introduced.length);
      expect(receipt.integrations[0]?.networks).toEqual({ left: ['Board'], pending: [] });
      expect(contactsNaming(name)).toEqual([]);
      expect(await donorIsNamed(donorId)).toBe(false);
    },
    60_000,
  );

  it('is queued without that: the receipt says how many contacts wait, and the next sync writes', async () => {
    const { id, donorId, name, introduced } = await openIntroduced();
    const receipt = await forgetIn(world, id);
    expect(receipt.erased.introductions).toBe(0);
    expect(receipt.pending).toMatchObject([
      {
        what: 'introductions',
        text: expect.stringMatching(new RegExp(`^${introduced.length} contact`)),
      },
    ]);
    expect(contactsNaming(name).length).toBeGreaterThan(0);
    expect(await donorIsNamed(donorId)).toBe(false);
    const next = await world.sync();
    expect(contactsNaming(name)).toEqual([]);
    await undo(next.id);
    expect(contactsNaming(name)).toEqual([]);
  });
});
