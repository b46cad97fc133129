import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { findContacts } from '../../../src/contacts/contacts.ts';
import { undoRun } from '../../../src/fields/undo.ts';
import { openCrm } from '../../../src/sync/control/crm-account.ts';
import { withLease } from '../../../src/sync/control/with-lease.ts';
import { createSyncWorld, type SyncWorld } from '../../helpers/sync-world.ts';
import { toArray } from '../connector-options.ts';
import { type Org, openOrg } from './org.ts';

const DONOR_ID = 'Donor_ID__c';
const PROFILE = 'Profile__c';
const FIELDS = [
  { from: 'donorId', to: DONOR_ID },
  { from: 'profileUrl', to: PROFILE },
];
const TYPED = 'Ask Maria';

/** Tests whole runs in which a user types into a field after donor-sync has read it and before it writes. */
describe('what a user types into Salesforce between our reading and our write', () => {
  let org: Org;
  let world: SyncWorld;
  let typedInto: string;
  const open: { close(): Promise<void> }[] = [];

  beforeEach(async () => {
    typedInto = '';
    org = await openOrg({ contacts: 60, donors: 2_000, bulkJobTimeMs: 0 });
    open.push(org);
  });

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  it.each([
    ['by collections', 1_000_000],
    ['in bulk', 1],
  ])(
    'is put back, counted, and survives an undo, where contacts are written %s',
    async (_, bulkThreshold) => {
      await start({ bulkThreshold });
      const report = await world.sync();
      expect(report).toMatchObject({ status: 'succeeded', contacts: { waiting: 0 } });
      expect(await org.seenValue(typedInto, PROFILE)).toBe(TYPED);
      expect(await org.seenValue(typedInto, DONOR_ID)).toMatch(/^[0-9a-f]{32}$/);
      expect((await row())?.outcomeReason).toBe('typed_value_restored');
      expect((await row())?.outcomeDetail).toMatch(
        /Profile__c: 005\w+ \(as the CRM names its user\) typed a value/,
      );
      expect((await row())?.ownedValues).not.toContain(PROFILE);
      const undone = await undo(report.id);
      expect(undone.contacts).toMatchObject({ restored: report.contacts.written, refused: 0 });
      expect(await org.seenValue(typedInto, PROFILE)).toBe(TYPED);
      expect(await org.seenValue(typedInto, DONOR_ID)).toBeNull();
    },
  );

  it('is named as lost where the org does not accept it back, and an undo restores it', async () => {
    await start({}, async () => {
      const rule = { type: 'Contact', when: `${PROFILE} = '${TYPED}'`, message: 'No requests.' };
      await org.control('POST', 'rules', { kind: 'validation', ...rule });
    });
    const report = await world.sync();
    expect((await row())?.outcomeReason).toBe('typed_value_lost');
    expect(await org.seenValue(typedInto, PROFILE)).not.toBe(TYPED);
    expect((await row())?.outcomeDetail).toMatch(
      /005\w+ .*did not accept it when donor-sync tried to restore it/,
    );
    await org.control('DELETE', 'rules');
    await undo(report.id);
    expect(await org.seenValue(typedInto, PROFILE)).toBe(TYPED);
  });

  it('costs no request more than the write alone: 300 contacts are two', async () => {
    const connector = await org.connector();
    open.push(connector);
    await connector.createFields([
      { name: DONOR_ID, label: 'Donor ID', type: 'text', description: 'Whose profile it is.' },
    ]);
    const ids = await org.addContacts(people(300));
    const before = (await org.requests()).length;
    const limit = await remaining();
    const results = await toArray(
      connector.write(
        ids.map((id) => ({ id, values: { [DONOR_ID]: 'x' }, seen: { [DONOR_ID]: null } })),
      ),
    );
    expect(results.every(({ status }) => status === 'written')).toBe(true);
    const sent = (await org.requests()).slice(before).map(({ path }) => path.split('/').at(-1));
    expect(sent.filter((name) => name !== 'limits')).toEqual(['composite', 'composite']);
    expect(limit - (await remaining())).toBe(2 + 1);
  });

  async function remaining(): Promise<number> {
    const limits = JSON.parse(JSON.stringify(await org.ask('GET', '/limits')));
    return limits.DailyApiRequests.Remaining;
  }

  /**
   * Starts an org in which a user types a value into the first contact of a delivery. The user types immediately
   * after donor-sync has read the contact.
   */
  async function start(settings: object, afterTyping: () => Promise<void> = async () => {}) {
    const maker = await org.connector();
    await maker.createFields([
      { name: DONOR_ID, label: 'Donor ID', type: 'text', description: 'Whose profile it is.' },
      { name: PROFILE, label: 'Profile', type: 'text', description: 'Where the profile is.' },
    ]);
    const around = (connector: Connector): Connector => ({
      ...connector,
      async readByIds(ids, fields) {
        const found = await connector.readByIds(ids, fields);
        const [first = ''] = ids;
        if (fields.includes(PROFILE) && typedInto === '') {
          typedInto = first;
          await org.setValue(first, PROFILE, TYPED);
          await afterTyping();
        }
        return found;
      },
    });
    world = await createSyncWorld({
      service: { donors: 2_000 },
      integration: { fields: FIELDS },
      open: async (signal) => around(await org.connector({ ...settings }, { signal })),
    });
    open.push(world);
  }

  async function row() {
    return (await findContacts(world.store.reader, 'riverside', [typedInto])).get(typedInto);
  }

  function undo(runId: string) {
    const all = world.deps();
    return withLease(all, 'riverside', async (lease) =>
      undoRun(await openCrm(all, lease), lease, runId),
    );
  }
});
