import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { findContacts } from '../../src/contacts/contacts.ts';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import { toSyncStatus as standingOf } from '../../src/fields/status.ts';
import { undoRun } from '../../src/fields/undo.ts';
import { STATUS_STAGES, writeStatuses } from '../../src/fields/write-statuses.ts';
import type { SyncDeps } from '../../src/sync/control/context.ts';
import { openCrm } from '../../src/sync/control/crm-account.ts';
import type { Stage } from '../../src/sync/control/stage.ts';
import { withLease } from '../../src/sync/control/with-lease.ts';
import { previewRun } from '../../src/sync/preview.ts';
import type { RunRequest } from '../../src/sync/run.ts';
import {
  createSyncWorld,
  type SyncWorld,
  type SyncWorldOptions,
  WITHOUT_TRIAL,
} from '../helpers/sync-world.ts';
import { createForgetWorld } from '../privacy/forget/forget-world.ts';

const STATUS = 'Donor Sync Status';
const SINCE = 'Donor Sync Status Since';

const FIELDS = {
  fields: [
    { from: 'donorId', to: 'Donor ID' },
    { from: 'sync.status', to: STATUS },
    { from: 'sync.statusDate', to: SINCE },
  ],
};

const UNKNOWN = { firstName: 'Zyxw', lastName: 'Qqqqqvv', addresses: ['1 Nowhere Rd, Nome, AK'] };

/** A service whose profiles have a different last name. */
const withAnotherLastName: SyncWorldOptions['partner'] = (client) => ({
  ...client,
  async readResults(ids, signal) {
    const results = await client.readResults(ids, signal);
    for (const result of results.values()) {
      if (result.state === 'completed') result.profile.name.last = 'Abernathy';
    }
    return results;
  },
});

/** Returns a store that fails to record that a status was written. */
function withoutNotes({ store, connector }: SyncDeps): Pick<SyncDeps, 'store' | 'connector'> {
  let isWritten = false;
  return {
    store: {
      ...store,
      checkpoint(lease, work) {
        if (isWritten) throw new Error('The process ended.');
        return store.checkpoint(lease, work);
      },
    },
    connector: {
      ...connector,
      async *write(...given) {
        yield* connector.write(...given);
        isWritten = true;
      },
    },
  };
}

const worlds: SyncWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** Opens a CRM in which users see each contact's status. */
async function open(options: SyncWorldOptions = {}) {
  const made = await createForgetWorld({
    ...options,
    integration: { ...WITHOUT_TRIAL, ...FIELDS, ...options.integration },
  });
  const world = {
    ...made,
    sync: (request: Partial<RunRequest> = {}) => made.sync({ stages: STATUS_STAGES, ...request }),
  };
  worlds.push(world);
  return world;
}

const statusOf = ({ crm }: SyncWorld, id: string) => crm.valueOf(id, STATUS);
const sinceOf = ({ crm }: SyncWorld, id: string) => crm.valueOf(id, SINCE);

describe('the status of contacts in the CRM', () => {
  it('tells who is written, unknown to the service, held, and opted out', async () => {
    const world = await open({ partner: withAnotherLastName });
    const [held = ''] = await world.addPeople(1);
    const unknown = world.crm.addContact(UNKNOWN);
    const out = world.crm.addContact({ ...UNKNOWN, optedOut: true });
    const nameless = world.crm.addContact({ lastName: 'Moore' });
    expect((await world.sync()).status).toBe('succeeded');
    expect([held, unknown, out].map((id) => statusOf(world, id))).toEqual([
      'Held',
      'Unknown',
      'Opted out',
    ]);
    expect(sinceOf(world, unknown)).toMatch(/^20\d\d-/);
    expect([statusOf(world, nameless), sinceOf(world, nameless)]).toEqual([null, null]);
    const spent = await world.spent();
    const [hold] = await listOpenQuestions(world.store.reader);
    if (!hold) throw new Error('Nothing is held');
    await recordDecision(world.store, hold, 'approved');
    await world.sync();
    expect(statusOf(world, held)).toBe('Written');
    expect(await world.spent()).toBe(spent);
  });

  it('writes it along with the profile, and nothing at all in a quiet night', async () => {
    const world = await open();
    const ids = await world.addPeople(30);
    for (let count = 0; count < 5; count += 1) world.crm.addContact(UNKNOWN);
    const { contacts } = await world.sync();
    // The CRM receives one write for each profile with its status, and one write for each contact without a profile.
    expect(world.crm.writes).toHaveLength(ids.length + 5);
    expect(contacts.written).toBe(ids.length);
    const spent = await world.spent();
    for (const full of [false, true, false]) {
      expect((await world.sync({ full })).contacts).toMatchObject({ chosen: 0, written: 0 });
    }
    expect(world.crm.writes).toHaveLength(ids.length + 5);
    expect(await world.spent()).toBe(spent);
  });

  it('keeps the date as long as the status is the same', async () => {
    const world = await open({ integration: { refresh: { afterDays: 1 } } });
    const [id = ''] = await world.addPeople(1);
    await world.sync();
    const since = sinceOf(world, id);
    expect(since).not.toBeNull();
    await world.database.db
      .updateTable('contacts')
      .set({ asked_at: 1 })
      .where('crm_id', '=', id)
      .execute();
    const { contacts } = await world.sync();
    expect(contacts.submitted).toBe(1);
    expect([statusOf(world, id), sinceOf(world, id)]).toEqual(['Written', since]);
    // Salesforce stores times in seconds, so the product compares times by the second.
    await sleep(1_000);
    world.crm.editContact(id, { optedOut: true });
    await world.sync();
    expect(statusOf(world, id)).toBe('Opted out');
    expect(sinceOf(world, id)).not.toBe(since);
  });

  it('leaves what a person wrote there, and puts no date beside it', async () => {
    const world = await open();
    const [id = ''] = await world.addPeople(1);
    const unknown = world.crm.addContact(UNKNOWN);
    for (const one of [id, unknown]) world.crm.setValue(one, STATUS, 'Called on Monday');
    await world.sync();
    for (const one of [id, unknown]) {
      expect([statusOf(world, one), sinceOf(world, one)]).toEqual(['Called on Monday', null]);
    }
    const { length } = world.crm.writes;
    await world.sync();
    expect(world.crm.writes).toHaveLength(length);
  });

  it('takes a status back once it no longer holds and nothing else is known yet', async () => {
    const world = await open();
    const id = world.crm.addContact({ ...UNKNOWN, optedOut: true });
    await world.sync();
    expect(statusOf(world, id)).toBe('Opted out');
    world.crm.editContact(id, { optedOut: false });
    await world.sync({ limit: 0 });
    expect([statusOf(world, id), sinceOf(world, id)]).toEqual([null, null]);
    await world.sync();
    expect(statusOf(world, id)).toBe('Unknown');
  });

  it('is written again where the CRM failed in passing, without a lock', async () => {
    const world = await open();
    const [enhanced = '', locked = ''] = await world.addPeople(2);
    const failing = world.crm.addContact(UNKNOWN);
    for (const id of [enhanced, failing]) {
      world.crm.refuseWrites(id, { code: 'UNKNOWN_EXCEPTION', retriable: true });
    }
    world.crm.lock(locked, 9);
    await world.sync();
    expect(statusOf(world, failing)).toBeNull();
    // Only the error about a lock says that another user is working on the record.
    const rows = await findContacts(world.store.reader, 'riverside', [enhanced, locked]);
    expect(rows.get(enhanced)?.outcomeReason).toBe('crm_passing');
    expect(rows.get(locked)?.outcomeReason).toBe('crm_busy');
    world.crm.allowWrites(failing);
    await world.sync();
    expect(statusOf(world, failing)).toBe('Unknown');
  });

  it('does not count as written where the CRM took its date alone', async () => {
    const world = await open();
    const refusing = world.crm.addContact(UNKNOWN);
    world.crm.refuseField(refusing, STATUS);
    await world.sync();
    const [row] = await world.database.db.selectFrom('contact_statuses').selectAll().execute();
    expect(row).toMatchObject({ crm_id: refusing, status: null });
  });

  it('is written again where the CRM was busy or failed, and not where it refused', async () => {
    const world = await open();
    const busy = world.crm.addContact(UNKNOWN);
    const failing = world.crm.addContact(UNKNOWN);
    const refusing = world.crm.addContact(UNKNOWN);
    world.crm.lock(busy, 1);
    world.crm.refuseWrites(failing, { retriable: true });
    world.crm.refuseWrites(refusing);
    expect((await world.sync()).contacts).toMatchObject({ failed: 3, waiting: 0 });
    const statuses = () => [busy, failing, refusing].map((id) => statusOf(world, id));
    expect(statuses()).toEqual([null, null, null]);
    world.crm.allowWrites(failing);
    await world.sync();
    expect(statuses()).toEqual(['Unknown', 'Unknown', null]);
    const { write } = world.crm.calls;
    await world.sync();
    await world.sync();
    expect(world.crm.calls.write).toBe(write);
  });

  it('is known as its own after a process that ended between the write and the note of it', async () => {
    const world = await open();
    const id = world.crm.addContact(UNKNOWN);
    const cutOff: Stage = (deps, run) => writeStatuses({ ...deps, ...withoutNotes(deps) }, run);
    const stopped = await world.sync({ stages: { before: [], after: [cutOff] } });
    expect(stopped.reason?.message).toBe('The process ended.');
    expect(statusOf(world, id)).toBe('Unknown');
    // The status changes, so the connector must recognise the status in the CRM as ours.
    world.crm.editContact(id, { optedOut: true });
    await world.sync();
    expect(statusOf(world, id)).toBe('Opted out');
  });

  it('goes with `undo` and with `forget`', async () => {
    const world = await open();
    const [id = ''] = await world.addPeople(1);
    const unknown = world.crm.addContact(UNKNOWN);
    const { id: run } = await world.sync();
    const deps = world.deps();
    const undone = await withLease(deps, 'riverside', async (lease) =>
      undoRun(await openCrm(deps, lease), lease, run),
    );
    expect(undone.contacts).toEqual({ restored: 2, gone: 0, refused: 0 });
    for (const one of [id, unknown]) {
      expect([statusOf(world, one), sinceOf(world, one)]).toEqual([null, null]);
    }
    const other = world.crm.addContact({ ...UNKNOWN, lastName: 'Wwwwqqq' });
    await world.sync();
    expect(statusOf(world, other)).toBe('Unknown');
    const receipt = await world.forget(other, { alsoInCrm: true });
    expect(receipt).toMatchObject({ complete: true, crm: { verified: true } });
    expect([statusOf(world, other), sinceOf(world, other)]).toEqual([null, null]);
    await world.sync({ full: true });
    expect([statusOf(world, other), sinceOf(world, other)]).toEqual([null, null]);
    const noted = await world.database.db.selectFrom('contact_statuses').select('crm_id').execute();
    expect(noted.map(({ crm_id }) => crm_id)).not.toContain(other);
  });

  it('is foretold where the CRM gets the field for contacts that are known already', async () => {
    const world = await open();
    world.crm.addField({ name: STATUS, writable: false });
    await world.addPeople(30);
    await world.sync();
    const preview = () =>
      previewRun(world.deps(), {
        integration: world.integration,
        mappings: world.integration.fields ?? [],
        partnerKey: 'key',
        full: false,
        only: null,
      });
    expect(await preview()).toMatchObject({ statuses: 0 });
    world.crm.addField({ name: STATUS });
    const { statuses } = await preview();
    expect(statuses).toBe(30);
    const { length } = world.crm.writes;
    await world.sync();
    expect(world.crm.writes).toHaveLength(length + 30);
    expect(await preview()).toMatchObject({ statuses: 0 });
  });

  it('spends nothing where no field but the status can be written', async () => {
    const world = await createSyncWorld({
      integration: {
        fields: [
          { from: 'donorId', to: 'Donor ID' },
          { from: 'sync.status', to: STATUS },
        ],
      },
    });
    worlds.push(world);
    world.crm.addField({ name: 'Donor ID', writable: false });
    await world.addPeople(3);
    await expect(world.sync()).rejects.toMatchObject({ code: 'fields_unusable' });
    expect(await world.spent()).toBe(0);
  });

  it('is not missed where the CRM has no field for it, or one of another kind', async () => {
    const world = await open();
    world.crm.addField({ name: STATUS, type: 'picklist', options: ['A', 'B'], restricted: true });
    const [id = ''] = await world.addPeople(1);
    const unknown = world.crm.addContact(UNKNOWN);
    expect(await world.sync()).toMatchObject({ status: 'succeeded', contacts: { written: 1 } });
    const rows = await findContacts(world.store.reader, 'riverside', [id, unknown]);
    expect(rows.get(id)?.outcomeReason).toBe('fields_written');
    expect(rows.get(unknown)?.outcomeReason).toBe('no_match');
    expect(world.crm.writes).toHaveLength(1);
    expect(sinceOf(world, unknown)).toBeNull();
  });
});

const AT_REST = { state: 'settled', enhancedAt: null, inCrm: null } as const;

describe('statusOf', () => {
  it.each([
    ['refused', { ...AT_REST, reason: 'person_invalid' }],
    ['refused', { ...AT_REST, state: 'ready', reason: 'crm_refused' }],
    ['optedOut', { ...AT_REST, reason: 'do_not_contact', enhancedAt: 1 }],
    ['written', { ...AT_REST, reason: 'profile_fresh', enhancedAt: 1 }],
    ['written', { ...AT_REST, reason: 'deceased', enhancedAt: 1 }],
    ['unknown', { ...AT_REST, reason: 'rejected_by_person' }],
    ['held', { ...AT_REST, state: 'held', reason: 'lost_answer' }],
    // The product is still working on the contact. The CRM keeps the existing status until the product knows a better
    // status.
    ['unknown', { ...AT_REST, state: 'due', reason: 'budget_reached', inCrm: 'unknown' }],
    [null, { ...AT_REST, state: 'due', reason: 'budget_reached', inCrm: 'held' }],
    // The product writes no status for people whom it has erased or may have erased.
    [null, { ...AT_REST, state: 'held', reason: 'forgotten_person' }],
    [null, { ...AT_REST, reason: 'forgotten' }],
  ] as const)('is %s for %o', (status, standing) => {
    expect(standingOf(standing)).toBe(status);
  });
});
