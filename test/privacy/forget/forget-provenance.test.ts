/** Checks that nothing names an erased person, whatever the CRM and the settings contain on that day. */

import { afterEach, describe, expect, it } from 'vitest';
import {
  createMemoryConnector,
  memoryDefaultFields,
} from '../../../connectors/memory/connector.ts';
import { RetriableError } from '../../../src/core/errors.ts';
import type { Integration } from '../../../src/core/integration-settings.ts';
import type { Profile } from '../../../src/core/profile.ts';
import { valuesBeforeSealContext } from '../../../src/database/encryption/seal-contexts.ts';
import { dropErasedTexts } from '../../../src/fields/erasing/erased-mentions.ts';
import { ERASURE_STAGES } from '../../../src/fields/erasing/retry-erasures.ts';
import { decryptProfile, encryptProfile } from '../../../src/fields/kept-profile.ts';
import { undoRun } from '../../../src/fields/undo.ts';
import { openValues } from '../../../src/fields/values.ts';
import { NETWORK_STAGES } from '../../../src/networks/mirror-networks.ts';
import { listIntroducedContacts } from '../../../src/paths/statements/warm-paths.ts';
import { INSIGHT_STAGES } from '../../../src/paths/write-warm-paths.ts';
import { hasTracesOfContact } from '../../../src/privacy/statements/known-contacts.ts';
import { findKeptTexts } from '../../../src/privacy/statements/mentions.ts';
import { withLease } from '../../../src/sync/control/with-lease.ts';
import {
  createPathWorld,
  INTRODUCER,
  type PathWorld,
  type PathWorldOptions,
  SENTENCE,
} from '../../paths/path-world.ts';
import { forgetIn } from './forget-world.ts';

let world: PathWorld;
afterEach(() => world.close());

const CLEARED = { alsoInCrm: true };

/**
 * Creates a board member who introduces several contacts. Returns the board member's name as the CRM's fields contain
 * it.
 */
async function openIntroduced(options: PathWorldOptions = {}) {
  world = await createPathWorld(options);
  const run = await world.sync();
  for (const id of world.people) {
    const introduced = await listIntroducedContacts(world.store.reader, 'riverside', [id]);
    if (introduced.length < 2) continue;
    const name = String(world.crm.valueOf(introduced[0]?.crmId ?? '', INTRODUCER));
    const donorId = await world.donorOf(id);
    return { id, donorId, name, ids: introduced.map(({ crmId }) => crmId), run };
  }
  throw new Error('No contact introduces several others');
}

/** Returns the values in the CRM that contain the name. */
function valuesNaming(name: string): string[] {
  return world.people.flatMap((id) => {
    const values = Object.entries(world.crm.records.get(id)?.values ?? {});
    return values.flatMap(([field, value]) =>
      field !== 'Donor Name' && String(value).includes(name) ? [`${id}: ${field}`] : [],
    );
  });
}

/** Returns the stored previous values that contain the name. */
async function keptNaming(name: string): Promise<string[]> {
  const rows = await world.database.db.selectFrom('writes').selectAll().execute();
  return rows.flatMap(({ id, integration_id: integrationId, crm_id: crmId, before }) => {
    if (before === '') return [];
    const values = openValues(
      world.sealer,
      before,
      valuesBeforeSealContext({ id, integrationId, crmId }),
    );
    return JSON.stringify(values).includes(name) ? [crmId] : [];
  });
}

async function keptProfile(crmId: string): Promise<Profile> {
  const [kept] = await findKeptTexts(world.store.reader, 'riverside', [crmId]);
  if (kept === undefined) throw new Error('No profile is kept');
  return decryptProfile(world.deps(), { integrationId: 'riverside', ...kept });
}

function nameIn({ name }: Profile): string {
  return [name.first, name.last].join(' ');
}

function undo(runId: string) {
  return withLease(world.deps(), 'riverside', (lease) => undoRun(world.deps(), lease, runId));
}

/** Erases a contact. The settings differ from the settings with which the values were written. */
function forgetWith(integration: Integration, id: string, request = {}) {
  return forgetIn({ ...world, integration }, id, request);
}

const withoutPaths = memoryDefaultFields.filter(({ from }) => !from.startsWith('warmPath.'));

describe('an introducer who is erased', () => {
  it('does not come back by undo, though the person had left the CRM already', async () => {
    const { id, name } = await openIntroduced();
    world.crm.deleteContact(id);
    const second = await world.sync({ integration: { ...world.integration, networks: [] } });
    expect((await keptNaming(name)).length).toBeGreaterThan(0);
    const receipt = await forgetIn(world, id, CLEARED);
    expect(await keptNaming(name)).toEqual([]);
    expect(receipt.erased.texts).toBeGreaterThan(0);
    await undo(second.id);
    expect(valuesNaming(name)).toEqual([]);
  });

  it('is cleared in fields that the settings do not map any more', async () => {
    const { id, name, ids } = await openIntroduced();
    const without = { ...world.integration, fields: withoutPaths };
    await world.sync({ integration: without, full: true });
    expect(valuesNaming(name).length).toBeGreaterThan(0);
    const receipt = await forgetWith(without, id, CLEARED);
    expect(receipt.erased.introductions).toBe(ids.length);
    expect(receipt).toMatchObject({ complete: true, pending: [] });
    expect(valuesNaming(name)).toEqual([]);
  });

  it('is cleared although the settings have neither networks nor path fields any more', async () => {
    const { id, name } = await openIntroduced();
    const without = { ...world.integration, networks: [], fields: withoutPaths };
    await world.sync({ integration: without, full: true });
    await forgetWith(without, id, CLEARED);
    expect(valuesNaming(name)).toEqual([]);
  });

  it('is cleared by the next sync where only the database was to forget, whatever the settings map', async () => {
    const { id, name, ids } = await openIntroduced();
    const without = { ...world.integration, networks: [], fields: withoutPaths };
    const receipt = await forgetWith(without, id);
    expect(receipt.pending).toMatchObject([
      { what: 'introductions', text: expect.stringContaining(`${ids.length} contacts`) },
    ]);
    const next = await world.sync({ integration: without });
    expect(valuesNaming(name)).toEqual([]);
    await undo(next.id);
    expect(valuesNaming(name)).toEqual([]);
  });

  it('is cleared in the record that has taken a contact in, though no run has seen the merge', async () => {
    const { id, name, ids } = await openIntroduced();
    const [loser = ''] = ids;
    const winner = world.crm.addContact({ firstName: 'Somebody', lastName: 'Else' });
    world.crm.mergeContact(loser, winner, { fillsBlanks: true });
    expect(world.crm.valueOf(winner, INTRODUCER)).toBe(name);
    expect(await forgetIn(world, id, CLEARED)).toMatchObject({ complete: true });
    expect(world.crm.valueOf(winner, INTRODUCER)).toBeNull();
    expect(world.crm.valueOf(winner, SENTENCE)).toBeNull();
  });

  it('is named by the receipt as long as the CRM refuses a contact, and the erasure is not complete', async () => {
    const { id, name, ids } = await openIntroduced();
    const [refused = ''] = ids;
    world.crm.refuseWrites(refused);
    const receipt = await forgetIn(world, id, CLEARED);
    expect(receipt).toMatchObject({ complete: false });
    expect(receipt.pending).toMatchObject([
      { what: 'introductions', text: expect.stringContaining('1 contact') },
    ]);
    expect(new Set(valuesNaming(name).map((each) => each.split(':')[0]))).toEqual(
      new Set([refused]),
    );
    world.crm.allowWrites(refused);
    const done = await forgetIn(world, id, CLEARED);
    expect(done).toMatchObject({ complete: true, pending: [], id: receipt.id });
    expect(done.erased.introductions).toBe(ids.length);
    expect(valuesNaming(name)).toEqual([]);
  });

  it('is named by the receipt if a field is hidden, and a later try clears it', async () => {
    let isHidden = false;
    const { id, name } = await openIntroduced({
      connector(crm, signal) {
        const connector = createMemoryConnector(crm, signal);
        return {
          ...connector,
          capabilities: { ...connector.capabilities, remote: true },
          describeFields: async () =>
            (await connector.describeFields()).filter(
              (field) => !isHidden || field.name !== SENTENCE,
            ),
        };
      },
    });
    isHidden = true;
    const receipt = await forgetIn(world, id, CLEARED);
    expect(receipt).toMatchObject({ complete: false });
    expect(receipt.pending).toMatchObject([
      { what: 'introductions', text: expect.stringContaining(SENTENCE) },
    ]);
    isHidden = false;
    expect(await forgetIn(world, id, CLEARED)).toMatchObject({ complete: true, pending: [] });
    expect(valuesNaming(name)).toEqual([]);
  });

  it('stays in a text that a user has changed, and the receipt says so', async () => {
    const { id, name, ids } = await openIntroduced();
    const [edited = ''] = ids;
    world.crm.setValue(edited, SENTENCE, `Call ${name} first!`);
    const receipt = await forgetIn(world, id, CLEARED);
    expect(world.crm.valueOf(edited, SENTENCE)).toBe(`Call ${name} first!`);
    expect(receipt.pending).toMatchObject([
      { what: 'introductions', text: expect.stringMatching(/1 contact.*changed/) },
    ]);
  });
});

describe('what an erasure searches for the name', () => {
  it('drops a text of a user, and leaves the others of the same write', async () => {
    const { id, name } = await openIntroduced();
    const other = world.people.find((each) => each !== id) ?? '';
    const [write] = await world.database.db
      .selectFrom('writes')
      .selectAll()
      .where('crm_id', '=', other)
      .execute();
    if (write === undefined) throw new Error('Nothing was written');
    const place = valuesBeforeSealContext({
      id: write.id,
      integrationId: 'riverside',
      crmId: other,
    });
    const values = { Note: `Friend of ${name}`, City: 'Springfield' };
    const before = world.sealer.seal(JSON.stringify(values), place);
    await world.database.db
      .updateTable('writes')
      .set({ before })
      .where('id', '=', write.id)
      .execute();
    const receipt = await forgetIn(world, id);
    const row = await world.database.db
      .selectFrom('writes')
      .select('before')
      .where('id', '=', write.id)
      .executeTakeFirstOrThrow();
    expect(openValues(world.sealer, row.before, place)).toEqual({
      Note: null,
      City: 'Springfield',
    });
    expect(receipt.erased.texts).toBeGreaterThan(0);
  });

  it('drops a line of another profile that names the person, and no more of it', async () => {
    const { id, name } = await openIntroduced();
    const other = world.people.find((each) => each !== id) ?? '';
    const profile = await keptProfile(other);
    const bio = ['Likes to sail', `Married to ${name}`];
    const encrypted = encryptProfile(world.deps(), 'riverside', other, { ...profile, bio });
    await world.database.db
      .updateTable('kept_profiles')
      .set(encrypted)
      .where('crm_id', '=', other)
      .execute();
    const receipt = await forgetIn(world, id);
    expect(await keptProfile(other)).toEqual({ ...profile, bio: ['Likes to sail'] });
    expect(receipt.erased.texts).toBeGreaterThan(0);
  });
});

describe('a restore, once several people were erased', () => {
  it('drops lines that name one of them also from the kept profile of another, whose erasure is not at its end', async () => {
    const { id, name } = await openIntroduced();
    const other = world.people.find((each) => each !== id) ?? '';
    const profile = await keptProfile(other);
    const bio = [`Known as ${nameIn(profile)}`, `Married to ${name}`];
    const telling = encryptProfile(world.deps(), 'riverside', other, { ...profile, bio });
    await forgetIn(world, id);
    world.crm.refuseWrites(other);
    expect(await forgetIn(world, other, CLEARED)).toMatchObject({ complete: false });
    await world.database.db
      .updateTable('kept_profiles')
      .set(telling)
      .where('crm_id', '=', other)
      .execute();
    await dropErasedTexts(world.deps(), 'riverside');
    expect((await keptProfile(other)).bio).toEqual([`Known as ${nameIn(profile)}`]);
  });
});

describe('values that a merge has brought, which no run has read of', () => {
  it('are cleared with the contact that has them now', async () => {
    const { id, ids } = await openIntroduced();
    const [loser = ''] = ids;
    world.crm.mergeContact(loser, id, { fillsBlanks: true });
    expect(world.crm.valueOf(id, SENTENCE)).not.toBeNull();
    const receipt = await forgetIn(world, id, CLEARED);
    expect(receipt.crm?.cleared).toContain(SENTENCE);
    expect(world.crm.valueOf(id, SENTENCE)).toBeNull();
  });
});

describe('a contact that was erased without clearing the CRM', () => {
  it('is found when another person is erased whom its fields name', async () => {
    const { id, name, ids } = await openIntroduced();
    const [other = ''] = ids;
    await forgetIn(world, other);
    expect(world.crm.valueOf(other, SENTENCE)).toContain(name);
    const receipt = await forgetIn(world, id, CLEARED);
    expect(receipt).toMatchObject({ complete: true, pending: [] });
    expect(receipt.erased.introductions).toBe(ids.length);
    expect(valuesNaming(name)).toEqual([]);
  });

  it('is counted as long as the CRM does not show it, and its text goes with the sync that reads of it', async () => {
    const { id, name, ids } = await openIntroduced();
    const [other = ''] = ids;
    await forgetIn(world, other);
    world.crm.vanish(other);
    const receipt = await forgetIn(world, id, CLEARED);
    expect(receipt.pending).toMatchObject([
      { what: 'introductions', text: expect.stringMatching(/^1 contact that the CRM does not/) },
    ]);
    world.crm.appear(other);
    world.crm.editContact(other, { employers: ['Elsewhere'] });
    await world.sync();
    expect(valuesNaming(name)).toEqual([]);
  });
});

describe('a profile of another contact that names the person', () => {
  it('is cleared in the CRM, and what is left of it is delivered again without a credit', async () => {
    const { id, name } = await openIntroduced();
    const other = world.people.find((each) => each !== id) ?? '';
    const profile = await keptProfile(other);
    const bio = ['Likes to sail', `Married to ${name}`];
    const telling = encryptProfile(world.deps(), 'riverside', other, { ...profile, bio });
    await world.database.db
      .updateTable('kept_profiles')
      .set({ ...telling, requested: '*' })
      .where('crm_id', '=', other)
      .execute();
    await world.sync();
    expect(world.crm.valueOf(other, 'Donor Biography')).toContain(name);
    const receipt = await forgetIn(world, id, CLEARED);
    expect(receipt).toMatchObject({ complete: true, pending: [] });
    expect(world.crm.valueOf(other, 'Donor Biography')).toBeNull();
    const { credits } = await world.sync();
    expect(credits.enhancements.spent).toBe(0);
    expect(world.crm.valueOf(other, 'Donor Biography')).toBe('Likes to sail');
  });
});

/** Returns a CRM behind a network whose fields and contacts a test can hide. */
function hiding(): {
  fields: Set<string>;
  contacts: Set<string>;
  connector: NonNullable<PathWorldOptions['connector']>;
} {
  const [fields, contacts] = [new Set<string>(), new Set<string>()];
  return {
    fields,
    contacts,
    connector(crm, signal) {
      const connector = createMemoryConnector(crm, signal);
      return {
        ...connector,
        capabilities: { ...connector.capabilities, remote: true },
        describeFields: async () =>
          (await connector.describeFields()).filter(({ name }) => !fields.has(name)),
        async readByIds(ids, names) {
          const shown = names.filter((name) => !fields.has(name));
          const lookups = await connector.readByIds(ids, shown);
          return lookups.map((lookup) =>
            contacts.has(lookup.id) ? { state: 'missing' as const, id: lookup.id } : lookup,
          );
        },
      };
    },
  };
}

describe('a contact that the CRM does not show', () => {
  it('is counted by the receipt, and a sync clears its text once it is shown again', async () => {
    const hidden = hiding();
    const { id, name, ids } = await openIntroduced({ connector: hidden.connector });
    const [away = ''] = ids;
    hidden.contacts.add(away);
    const receipt = await forgetIn(world, id, CLEARED);
    expect(receipt.erased.introductions).toBe(ids.length - 1);
    expect(receipt.pending).toMatchObject([
      {
        what: 'introductions',
        text: expect.stringMatching(/^1 contact that the CRM does not currently show/),
      },
    ]);
    hidden.contacts.clear();
    await world.sync();
    expect(valuesNaming(name)).toEqual([]);
  });
});

describe('a field that the CRM hides while a run is undone', () => {
  it('stays ours, and is cleared by the erasure of the person whom it names', async () => {
    const hidden = hiding();
    const { id, name, ids, run } = await openIntroduced({ connector: hidden.connector });
    hidden.fields.add(INTRODUCER);
    const report = await undo(run.id);
    const told = report.refusals.map(({ crmId }) => crmId);
    expect(told).toEqual(expect.arrayContaining([...ids]));
    hidden.fields.clear();
    expect(valuesNaming(name).length).toBeGreaterThan(0);
    expect(await forgetIn(world, id, CLEARED)).toMatchObject({ complete: true });
    expect(valuesNaming(name)).toEqual([]);
  });
});

describe('a field of the erased contact that the CRM hides', () => {
  it('is cleared by the next sync that sees it, which ends the erasure', async () => {
    const hidden = hiding();
    const { id } = await openIntroduced({ connector: hidden.connector });
    hidden.fields.add('Donor Biography');
    const receipt = await forgetIn(world, id, CLEARED);
    expect(receipt).toMatchObject({ complete: false, crm: { hidden: ['Donor Biography'] } });
    const stages = { before: [], after: ERASURE_STAGES.after };
    await world.sync({ stages });
    expect(world.crm.valueOf(id, 'Donor Biography')).not.toBeNull();
    expect(await hasTracesOfContact(world.store.reader, 'riverside', [id])).toBe(true);
    hidden.fields.clear();
    await world.sync({ stages });
    expect(world.crm.valueOf(id, 'Donor Biography')).toBeNull();
    expect(await hasTracesOfContact(world.store.reader, 'riverside', [id])).toBe(false);
  });
});

describe('an erasure that is repeated', () => {
  it('clears the fields of a contact that the CRM has put back with its values', async () => {
    const { id } = await openIntroduced();
    const values = { ...world.crm.records.get(id)?.values };
    world.crm.deleteContact(id);
    expect(await forgetIn(world, id, CLEARED)).toMatchObject({ complete: true });
    world.crm.addContact({ id, firstName: 'Somebody', lastName: 'Else', values });
    const again = await forgetIn(world, id, CLEARED);
    expect(again).toMatchObject({ complete: true, pending: [], crm: { verified: true } });
    expect(again.crm?.cleared).toContain('Donor Biography');
    expect(Object.values(world.crm.records.get(id)?.values ?? {}).filter(Boolean)).toEqual([]);
  });

  it('says that the CRM could not be reached', async () => {
    const { id } = await openIntroduced();
    await forgetIn(world, id);
    world.crm.failNext('open', new RetriableError('The CRM is away.', { code: 'crm_unavailable' }));
    const again = await forgetIn(world, id, CLEARED);
    expect(again).toMatchObject({ complete: false });
    expect(again.pending).toContainEqual(
      expect.objectContaining({ what: 'crm', text: expect.stringContaining('The CRM is away.') }),
    );
  });
});

describe('a CRM that cannot be reached', () => {
  it('is named by the receipt, the contact is blocked, and a later try does the rest', async () => {
    const { id, name } = await openIntroduced();
    const away = new RetriableError('The CRM is away.', { code: 'crm_unavailable' });
    world.crm.failNext('open', away);
    const receipt = await forgetIn(world, id, CLEARED);
    expect(receipt).toMatchObject({ complete: false });
    expect(receipt.pending).toContainEqual(
      expect.objectContaining({ what: 'crm', text: expect.stringContaining('The CRM is away.') }),
    );
    const done = await forgetIn(world, id, CLEARED);
    expect(done).toMatchObject({ complete: true, pending: [] });
    expect(valuesNaming(name)).toEqual([]);
  });

  it('leaves no text in the values before what a run writes until the erasure is done', async () => {
    const { id, name } = await openIntroduced();
    const away = new RetriableError('The CRM is away.', { code: 'crm_unavailable' });
    world.crm.failNext('open', away);
    expect(await forgetIn(world, id, CLEARED)).toMatchObject({ complete: false });
    await world.sync({
      stages: {
        before: [...NETWORK_STAGES.before, ...INSIGHT_STAGES.before],
        after: [...NETWORK_STAGES.after, ...INSIGHT_STAGES.after, ...ERASURE_STAGES.after],
      },
    });
    expect(await hasTracesOfContact(world.store.reader, 'riverside', [id])).toBe(false);
    expect(valuesNaming(name)).toEqual([]);
    expect(await keptNaming(name)).toEqual([]);
  });

  it('is not said to have been cleared, though an earlier attempt had begun with that', async () => {
    const { id } = await openIntroduced();
    const away = new RetriableError('The CRM is away.', { code: 'crm_unavailable' });
    world.crm.failNext('write', away);
    await expect(forgetIn(world, id, CLEARED)).rejects.toThrow('is not finished');
    world.crm.failNext('open', away);
    const receipt = await forgetIn(world, id, CLEARED);
    expect(receipt.crm).toMatchObject({ cleared: [], stillPresent: [], verified: false });
    expect(world.crm.valueOf(id, 'Donor Biography')).not.toBeNull();
    const done = await forgetIn(world, id, CLEARED);
    expect(done.complete).toBe(true);
    expect(done.crm?.cleared).toContain('Donor Biography');
  });

  it('is not said to have cleared a contact that it does not show any more', async () => {
    const { id } = await openIntroduced({ connector: hiding().connector });
    const away = new RetriableError('The CRM is away.', { code: 'crm_unavailable' });
    world.crm.failNext('write', away);
    await expect(forgetIn(world, id, CLEARED)).rejects.toThrow('is not finished');
    world.crm.vanish(id);
    const { crm } = await forgetIn(world, id, CLEARED);
    expect(crm?.cleared).toEqual([]);
    expect(crm?.unreadable).toContain('Donor Biography');
  });
});
