import { describe, expect, it } from 'vitest';
import { type DecisionStore, decideHold } from '../../../src/decisions/decide-holds.ts';
import type { HoldRecord } from '../../../src/decisions/statements/holds.ts';
import type { NetworkHoldRecord } from '../../../src/decisions/statements/network-holds.ts';
import {
  type AnyHold,
  contactHolds,
  decisionsFor,
  findHold,
  type HoldStore,
  listOpenHolds,
  reasonText,
} from '../../../src/decisions/views/hold.ts';
import { aContactHold, aNetworkHold } from '../../helpers/hold-rows.ts';

/** A store with these holds, and what was decided about them. */
function aStore(contacts: HoldRecord[], networks: NetworkHoldRecord[]) {
  const decided: string[] = [];
  const queries = <Row extends { id: string }>(rows: Row[]) => ({
    listOpen: () => Promise.resolve(rows),
    find: (id: string) => Promise.resolve(rows.find((row) => row.id === id)),
    decide: ({ id }: Row, decision: string) => {
      decided.push(`${id} ${decision}`);
      return Promise.resolve(true);
    },
  });
  const store: HoldStore & DecisionStore = {
    holds: queries(contacts),
    networkHolds: queries(networks),
  };
  return { store, decided };
}

function contact(changes?: Partial<HoldRecord>): AnyHold {
  return { about: 'contact', row: aContactHold(changes) };
}

function network(kind: NetworkHoldRecord['kind']): AnyHold {
  return { about: 'network', row: aNetworkHold({ kind }) };
}

describe('holds', () => {
  it('are of contacts and of networks, in one list, the oldest first', async () => {
    const { store } = aStore([aContactHold()], [aNetworkHold()]);
    expect((await listOpenHolds(store)).map(({ row }) => row.id)).toEqual(['n', 'c']);
    expect((await findHold(store, 'n'))?.about).toBe('network');
    expect((await findHold(store, 'c'))?.about).toBe('contact');
    expect(await findHold(store, 'x')).toBeNull();
  });

  it('take the decisions that make sense for them', () => {
    expect(decisionsFor(contact())).toEqual(['approve', 'reject', 'resubmit']);
    const deceased = contact({ kind: 'profile_deceased', detail: null });
    expect(decisionsFor(deceased)).toEqual(['approve', 'reject', 'resubmit']);
    expect(decisionsFor(contact({ kind: 'lost_answer' }))).toEqual(['reject', 'resubmit']);
    expect(decisionsFor(network('group_shrunk'))).toEqual(['approve', 'reject']);
    expect(decisionsFor(network('network_deleted'))).toEqual(['approve', 'reject']);
    expect(decisionsFor(network('group_unreadable'))).toEqual(['reject']);
    expect(decisionsFor(network('name_taken'))).toEqual(['reject']);
  });

  it('of changed details are approved, which submits them again, or rejected', () => {
    const kind = 'identity_mass_change';
    expect(decisionsFor(contact({ kind, detail: 'addresses' }))).toEqual(['approve', 'reject']);
    const reasonOf = (detail: string | null, batchCount?: number) =>
      reasonText({
        about: 'contact',
        row: aContactHold({ kind, detail, batch: 'b' }),
        ...(batchCount === undefined ? {} : { batchCount }),
      });
    expect(reasonOf('addresses', 1_413)).toBe('its address changed, with those of 1,412 others');
    expect(reasonOf('addresses,employers', 2)).toBe(
      'its address and employer changed, with that of 1 other',
    );
    expect(reasonOf('name')).toBe('its name changed, with those of many others');
    expect(reasonOf('unknown', 1)).toBe(
      'its name, address or employer changed, with those of many others',
    );
  });

  it('know how many of their batch are open', () => {
    const rows = [
      aContactHold({ id: '1', batch: 'b' }),
      aContactHold({ id: '2', batch: 'b' }),
      aContactHold({ id: '3' }),
    ];
    expect(contactHolds(rows).map((hold) => 'batchCount' in hold && hold.batchCount)).toEqual([
      ...[2, 2, false],
    ]);
  });

  it('are decided where they are kept', async () => {
    const { store, decided } = aStore([aContactHold()], [aNetworkHold()]);
    await decideHold(store, contact(), 'resubmit');
    await decideHold(store, network('group_shrunk'), 'approve');
    await decideHold(store, network('group_shrunk'), 'reject');
    expect(decided).toEqual(['c resubmitted', 'n approved', 'n rejected']);
  });

  it('say why, also for an unknown word of the guard', () => {
    expect(reasonText(contact())).toBe('the profile has another last name');
    expect(reasonText(contact({ detail: 'made_up' }))).toBe(
      'the name in the profile is not that of the contact',
    );
    expect(reasonText(contact({ kind: 'profile_deceased', detail: null }))).toBe(
      'the profile says that this person has died',
    );
    expect(reasonText(network('group_shrunk'))).toContain('12 members would leave');
  });
});
