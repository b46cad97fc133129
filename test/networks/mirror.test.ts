import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { FatalError } from '../../src/core/errors.ts';
import { PartnerValidationError } from '../../src/partner/errors.ts';
import type { SyncDeps } from '../../src/run/context.ts';
import { WITHOUT_TRIAL } from '../helpers/sync-world.ts';
import { everything } from '../store/store-world.ts';
import { mirrorOnce } from './mirror-once.ts';
import {
  BOARD,
  createNetworkWorld,
  type NetworkWorld,
  type NetworkWorldOptions,
  ON_ADD,
  ON_JOB,
} from './network-world.ts';

/** Longer than any test takes, by a clock that a test moves on. */
const JOB_MS = 600_000;

let world: NetworkWorld;
afterEach(() => world.close());

async function open(options: NetworkWorldOptions = {}): Promise<NetworkWorld> {
  world = await createNetworkWorld(options);
  return world;
}

/** The network is what the CRM's group is, and so many credits were spent for it in all. */
async function expectBoard(people: readonly string[], credits: number, name = 'Board') {
  expect((await world.networks())[name]).toEqual(await world.donorsOf(people));
  expect(await world.networkSpent()).toBe(credits);
}

/** The members of "Board"; asked after a job, the service first does what is due. */
async function membersOf({ byHand, networks }: NetworkWorld): Promise<string[] | undefined> {
  await byHand('GET', `/networks/jobs/${'0'.repeat(32)}`).catch(() => null);
  return (await networks())['Board'];
}

/** The one hold there is. */
async function theHold() {
  const [hold, ...more] = await world.store.networkHolds.listOpen();
  if (!hold || more.length > 0) throw new Error('There is not one hold');
  return hold;
}

/** A network of "board" with the first ten people. */
async function openBoard(options: NetworkWorldOptions = {}): Promise<NetworkWorld> {
  const here = await open({ enhanced: 14, ...options });
  here.setBoard(0, 10);
  expect(await here.sync()).toMatchObject({ status: 'succeeded' });
  await expectBoard(here.people.slice(0, 10), 10);
  return here;
}

describe('a mirrored group', () => {
  it('becomes a network, and asks nothing of the service on a quiet night', async () => {
    const here = await open({ enhanced: 12 });
    here.setBoard(0, 10);
    const report = await here.sync();
    expect(report).toMatchObject({
      status: 'succeeded',
      networks: [{ name: 'Board', added: 10, removed: 0, kept: 0, failed: 0 }],
      credits: { networks: { spent: 10, remaining: 99_990 } },
    });
    await expectBoard(here.people.slice(0, 10), 10);
    const calls = await here.networkCalls();
    const quiet = await here.sync();
    expect(quiet.networks).toEqual([{ name: 'Board', added: 0, removed: 0, kept: 10, failed: 0 }]);
    expect(quiet.credits.networks).toEqual({ spent: 0, remaining: 99_990 });
    expect(await here.networkCalls()).toEqual(calls);
  });

  it('is enhanced before anybody else, and joins in the same run', async () => {
    // A trial is spread over everybody.
    const here = await open({ integration: { budget: { perRun: 20 }, ...WITHOUT_TRIAL } });
    const ids = await here.addPeople(60);
    here.crm.addGroup('board', ids.slice(40));
    const report = await here.sync();
    expect(report.reason?.code).toBe('budget_reached');
    const rows = await here.store.contacts.find('riverside', ids);
    const asked = ids.filter((id) => rows.get(id)?.askedAt != null);
    expect(asked.every((id) => ids.indexOf(id) >= 40)).toBe(true);
    const donors = await here.donorsOf(ids.slice(40));
    expect(donors.length).toBeGreaterThan(5);
    expect((await here.networks())['Board']).toEqual(donors);
  });

  it('takes joiners up and lets leavers go', async () => {
    const here = await openBoard();
    here.setBoard(2, 13);
    const report = await here.sync();
    expect(report.networks).toEqual([{ name: 'Board', added: 3, removed: 2, kept: 8, failed: 0 }]);
    await expectBoard(here.people.slice(2, 13), 13);
  });

  it('pays again for a person who left and came back, since that is another membership', async () => {
    const here = await openBoard();
    here.setBoard(0, 9);
    await here.sync();
    here.setBoard(0, 10);
    await here.sync();
    await expectBoard(here.people.slice(0, 10), 11);
  });

  it('holds one person in several networks', async () => {
    const staff = { name: 'Staff', color: 'nonexistent', group: { group: 'staff' } };
    const here = await open({ enhanced: 6, integration: { networks: [BOARD, staff] } });
    here.setBoard(0, 4);
    here.crm.addGroup('staff', here.people.slice(2, 6));
    expect((await here.sync()).networks.map(({ added }) => added)).toEqual([4, 4]);
    expect(await here.networks()).toEqual({
      Board: await here.donorsOf(here.people.slice(0, 4)),
      Staff: await here.donorsOf(here.people.slice(2, 6)),
    });
  });

  it('counts a person once who is in the group twice, and two contacts of one donor', async () => {
    const here = await open({ enhanced: 4 });
    const [first = '', second = ''] = here.people;
    const [donor = ''] = await here.donorsOf([first]);
    await here.database.db
      .updateTable('contacts')
      .set({ donor_id: donor })
      .where('crm_id', '=', second)
      .execute();
    here.crm.addGroup('board', [first, second, first]);
    await here.sync();
    expect(await here.networks()).toEqual({ Board: [donor] });
    here.crm.addGroup('board', [second]);
    expect((await here.sync()).networks[0]).toMatchObject({ kept: 1, removed: 0 });
    expect(await here.networkSpent()).toBe(1);
  });

  it('keeps the membership of a contact that was merged into another', async () => {
    const here = await openBoard();
    const winner = here.crm.addContact({ firstName: 'Fresh', lastName: 'Record' });
    here.crm.mergeContact(here.people[0] ?? '', winner);
    here.crm.addGroup('board', [winner, ...here.people.slice(1, 10)]);
    const report = await here.sync();
    expect(report.networks[0]).toMatchObject({ added: 0, removed: 0, kept: 10 });
    await expectBoard([winner, ...here.people.slice(1, 10)], 10);
  });

  it('leaves out who opted out', async () => {
    const here = await openBoard();
    here.crm.editContact(here.people[3] ?? '', { optedOut: true });
    expect((await here.sync()).networks[0]).toMatchObject({ removed: 1, kept: 9 });
    await expectBoard([...here.people.slice(0, 3), ...here.people.slice(4, 10)], 10);
  });

  it('is not looked at by a run for one contact', async () => {
    const here = await openBoard();
    here.setBoard(0, 0);
    const report = await here.sync({ only: here.people[0] ?? '' });
    expect(report.networks).toEqual([]);
    expect(here.crm.calls.readGroup).toBe(2);
  });
});

it('keeps what a group asks for out of the database, since it may quote a name', async () => {
  const group = { group: 'friends of Plantedname' };
  const here = await open({ enhanced: 3, integration: { networks: [{ ...BOARD, group }] } });
  here.crm.addGroup(group.group, here.people, 1);
  await here.sync();
  expect(await theHold()).toMatchObject({ kind: 'group_unreadable' });
  here.crm.addGroup(group.group, here.people);
  await here.sync();
  await expectBoard(here.people, 3);
  const text = JSON.stringify(await everything(here.database.db));
  expect(text).not.toContain('Plantedname');
  expect(text).toContain(here.people[0]);
});

describe('a network', () => {
  it('is renamed when the setting has another name', async () => {
    const here = await openBoard();
    const networks = [{ ...BOARD, name: 'Directors' }];
    await here.sync({ integration: { ...here.integration, networks } });
    await expectBoard(here.people.slice(0, 10), 10, 'Directors');
    expect(Object.keys(await here.networks())).toEqual(['Directors']);
  });

  it('is kept under its name when the group is another one in the CRM', async () => {
    const here = await openBoard();
    const id = await here.networkId('Board');
    here.crm.addGroup('directors', here.people.slice(1, 12));
    const networks = [{ ...BOARD, group: { group: 'directors' } }];
    await here.sync({ integration: { ...here.integration, networks } });
    expect(await here.networkId('Board')).toBe(id);
    await expectBoard(here.people.slice(1, 12), 12);
  });

  it('is left alone when its setting is gone', async () => {
    const here = await openBoard();
    const report = await here.sync({ integration: { ...here.integration, networks: [] } });
    expect(report.networks).toEqual([]);
    await expectBoard(here.people.slice(0, 10), 10);
  });

  it('of the same name is adopted, without paying for who is in it', async () => {
    const here = await open({ enhanced: 8 });
    here.setBoard(0, 8);
    const donors = await here.donorsOf(here.people.slice(0, 8));
    await here.byHand('POST', '/networks', { name: 'Board', color: 'pink' });
    const id = await here.networkId('Board');
    for (const donor_id of donors.slice(0, 3)) {
      await here.byHand('POST', `/networks/${id}/members`, { donor_id });
    }
    expect((await here.sync()).networks[0]).toMatchObject({ added: 5, kept: 3 });
    await expectBoard(here.people.slice(0, 8), 5);
  });

  it('whose new name is taken waits for a person, and the rest goes on', async () => {
    const here = await openBoard();
    await here.byHand('POST', '/networks', { name: 'Directors', color: 'pink' });
    const integration = { ...here.integration, networks: [{ ...BOARD, name: 'Directors' }] };
    here.setBoard(0, 11);
    await here.sync({ integration });
    expect(await theHold()).toMatchObject({ kind: 'name_taken', name: 'Board' });
    await expectBoard(here.people.slice(0, 11), 11);
    await here.sync();
    expect(await here.store.networkHolds.listOpen()).toEqual([]);
    await here.byHand('DELETE', `/networks/${await here.networkId('Directors')}`);
    await here.sync({ integration });
    expect(await here.store.networkHolds.listOpen()).toEqual([]);
    await expectBoard(here.people.slice(0, 11), 11, 'Directors');
  });

  it('may swap its name with another one', async () => {
    const staff = { name: 'Staff', color: 'blue', group: { group: 'staff' } };
    const here = await open({ enhanced: 6, integration: { networks: [BOARD, staff] } });
    here.setBoard(0, 2);
    here.crm.addGroup('staff', here.people.slice(2, 6));
    await here.sync();
    const networks = [
      { ...BOARD, name: 'Staff' },
      { ...staff, name: 'Board' },
    ];
    // One of them cannot be read in this run, and gets its name all the same.
    here.crm.addGroup('staff', here.people.slice(2, 6), 1);
    await here.sync({ integration: { ...here.integration, networks } });
    expect(await here.networks()).toEqual({
      Staff: await here.donorsOf(here.people.slice(0, 2)),
      Board: await here.donorsOf(here.people.slice(2, 6)),
    });
    expect((await here.store.networkHolds.listOpen()).map(({ kind }) => kind)).toEqual([
      'group_unreadable',
    ]);
    expect(await here.networkSpent()).toBe(6);
  });

  it('gives its name to a new one when it gets another', async () => {
    const here = await openBoard();
    here.crm.addGroup('new', here.people.slice(10, 12));
    const networks = [
      { ...BOARD, group: { group: 'new' } },
      { ...BOARD, name: 'Former board' },
    ];
    await here.sync({ integration: { ...here.integration, networks } });
    expect(await here.networks()).toEqual({
      'Former board': await here.donorsOf(here.people.slice(0, 10)),
      Board: await here.donorsOf(here.people.slice(10, 12)),
    });
    expect(await here.store.networkHolds.listOpen()).toEqual([]);
  });

  it('whose swap of names was killed in the middle has its name after the next sync', async () => {
    const staff = { name: 'Staff', color: 'blue', group: { group: 'staff' } };
    const here = await open({ enhanced: 4, integration: { networks: [BOARD, staff] } });
    here.setBoard(0, 2);
    here.crm.addGroup('staff', here.people.slice(2, 4));
    await here.sync();
    const swapped = [
      { ...BOARD, name: 'Staff' },
      { ...staff, name: 'Board' },
    ];
    for (let kept = 0; kept < 4; kept++) {
      await here.putFaults([
        {
          on: { method: 'PUT', path: '/networks/*' },
          times: 10,
          after: kept,
          fault: { kind: 'error' },
        },
      ]);
      const integration = { ...here.integration, networks: swapped };
      await here.sync({ integration }).catch(() => undefined);
      await here.putFaults([]);
      // The settings are put back before the names have settled.
      await here.sync();
      expect(await here.networks()).toEqual({
        Board: await here.donorsOf(here.people.slice(0, 2)),
        Staff: await here.donorsOf(here.people.slice(2, 4)),
      });
    }
  });

  it('whose name the service refuses is held, and the others go on', async () => {
    const long = { name: 'B'.repeat(201), color: 'teal', group: { group: 'staff' } };
    const here = await open({ enhanced: 6, integration: { networks: [long, BOARD] } });
    here.setBoard(0, 3);
    here.crm.addGroup('staff', here.people.slice(3, 6));
    const report = await here.sync();
    expect(report).toMatchObject({ status: 'succeeded', networks: [{ added: 0 }, { added: 3 }] });
    const hold = await theHold();
    expect(hold).toMatchObject({ kind: 'network_refused' });
    expect(hold.detail).toMatch(/POST \/networks answered 422, name /);
    await here.sync();
    expect(await theHold()).toEqual(hold);
    const networks = [{ ...long, name: 'Staff' }, BOARD];
    const integration = { ...here.integration, networks };
    await here.sync({ integration });
    expect(await here.store.networkHolds.listOpen()).toEqual([]);
    expect((await here.networks())['Staff']).toHaveLength(3);
    // The same when a network that is there gets such a name; its members go on.
    here.crm.addGroup('staff', here.people.slice(2, 6));
    const renamed = { ...here.integration, networks: [long, BOARD] };
    expect((await here.sync({ integration: renamed })).networks[0]).toMatchObject({ added: 1 });
    expect(await theHold()).toMatchObject({ kind: 'network_refused' });
    await here.sync({ integration });
    expect(await here.store.networkHolds.listOpen()).toEqual([]);
  });

  it('whose members the service refuses as invalid is held, and the others go on', async () => {
    const staff = { name: 'Staff', color: 'blue', group: { group: 'staff' } };
    const refusals = [new PartnerValidationError('POST /networks/{id}/members/batch', [])];
    const here = await open({
      enhanced: 6,
      integration: { networks: [BOARD, staff] },
      partner: (client) => ({
        ...client,
        networks: {
          ...client.networks,
          async addMembers(...request) {
            const refusal = refusals.pop();
            if (refusal !== undefined) throw refusal;
            return client.networks.addMembers(...request);
          },
        },
      }),
    });
    here.setBoard(0, 3);
    here.crm.addGroup('staff', here.people.slice(3, 6));
    const report = await here.sync();
    expect(report).toMatchObject({ status: 'succeeded', networks: [{ added: 0 }, { added: 3 }] });
    expect(await theHold()).toMatchObject({ kind: 'network_refused', name: 'Board' });
    expect((await here.sync()).networks[0]).toMatchObject({ added: 3 });
    expect(await here.store.networkHolds.listOpen()).toEqual([]);
    expect(await here.networkSpent()).toBe(6);
  });

  it('that was deleted is held when it gets another name', async () => {
    const here = await openBoard();
    await here.byHand('DELETE', `/networks/${await here.networkId('Board')}`);
    const networks = [{ ...BOARD, name: 'Directors' }];
    await here.sync({ integration: { ...here.integration, networks } });
    expect(await theHold()).toMatchObject({ kind: 'network_deleted', detail: '10' });
  });

  it('that was deleted is made again only when a person approves it', async () => {
    const here = await openBoard();
    await here.byHand('DELETE', `/networks/${await here.networkId('Board')}`);
    here.setBoard(1, 11);
    await here.sync();
    const hold = await theHold();
    expect(hold).toMatchObject({ kind: 'network_deleted', detail: '10' });
    const calls = await here.networkCalls();
    await here.sync();
    expect(await here.networkCalls()).toEqual(calls);
    expect(await here.networks()).toEqual({});
    expect(await here.store.networkHolds.decide(hold, 'approved')).toBe(true);
    await here.sync();
    await expectBoard(here.people.slice(1, 11), 20);
    expect(await here.store.networkHolds.listOpen()).toEqual([]);
  });

  it('that was deleted stays away when a person rejects it', async () => {
    const here = await openBoard();
    await here.byHand('DELETE', `/networks/${await here.networkId('Board')}`);
    here.setBoard(1, 11);
    await here.sync();
    await here.store.networkHolds.decide(await theHold(), 'rejected');
    await here.sync();
    expect(await here.store.networkHolds.listOpen()).toEqual([]);
    expect(await here.networks()).toEqual({});
    expect(await here.networkSpent()).toBe(10);
  });
});

describe('a group that looks wrong', () => {
  it('removes no member when it was emptied, until a person approves', async () => {
    const here = await openBoard();
    here.setBoard(0, 0);
    const report = await here.sync();
    expect(report).toMatchObject({ status: 'succeeded', networks: [{ removed: 0, kept: 10 }] });
    await expectBoard(here.people.slice(0, 10), 10);
    const hold = await theHold();
    expect(hold).toMatchObject({ kind: 'group_shrunk', detail: '10 of 10' });
    await here.sync();
    expect(await theHold()).toEqual(hold);
    await here.store.networkHolds.decide(hold, 'approved');
    expect((await here.sync()).networks[0]).toMatchObject({ removed: 10, kept: 0 });
    await expectBoard([], 10);
  });

  it('needs no person when its members are back', async () => {
    const here = await openBoard();
    here.setBoard(0, 0);
    await here.sync();
    here.setBoard(0, 10);
    await here.sync();
    expect(await here.store.networkHolds.listOpen()).toEqual([]);
    await expectBoard(here.people.slice(0, 10), 10);
  });

  it('keeps its members after a rejection, takes joiners, and asks anew when it changes', async () => {
    const here = await openBoard();
    here.setBoard(8, 9);
    await here.sync();
    await here.store.networkHolds.decide(await theHold(), 'rejected');
    here.setBoard(8, 9);
    here.crm.addGroup('board', [here.people[8] ?? '', here.people[12] ?? '']);
    expect((await here.sync()).networks[0]).toMatchObject({ added: 1, removed: 0 });
    expect(await here.store.networkHolds.listOpen()).toEqual([]);
    await expectBoard([...here.people.slice(0, 10), here.people[12] ?? ''], 11);
    here.crm.addGroup('board', [here.people[12] ?? '']);
    await here.sync();
    expect(await theHold()).toMatchObject({ kind: 'group_shrunk', detail: '10 of 11' });
  });

  it('lets a small part, or fewer than five, go without asking', async () => {
    const here = await openBoard();
    here.setBoard(0, 6);
    expect((await here.sync()).networks[0]).toMatchObject({ removed: 4, kept: 6 });
    here.setBoard(0, 2);
    expect((await here.sync()).networks[0]).toMatchObject({ removed: 4, kept: 2 });
    expect(await here.store.networkHolds.listOpen()).toEqual([]);
  });

  it('changes nothing when it cannot be read to its end, and the contacts are synced', async () => {
    const here = await openBoard();
    here.crm.addGroup('board', here.people.slice(0, 12), 3);
    const stranger = here.crm.addContact({ firstName: 'Some', lastName: 'Stranger' });
    const report = await here.sync();
    expect(report).toMatchObject({
      status: 'succeeded',
      contacts: { chosen: 1 },
      networks: [{ added: 0, removed: 0, kept: 10, failed: 0 }],
    });
    expect((await here.store.contacts.find('riverside', [stranger])).size).toBe(1);
    expect(await theHold()).toMatchObject({ kind: 'group_unreadable', detail: 'group_unreadable' });
    await expectBoard(here.people.slice(0, 10), 10);
    here.setBoard(0, 12);
    await here.sync();
    expect(await here.store.networkHolds.listOpen()).toEqual([]);
    await expectBoard(here.people.slice(0, 12), 12);
  });
});

describe('the networks bucket', () => {
  it('that runs empty in the middle leaves the rest to the run after the next purchase', async () => {
    const here = await open({ enhanced: 250, service: { donors: 3_000 } });
    const buy = (networks: number) => here.issueKey({ team: 'team-poor', credits: { networks } });
    const apiKey = await buy(130);
    const integration = { ...here.integration, partner: { ...here.integration.partner, apiKey } };
    here.setBoard(0, 250);
    const report = await here.sync({ integration });
    expect(report).toMatchObject({
      status: 'incomplete',
      reason: { code: 'credits_exhausted' },
      networks: [{ added: 130, failed: 0 }],
      credits: { networks: { spent: 130, remaining: 0 } },
    });
    expect(report.reason?.message).toContain('120 more');
    await buy(500);
    const next = await here.sync({ integration });
    expect(next).toMatchObject({ status: 'succeeded', networks: [{ added: 120, kept: 130 }] });
    await expectBoard(here.people, 250);
    const adds = (await here.networkCalls()).filter((call) => call.endsWith('/members/batch'));
    expect(adds).toHaveLength(4);
  });

  it('that another takes from meanwhile leaves no member half paid', async () => {
    const here = await open({ enhanced: 6 });
    here.setBoard(0, 6);
    await here.putFaults([{ on: ON_ADD, times: 1, fault: { kind: 'processFewer', processed: 2 } }]);
    expect(await here.sync()).toMatchObject({
      reason: { code: 'credits_exhausted' },
      networks: [{ added: 2, failed: 0 }],
      credits: { networks: { spent: 2 } },
    });
    expect((await here.sync()).networks[0]).toMatchObject({ added: 4, kept: 2 });
    await expectBoard(here.people.slice(0, 6), 6);
  });

  it('gives no more than may be taken, and says which limit it was', async () => {
    const here = await open({
      enhanced: 10,
      integration: { budget: { networks: { keep: 99_996 } } },
    });
    here.setBoard(0, 10);
    const report = await here.sync();
    expect(report).toMatchObject({ status: 'incomplete', reason: { code: 'budget_reached' } });
    expect(report.reason?.message).toContain('budget.networks.keep');
    expect(await here.networkSpent()).toBe(4);
  });
});

describe('a bulk add', () => {
  it('sets aside a donor that the service does not know', async () => {
    const here = await open({ enhanced: 5 });
    const [ghost = ''] = here.people;
    await here.database.db
      .updateTable('contacts')
      .set({ donor_id: 'f'.repeat(32) })
      .where('crm_id', '=', ghost)
      .execute();
    here.setBoard(0, 5);
    expect((await here.sync()).networks[0]).toMatchObject({ added: 4, failed: 1 });
    expect((await here.networks())['Board']).toHaveLength(4);
    const spent = await here.networkSpent();
    expect((await here.sync()).networks[0]).toMatchObject({ added: 0, failed: 0, kept: 4 });
    expect(await here.networkSpent()).toBe(spent);
  });

  it('that fails in the middle is not paid for again by itself', async () => {
    const here = await open({ enhanced: 8 });
    here.setBoard(0, 8);
    await here.putFaults([{ on: ON_ADD, fault: { kind: 'networkJobFails', afterMembers: 3 } }]);
    expect((await here.sync()).networks[0]).toMatchObject({ added: 3, failed: 5 });
    await here.putFaults([]);
    expect((await here.sync()).networks[0]).toMatchObject({ added: 0, kept: 3 });
    expect(await here.networkSpent()).toBe(8);
    const [row] = await here.store.networks.list('riverside');
    const members = await here.store.networks.listMembers(row?.id ?? '');
    expect(members.filter(({ state }) => state === 'failed')).toHaveLength(5);
  });

  it.each([{ kind: 'jobsVanish' }, { kind: 'resetBefore' }, { kind: 'error' }])(
    'is settled although polling its job goes wrong ($kind)',
    async (fault) => {
      const here = await open({ enhanced: 6 });
      here.setBoard(0, 6);
      await here.putFaults([{ on: ON_JOB, times: 1, fault }]);
      await here.sync();
      await here.sync();
      await expectBoard(here.people.slice(0, 6), 6);
    },
  );

  it('that never ends is given up after a day, and not before', async () => {
    let clockMs = Date.now();
    const here = await open({ enhanced: 3 });
    here.setBoard(0, 3);
    await here.putFaults([{ on: ON_ADD, fault: { kind: 'jobsNeverEnd' } }]);
    const hurry = (deps: SyncDeps): SyncDeps => ({
      ...deps,
      clock: {
        now: () => clockMs,
        monotonicMs: () => clockMs,
        async sleep(ms) {
          clockMs += ms;
          await new Promise((resolve) => setTimeout(resolve, 1));
        },
      },
    });
    await mirrorOnce(here, hurry);
    const [running] = await here.store.networks.listAdds('riverside', 'running');
    expect(running).toMatchObject({ donors: 3 });
    clockMs += 86_400_000;
    await mirrorOnce(here, hurry);
    expect(await here.store.networks.listAdds('riverside', 'running')).toEqual([]);
    const members = await here.store.networks.listMembers(running?.network ?? '');
    expect(members.map(({ detail }) => detail)).toEqual(Array(3).fill('job_too_old'));
    expect(await here.networkSpent()).toBe(3);
  });
});

describe('a bulk add that may not leave', () => {
  it('is not sent while the clock is wrong, and is sent once it is right', async () => {
    let shiftMs = 0;
    let setTo = 365 * 86_400_000;
    const here = await open({
      enhanced: 3,
      clock: { ...systemClock, now: () => Date.now() + shiftMs },
      partner: (client) => ({
        ...client,
        networks: {
          ...client.networks,
          async create(...asked) {
            const created = await client.networks.create(...asked);
            shiftMs = setTo;
            return created;
          },
        },
      }),
    });
    here.setBoard(0, 3);
    const stopped = await here.sync();
    expect(stopped).toMatchObject({ status: 'incomplete', reason: { code: 'clock_wrong' } });
    expect(await here.networkSpent()).toBe(0);
    [shiftMs, setTo] = [0, 0];
    expect((await here.sync()).status).toBe('succeeded');
    await expectBoard(here.people.slice(0, 3), 3);
  });
});

describe('a lost answer to a bulk add', () => {
  it.each([
    { kind: 'resetBefore' },
    { kind: 'gatewayError', status: 502 },
    { kind: 'resetAfter' },
    { kind: 'truncate' },
    { kind: 'contentType' },
    { kind: 'unreadable', as: 'shape' },
    { kind: 'unreadable', as: 'tooLate' },
    { kind: 'lateCharge', delayMs: 100 },
  ])(
    'is settled by asking where the donors are, and no member is paid twice ($kind)',
    async (fault) => {
      const here = await open({ enhanced: 130, service: { donors: 3_000 } });
      here.setBoard(0, 130);
      await here.putFaults([{ on: ON_ADD, times: 1, fault }]);
      const report = await here.sync();
      expect(report).toMatchObject({ status: 'succeeded', networks: [{ added: 130, failed: 0 }] });
      await expectBoard(here.people, 130);
      expect(report.credits.networks.spent).toBe(130);
    },
  );

  it('whose job is still at work is waited for, and no member is added twice', async () => {
    let aheadMs = 0;
    const here = await open({
      enhanced: 6,
      service: { networkJobTimeMs: JOB_MS, clock: () => Date.now() + aheadMs },
    });
    here.setBoard(0, 6);
    await here.putFaults([{ on: ON_ADD, times: 1, fault: { kind: 'resetAfter' } }]);
    await here.sync();
    expect(await here.store.networks.listAdds('riverside', 'unclear')).toHaveLength(1);
    aheadMs = JOB_MS;
    await expect.poll(() => membersOf(here)).toHaveLength(6);
    await here.sync();
    expect(await here.store.networks.listAdds('riverside', 'unclear')).toEqual([]);
    await expectBoard(here.people.slice(0, 6), 6);
  });

  it('of a killed process is settled after the whole quiet time, also by a clock that is ahead', async () => {
    let shiftMs = 0;
    const clock = { ...systemClock, now: () => Date.now() + shiftMs };
    const here = await open({ enhanced: 3, clock, integration: { settleAfterMs: 1_500 } });
    here.setBoard(0, 3);
    await here.putFaults([{ on: ON_ADD, times: 1, fault: { kind: 'lateCharge', delayMs: 700 } }]);
    // Killed with its request under way: nothing is written down of how that ends.
    const kill = (deps: SyncDeps): SyncDeps => ({
      ...deps,
      partner: {
        ...deps.partner,
        networks: {
          ...deps.partner.networks,
          async addMembers(...asked) {
            await deps.partner.networks.addMembers(...asked).catch(() => undefined);
            throw new FatalError('killed', { code: 'killed' });
          },
        },
      },
      store: {
        ...deps.store,
        networks: {
          ...deps.store.networks,
          recordRefused: () => Promise.reject(new Error('killed')),
        },
      },
    });
    await expect(mirrorOnce(here, kill)).rejects.toThrow('killed');
    shiftMs = 120_000;
    await here.sync();
    await here.sync();
    await expectBoard(here.people.slice(0, 3), 3);
  });

  it('of an integration that died is settled by another one with the same key', async () => {
    const here = await open({ enhanced: 6 });
    here.setBoard(0, 6);
    const deps = here.deps();
    const died = await deps.takeLease('lakeside');
    if (!died.acquired) throw new Error('another process has the lease');
    const [donor = ''] = await here.donorsOf(here.people.slice(0, 1));
    await here.store.networks.recordIntent(died.lease, {
      id: 'add-of-the-dead',
      runId: 'run-of-the-dead',
      network: 'n',
      networkId: 'n',
      partnerKey: here.store.fingerprint('partner_key', here.integration.partner.apiKey),
      donorIds: [donor],
      balanceBefore: 100_000,
    });
    await here.store.leases.release(died.lease);
    expect((await here.sync()).networks[0]).toMatchObject({ added: 6 });
    expect(await here.store.networks.listAdds('lakeside', 'unpaid')).toHaveLength(1);
    await expectBoard(here.people.slice(0, 6), 6);
  });
});
