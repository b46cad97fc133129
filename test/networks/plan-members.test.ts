import { describe, expect, it } from 'vitest';
import type { MemberState } from '../../src/database/tables/networks.ts';
import { planMembers } from '../../src/networks/membership.ts';
import type { MemberRecord } from '../../src/networks/statements/network-members.ts';

function member(donorId: string, state: MemberState = 'member'): MemberRecord {
  return { network: 'n', donorId: donorId, state, addId: null, detail: null, since: 0 };
}

function members(count: number): MemberRecord[] {
  return Array.from({ length: count }, (_, index) => member(`d${index}`));
}

describe('planMembers', () => {
  it('tells joiners, leavers and those who are only remembered', () => {
    const plan = planMembers({
      wanted: ['d0', 'failed', 'new'],
      members: [member('d0'), member('d1'), member('failed', 'failed'), member('x', 'not_found')],
    });
    expect(plan).toMatchObject({ joiners: ['new'], leavers: ['d1'], outdated: ['x'], members: 2 });
  });

  it('leaves alone who is on the way in', () => {
    const plan = planMembers({ wanted: ['d0'], members: [member('d0', 'adding')] });
    expect(plan).toMatchObject({ joiners: [], leavers: [] });
    expect(planMembers({ wanted: [], members: [member('d0', 'adding')] }).leavers).toEqual([]);
  });

  it('removes again whose removal may have failed, and doubts who is wanted again', () => {
    const leaving = [member('d0', 'leaving')];
    expect(planMembers({ wanted: [], members: leaving })).toMatchObject({
      leavers: [],
      leaving: ['d0'],
    });
    expect(planMembers({ wanted: ['d0'], members: leaving })).toMatchObject({
      joiners: [],
      leaving: [],
      returned: ['d0'],
    });
  });

  it.each([
    { present: 8, stay: 4, isImplausible: false },
    { present: 10, stay: 5, isImplausible: false },
    { present: 10, stay: 4, isImplausible: true },
    { present: 5, stay: 0, isImplausible: true },
    { present: 4, stay: 0, isImplausible: false },
  ])('doubts more than half, and at least five ($stay of $present stay)', (sizes) => {
    const before = members(sizes.present);
    const wanted = before.slice(0, sizes.stay).map((row) => row.donorId);
    expect(planMembers({ wanted, members: before }).isImplausible).toBe(sizes.isImplausible);
  });
});
