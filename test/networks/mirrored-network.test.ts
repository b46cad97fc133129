import { describe, expect, it } from 'vitest';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import { PartnerValidationError } from '../../src/partner/errors.ts';
import { expectBoard, open, openBoard, theHold } from './board.ts';
import { BOARD } from './network-world.ts';

describe('a network', () => {
  it('is renamed when the setting has another name', async () => {
    const here = await openBoard();
    const networks = [{ ...BOARD, name: 'Directors' }];
    await here.sync({ integration: { ...here.integration, networks } });
    await expectBoard(here, here.people.slice(0, 10), 10, 'Directors');
    expect(Object.keys(await here.networks())).toEqual(['Directors']);
  });

  it('is kept under its name when the group is another one in the CRM', async () => {
    const here = await openBoard();
    const id = await here.networkId('Board');
    here.crm.addGroup('directors', here.people.slice(1, 12));
    const networks = [{ ...BOARD, group: { group: 'directors' } }];
    await here.sync({ integration: { ...here.integration, networks } });
    expect(await here.networkId('Board')).toBe(id);
    await expectBoard(here, here.people.slice(1, 12), 12);
  });

  it('is left alone when its setting is gone', async () => {
    const here = await openBoard();
    const report = await here.sync({ integration: { ...here.integration, networks: [] } });
    expect(report.networks).toEqual([]);
    await expectBoard(here, here.people.slice(0, 10), 10);
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
    await expectBoard(here, here.people.slice(0, 8), 5);
  });

  it('whose new name is taken waits for a person, and the rest goes on', async () => {
    const here = await openBoard();
    await here.byHand('POST', '/networks', { name: 'Directors', color: 'pink' });
    const integration = { ...here.integration, networks: [{ ...BOARD, name: 'Directors' }] };
    here.setBoard(0, 11);
    await here.sync({ integration });
    expect(await theHold(here)).toMatchObject({ kind: 'name_taken', name: 'Board' });
    await expectBoard(here, here.people.slice(0, 11), 11);
    await here.sync();
    expect(await listOpenQuestions(here.store.reader)).toEqual([]);
    await here.byHand('DELETE', `/networks/${await here.networkId('Directors')}`);
    await here.sync({ integration });
    expect(await listOpenQuestions(here.store.reader)).toEqual([]);
    await expectBoard(here, here.people.slice(0, 11), 11, 'Directors');
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
    // The CRM does not let the run read one of the groups. The product nevertheless renames that group's network.
    here.crm.addGroup('staff', here.people.slice(2, 6), 1);
    await here.sync({ integration: { ...here.integration, networks } });
    expect(await here.networks()).toEqual({
      Staff: await here.donorsOf(here.people.slice(0, 2)),
      Board: await here.donorsOf(here.people.slice(2, 6)),
    });
    expect((await listOpenQuestions(here.store.reader)).map(({ kind }) => kind)).toEqual([
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
    expect(await listOpenQuestions(here.store.reader)).toEqual([]);
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
      // The settings are restored before all names have been changed.
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
    const hold = await theHold(here);
    expect(hold).toMatchObject({ kind: 'network_refused' });
    expect(hold.detail).toMatch(/POST \/networks answered 422, name /);
    await here.sync();
    expect(await theHold(here)).toEqual(hold);
    const networks = [{ ...long, name: 'Staff' }, BOARD];
    const integration = { ...here.integration, networks };
    await here.sync({ integration });
    expect(await listOpenQuestions(here.store.reader)).toEqual([]);
    expect((await here.networks())['Staff']).toHaveLength(3);
    // The service also refuses the long name for an existing network. The members of that network do not change.
    here.crm.addGroup('staff', here.people.slice(2, 6));
    const renamed = { ...here.integration, networks: [long, BOARD] };
    expect((await here.sync({ integration: renamed })).networks[0]).toMatchObject({ added: 1 });
    expect(await theHold(here)).toMatchObject({ kind: 'network_refused' });
    await here.sync({ integration });
    expect(await listOpenQuestions(here.store.reader)).toEqual([]);
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
    expect(await theHold(here)).toMatchObject({ kind: 'network_refused', name: 'Board' });
    expect((await here.sync()).networks[0]).toMatchObject({ added: 3 });
    expect(await listOpenQuestions(here.store.reader)).toEqual([]);
    expect(await here.networkSpent()).toBe(6);
  });

  it('that was deleted is held when it gets another name', async () => {
    const here = await openBoard();
    await here.byHand('DELETE', `/networks/${await here.networkId('Board')}`);
    const networks = [{ ...BOARD, name: 'Directors' }];
    await here.sync({ integration: { ...here.integration, networks } });
    expect(await theHold(here)).toMatchObject({ kind: 'network_deleted', detail: '10' });
  });

  it('that was deleted is made again only when a person approves it', async () => {
    const here = await openBoard();
    await here.byHand('DELETE', `/networks/${await here.networkId('Board')}`);
    here.setBoard(1, 11);
    await here.sync();
    const hold = await theHold(here);
    expect(hold).toMatchObject({ kind: 'network_deleted', detail: '10' });
    const calls = await here.networkCalls();
    await here.sync();
    expect(await here.networkCalls()).toEqual(calls);
    expect(await here.networks()).toEqual({});
    expect(await recordDecision(here.store, hold, 'approved')).toBe(true);
    await here.sync();
    await expectBoard(here, here.people.slice(1, 11), 20);
    expect(await listOpenQuestions(here.store.reader)).toEqual([]);
  });

  it('that was deleted stays away when a person rejects it', async () => {
    const here = await openBoard();
    await here.byHand('DELETE', `/networks/${await here.networkId('Board')}`);
    here.setBoard(1, 11);
    await here.sync();
    await recordDecision(here.store, await theHold(here), 'rejected');
    await here.sync();
    expect(await listOpenQuestions(here.store.reader)).toEqual([]);
    expect(await here.networks()).toEqual({});
    expect(await here.networkSpent()).toBe(10);
  });
});
