import { afterEach, describe, expect, it } from 'vitest';
import type { Connector, ConnectorDeps, ContactsSettings } from '../../connectors/contract.ts';
import type { SeedContact } from '../../connectors/testing/conformance.ts';
import type { PartnerSandboxOptions } from '../../sandbox/partner/index.ts';
import { findContacts } from '../../src/contacts/contacts.ts';
import { RetriableError } from '../../src/core/errors.ts';
import { listOpenQuestions } from '../../src/decisions/statements/questions.ts';
import { holdJobs } from '../helpers/held-jobs.ts';
import { createSyncWorld, type SyncWorld } from '../helpers/sync-world.ts';
import { openAccount } from './hubspot/account.ts';
import { openOrg } from './salesforce/org.ts';

/** A CRM, and the actions of its users. */
interface Hands {
  connector(deps: Partial<ConnectorDeps>, contacts: ContactsSettings): Promise<Connector>;
  add(contacts: readonly SeedContact[]): Promise<string[]>;
  merge(loser: string, winner: string): Promise<unknown>;
  rename(id: string, firstName: string, lastName: string): Promise<unknown>;
  optOut(id: string, value: boolean): Promise<unknown>;
  seen(id: string): Promise<unknown>;
  field: string;
  optOutField: string;
  close(): Promise<void>;
}

async function openSalesforce(): Promise<Hands> {
  const org = await openOrg();
  const update = (id: string, values: object) => org.edit({ action: 'update', id, values });
  return {
    connector: (deps, contacts) => org.connector({}, deps, contacts),
    add: org.addContacts,
    merge: org.mergeContacts,
    rename: (id, FirstName, LastName) => update(id, { FirstName, LastName }),
    optOut: (id, HasOptedOutOfEmail) => update(id, { HasOptedOutOfEmail }),
    seen: (id) => org.seenValue(id, 'Department'),
    field: 'Department',
    optOutField: 'HasOptedOutOfEmail',
    close: org.close,
  };
}

async function openHubspot(): Promise<Hands> {
  const account = await openAccount();
  await account.createProperty({ name: 'donor' });
  await account.createProperty({ name: 'never' });
  return {
    connector: (deps, contacts) => account.connector({}, deps, contacts),
    add: account.addContacts,
    merge: (loser, winner) => account.mergeContacts(loser, winner),
    rename: (id, firstName, lastName) => account.editContact(id, { firstName, lastName }),
    optOut: (id, value) => account.setValue(id, 'never', value ? 'true' : null),
    seen: (id) => account.seenValue(id, 'donor'),
    field: 'donor',
    optOutField: 'never',
    close: account.close,
  };
}

describe.each([
  ['Salesforce', openSalesforce],
  ['HubSpot', openHubspot],
])('contacts that are merged in %s', (_, openHands) => {
  const open: { close(): Promise<void> }[] = [];

  afterEach(async () => {
    jobs = holdJobs();
    for (const one of open.splice(0).reverse()) await one.close();
  });

  it('take the profile along that was paid for and not delivered, to a contact not known yet', async () => {
    const { hands, world, ids, twin } = await start();
    const spent = await payOnly(world);
    const [winner = ''] = await hands.add([twin(0)]);
    await hands.merge(ids[0] ?? '', winner);
    await expectDelivered(world, spent, [winner, ...ids.slice(1)]);
  });

  it('take it along to a contact that is known and was never asked about', async () => {
    const { hands, world, ids, twin } = await start();
    const [winner = ''] = await hands.add([twin(0)]);
    await hands.optOut(winner, true);
    const spent = await payOnly(world);
    await hands.optOut(winner, false);
    await hands.merge(ids[0] ?? '', winner);
    await expectDelivered(world, spent, [winner, ...ids.slice(1)]);
  });

  it('leave the profile of the one that stays where both were paid for', async () => {
    const { hands, world, ids } = await start();
    const spent = await payOnly(world);
    await hands.merge(ids[0] ?? '', ids[1] ?? '');
    await expectDelivered(world, spent, ids.slice(1));
  });

  it('take the job along that still runs', async () => {
    const { hands, world, ids, twin } = await start(jobs.service);
    const spent = await submitOnly(world);
    const [winner = ''] = await hands.add([twin(0)]);
    await hands.merge(ids[0] ?? '', winner);
    await expectDelivered(world, spent, [winner, ...ids.slice(1)]);
  });

  it('leave the job of the one that stays where those of both still run', async () => {
    const { hands, world, ids } = await start(jobs.service);
    const spent = await submitOnly(world);
    await hands.merge(ids[0] ?? '', ids[1] ?? '');
    await expectDelivered(world, spent, ids.slice(1));
  });

  it('take a profile along that was held for its names, to a contact whose names fit', async () => {
    const { hands, world, ids, twin } = await start();
    const spent = await holdFirst(hands, world, ids);
    const [winner = ''] = await hands.add([twin(0)]);
    await hands.merge(ids[0] ?? '', winner);
    await expectDelivered(world, spent, [winner, ...ids.slice(1)]);
    expect(await listOpenQuestions(world.store.reader, 'riverside')).toEqual([]);
  });

  it('give the profile that fits to one that is held for a profile that does not', async () => {
    const { hands, world, ids, twin } = await start();
    const spent = await holdFirst(hands, world, ids);
    const { firstName, lastName } = twin(1);
    await hands.rename(ids[0] ?? '', firstName ?? '', lastName ?? '');
    await hands.merge(ids[1] ?? '', ids[0] ?? '');
    await expectDelivered(world, spent, [ids[0] ?? '', ...ids.slice(2)]);
  });

  it('give the profile that still runs to one that is held for its names, once it is there', async () => {
    const { hands, world, ids, seeds } = await start(jobs.service);
    const { winner, loser, spent } = await mergeIntoHeld(hands, world, ids, seeds[4]);
    await hands.rename(winner, seeds[4]?.firstName ?? '', seeds[4]?.lastName ?? '');
    await expectDelivered(world, spent, [winner, ...ids.slice(1)]);
    expect(await listOpenQuestions(world.store.reader, 'riverside')).toEqual([]);
    expect(await statesOf(world, [loser])).toEqual(['removed']);
  });

  it('leave one that is held for its names to a person where the other profile does not fit either', async () => {
    const { hands, world, ids, seeds } = await start(jobs.service);
    const { winner, loser, spent } = await mergeIntoHeld(hands, world, ids, seeds[4]);
    await hands.rename(winner, 'Quite', 'Another');
    await expectDelivered(world, spent, ids.slice(1));
    expect(await listOpenQuestions(world.store.reader, 'riverside')).toMatchObject([
      { crmId: winner },
    ]);
    expect(await statesOf(world, [winner, loser])).toEqual(['held', 'removed']);
    expect(await hands.seen(winner)).toBeNull();
  });

  it('leave one that is held for its names as it is where the other was asked for in vain', async () => {
    const { hands, world, ids } = await start(jobs.service);
    const nameless = { firstName: 'Qwertz', lastName: 'Unheard', addresses: [], employers: [] };
    const { winner, loser, spent } = await mergeIntoHeld(hands, world, ids, nameless);
    await hands.rename(winner, 'Quite', 'Another');
    await expectDelivered(world, spent, ids.slice(1));
    expect(await listOpenQuestions(world.store.reader, 'riverside')).toMatchObject([
      { crmId: winner },
    ]);
    expect(await statesOf(world, [winner, loser])).toEqual(['held', 'removed']);
  });

  it('give the profile that is there to one that the service did not know', async () => {
    const { hands, world, ids, twin } = await start();
    const [stranger = ''] = await hands.add([
      { firstName: 'Qwertz', lastName: 'Unheard', addresses: [], employers: [] },
    ]);
    await world.sync();
    const spent = await world.spent();
    const { firstName, lastName } = twin(0);
    await hands.merge(ids[0] ?? '', stranger);
    await hands.rename(stranger, firstName ?? '', lastName ?? '');
    await expectDelivered(world, spent, [stranger, ...ids.slice(1)]);
  });

  it('take it along through a chain of merges in one night', async () => {
    const { hands, world, ids, twin } = await start();
    const spent = await payOnly(world);
    const [second = '', third = '', last = ''] = await hands.add([twin(0), twin(0), twin(0)]);
    await hands.merge(ids[0] ?? '', second);
    await hands.merge(second, third);
    await hands.merge(third, last);
    await expectDelivered(world, spent, [last, ...ids.slice(1)]);
  });

  it('take it along through a chain of merges across nights', async () => {
    const { hands, world, ids, twin } = await start();
    const spent = await payOnly(world);
    let loser = ids[0] ?? '';
    for (let night = 0; night < 3; night += 1) {
      const [winner = ''] = await hands.add([twin(0)]);
      await hands.merge(loser, winner);
      loser = winner;
      expect(await payOnly(world)).toBe(spent);
    }
    await expectDelivered(world, spent, [loser, ...ids.slice(1)]);
  });

  it('take it along through a chain of merges after each was delivered', async () => {
    const { hands, world, ids, twin } = await start();
    await world.sync();
    const spent = await world.spent();
    let loser = ids[0] ?? '';
    for (let night = 0; night < 3; night += 1) {
      const [winner = ''] = await hands.add([twin(0)]);
      await hands.merge(loser, winner);
      loser = winner;
      await expectDelivered(world, spent, [loser, ...ids.slice(1)]);
    }
  });

  it('write nothing into one that opted out, and keep the profile should it opt in', async () => {
    const { hands, world, ids, twin } = await start();
    const spent = await payOnly(world);
    const [winner = ''] = await hands.add([twin(0)]);
    await hands.optOut(winner, true);
    await hands.merge(ids[0] ?? '', winner);
    await hands.optOut(winner, true);
    await expectDelivered(world, spent, ids.slice(1));
    expect(await hands.seen(winner)).toBeNull();
    await hands.optOut(winner, false);
    await expectDelivered(world, spent, [winner, ...ids.slice(1)]);
  });

  /** True if the CRM refuses writes. */
  let refuses = false;
  let stop: AbortController | null = null;
  let jobs = holdJobs();
  let see: Hands['seen'] = () => Promise.resolve(null);

  async function start(service: PartnerSandboxOptions = {}) {
    refuses = false;
    stop = null;
    const hands = await openHands();
    open.push(hands);
    const contacts = { filter: null, optOutField: hands.optOutField };
    const world = await createSyncWorld({
      service,
      integration: { contacts, fields: [{ from: 'donorId', to: hands.field }] },
      open: async (signal) => {
        const connector = await hands.connector({ signal }, contacts);
        return {
          ...connector,
          write(changes) {
            if (refuses) throw new RetriableError('Not now.', { code: 'crm_unavailable' });
            return connector.write(changes);
          },
        };
      },
      partner: (client) => ({
        ...client,
        async submitEnhancements(...asked) {
          const answer = await client.submitEnhancements(...asked);
          stop?.abort();
          return answer;
        },
      }),
    });
    open.push(world);
    jobs.letEnd();
    const seeds = await knownPeople(world);
    const ids = await hands.add(seeds.slice(0, 4));
    const twin = (at: number): SeedContact => {
      const { firstName = null, lastName = null } = seeds[at] ?? {};
      return { firstName, lastName, addresses: [], employers: [] };
    };
    see = hands.seen;
    return { hands, world, ids, twin, seeds };
  }

  /** Pays for all contacts but delivers nothing. Returns the credits spent so far. */
  async function payOnly(world: SyncWorld): Promise<number> {
    refuses = true;
    expect((await world.sync()).status).toBe('incomplete');
    refuses = false;
    return world.spent();
  }

  /** Submits contacts. The jobs are still running when the run ends. They are complete when the next run begins. */
  async function submitOnly(world: SyncWorld): Promise<number> {
    jobs.hold();
    stop = new AbortController();
    await world.sync({ signal: stop.signal });
    stop = null;
    jobs.letEnd();
    return world.spent();
  }

  /** Holds the first contact, by changing its name between payment and delivery. */
  async function holdFirst(hands: Hands, world: SyncWorld, ids: string[]): Promise<number> {
    const spent = await payOnly(world);
    await hands.rename(ids[0] ?? '', 'Quite', 'Another');
    await world.sync();
    expect(await listOpenQuestions(world.store.reader, 'riverside')).toHaveLength(1);
    return spent;
  }

  /**
   * Holds the first contact because of its name. Then merges a different contact, whose job is running, into the held
   * contact.
   */
  async function mergeIntoHeld(
    hands: Hands,
    world: SyncWorld,
    ids: string[],
    other: SeedContact | undefined,
  ) {
    const winner = ids[0] ?? '';
    await holdFirst(hands, world, ids);
    const [loser = ''] = await hands.add(other === undefined ? [] : [other]);
    const spent = await submitOnly(world);
    expect(await statesOf(world, [winner, loser])).toEqual(['held', 'submitted']);
    await hands.merge(loser, winner);
    return { winner, loser, spent };
  }

  async function statesOf(world: SyncWorld, ids: string[]): Promise<(string | undefined)[]> {
    const rows = await findContacts(world.store.reader, 'riverside', ids);
    return ids.map((id) => rows.get(id)?.state);
  }

  /** Expects that the run spends no further credits, no contact waits, and each of these contacts has a profile. */
  async function expectDelivered(world: SyncWorld, spent: number, ids: string[]): Promise<void> {
    const report = await world.sync();
    expect({ status: report.status, waiting: report.contacts.waiting }).toEqual({
      ...{ status: 'succeeded', waiting: 0 },
    });
    for (const id of ids) expect(await see(id)).toMatch(/^[0-9a-f]{32}$/);
    expect(await world.spent()).toBe(spent);
    const again = await world.sync({ full: true });
    expect(again.contacts).toMatchObject({ submitted: 0, written: 0, waiting: 0 });
    expect(await world.spent()).toBe(spent);
  }
});

/** Returns people whom the service knows, in the form that the in-memory CRM accepts. */
async function knownPeople(world: SyncWorld): Promise<SeedContact[]> {
  const ids = await world.addPeople(8);
  return ids.flatMap((id) => {
    const contact = world.crm.records.get(id)?.contact;
    if (contact === undefined) return [];
    const { firstName, lastName, addresses, employers } = contact;
    return [{ firstName, lastName, addresses, employers }];
  });
}
