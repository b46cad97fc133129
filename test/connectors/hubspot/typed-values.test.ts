import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../../connectors/contract.ts';
import { findContacts } from '../../../src/contacts/contacts.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { listWrites } from '../../../src/fields/statements/deliveries.ts';
import { undoRun } from '../../../src/fields/undo.ts';
import { openCrm } from '../../../src/sync/control/crm-account.ts';
import { withLease } from '../../../src/sync/control/with-lease.ts';
import { createSyncWorld, type SyncWorld } from '../../helpers/sync-world.ts';
import { type Account, openAccount } from './account.ts';

const FIELDS = [
  { from: 'donorId', to: 'donor_id' },
  { from: 'profileUrl', to: 'profile' },
];
const TYPED = 'Ask Maria';

/** Tests whole runs in which a user types into properties after donor-sync has read them and before it writes. */
describe('what a user types into HubSpot between our reading and our write', () => {
  let account: Account;
  let world: SyncWorld;
  let typedInto: string[];
  const open: { close(): Promise<void> }[] = [];

  beforeEach(async () => {
    typedInto = [];
    account = await openAccount({ contacts: 130, donors: 2_000 });
    open.push(account);
    await account.createProperty({ name: 'donor_id' });
    await account.createProperty({ name: 'profile' });
  });

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  it('is put back in every batch, and survives an undo; update requests are no more than before', async () => {
    await start();
    const before = (await account.requests()).length;
    const report = await world.sync();
    expect(report).toMatchObject({ status: 'succeeded', contacts: { waiting: 0 } });
    expect(typedInto.length).toBeGreaterThan(1);
    const rows = await findContacts(world.store.reader, 'riverside', typedInto);
    for (const id of typedInto) {
      expect(await account.seenValue(id, 'profile')).toBe(TYPED);
      expect(await account.seenValue(id, 'donor_id')).toMatch(/^[0-9a-f]{32}$/);
      const row = rows.get(id);
      expect(row?.outcomeReason).toBe('typed_value_restored');
      expect(row?.outcomeDetail).toMatch(/profile: \d+ \(as the CRM names its user\)/);
      expect(row?.ownedValues).not.toContain('profile');
    }
    const paths = (await account.requests()).slice(before).map(({ path }) => path);
    const updates = paths.filter((path) => path.endsWith('/batch/update')).length;
    // The connector sends one request for each batch, and one more request if it restored a value.
    expect(updates).toBe(2 * typedInto.length);
    // During the undo, a user types into a contact that still has donor-sync's value.
    const written = await listWrites(world.store.reader, report.id);
    const ofUndo = written.find(
      ({ crmId, after }) => !typedInto.includes(crmId) && after.includes('profile'),
    );
    const undone = await undo(report.id, async () => {
      await account.setValue(ofUndo?.crmId ?? '', 'profile', 'Typed late');
    });
    expect(undone.contacts).toMatchObject({ restored: report.contacts.written, refused: 0 });
    expect(undone.fields.editedSince).toBe(1);
    expect(await account.seenValue(ofUndo?.crmId ?? '', 'profile')).toBe('Typed late');
    for (const id of typedInto) {
      expect(await account.seenValue(id, 'profile')).toBe(TYPED);
      expect(await account.seenValue(id, 'donor_id')).toBeNull();
    }
  });

  it('is named as lost where a rule refuses it, and an undo restores it', async () => {
    await start(async () => {
      const rule = { property: 'profile', pattern: '^(?!Ask)', message: 'No requests.' };
      await account.control('POST', 'rules', { kind: 'validation', ...rule });
    });
    const report = await world.sync();
    const [id = ''] = typedInto;
    const row = (await findContacts(world.store.reader, 'riverside', [id])).get(id);
    expect(row?.outcomeReason).toBe('typed_value_lost');
    expect(row?.outcomeDetail).toMatch(/did not accept it when donor-sync tried to restore it/);
    expect(await account.seenValue(id, 'profile')).not.toBe(TYPED);
    await account.control('DELETE', 'rules');
    await undo(report.id);
    expect(await account.seenValue(id, 'profile')).toBe(TYPED);
  });

  /**
   * Starts an account in which a user types a value into the first contact of each batch. The user types immediately
   * after donor-sync has read the contact for delivery.
   */
  async function start(afterTyping: () => Promise<void> = async () => {}) {
    const around = (connector: Connector): Connector => ({
      ...connector,
      async readByIds(ids, fields) {
        const found = await connector.readByIds(ids, fields);
        const [first = ''] = ids;
        if (fields.includes('profile')) {
          typedInto.push(first);
          await account.setValue(first, 'profile', TYPED);
          await afterTyping();
        }
        return found;
      },
    });
    world = await createSyncWorld({
      service: { donors: 2_000 },
      integration: { fields: FIELDS },
      open: async (signal) => around(await account.connector({}, { signal, clock: systemClock })),
    });
    open.push(world);
  }

  function undo(runId: string, typing: () => Promise<void> = async () => {}) {
    const all = world.deps();
    const openConnector = async (): Promise<Connector> => {
      const connector = await account.connector({}, { clock: systemClock });
      return {
        ...connector,
        async *write(changes) {
          await typing();
          yield* connector.write(changes);
        },
      };
    };
    return withLease(all, 'riverside', async (lease) => {
      const connector = await openConnector();
      try {
        const deps = { ...(await openCrm(all, lease)), clock: systemClock, connector };
        return await undoRun(deps, lease, runId);
      } finally {
        await connector.close();
      }
    });
  }
});
