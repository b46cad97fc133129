/**
 * Finds out the result of a bulk add without a response. After a waiting time, donor-sync queries the service for the
 * donors' networks, and reads the balance to find the cost. Until then, no other bulk add with the key is sent.
 */
import { findLosses } from '../credits/lost-responses.ts';
import type { Proof } from '../credits/spend.ts';
import type { Lease } from '../database/leases.ts';
import { findMemberships, type MembershipState, membershipStatesIn } from './find-memberships.ts';
import type { NetworkDeps, NetworkRun } from './network-deps.ts';
import {
  type AddRecord,
  findUnansweredAdd,
  listAddedDonors,
  type MemberEnd,
  recordAddEnds,
} from './statements/network-adds.ts';

/** Finds out the result of lost responses to bulk adds, from the donors' networks and the decrease of the balance. */
export function addProof(deps: NetworkDeps, run: NetworkRun): Proof<AddRecord> {
  return {
    async listOpen() {
      const { partnerKey, integration } = run;
      const open = await findUnansweredAdd(deps.store.reader, partnerKey, integration.id);
      return open ? [open] : [];
    },
    letsOthersPass: () => false,
    async prove([lost]) {
      if (lost) await proveAdd(deps, run, lost.open, lost.lease);
    },
  };
}

/** Proves the result of a bulk add. Changes nothing if the run stops during the proof. */
async function proveAdd(
  deps: NetworkDeps,
  run: NetworkRun,
  open: AddRecord,
  lease: Lease,
): Promise<void> {
  const { store, log } = deps;
  const facts = { run: run.id, add: open.id };
  log.info(
    facts,
    'the response to a bulk add was lost; donor-sync settles it by checking which networks its donors are in',
  );
  const lost = {
    bucket: 'networks',
    before: open.balanceBefore,
    requests: [{ id: open.id, items: open.donors }],
  } as const;
  const found = await findLosses(deps, run, lost, [lease]);
  if (found === 'stopped') return;
  const [loss] = found.losses;
  if (loss === undefined) return;
  const { adding } = await listAddedDonors(store.reader, open.id);
  const places = membershipStatesIn(await findMemberships(deps, run, adding), open.networkId);
  const { charged } = loss;
  const ends = judgeLostAdd(charged, places);
  const over = charged === 0 ? 'unpaid' : 'done';
  const end = { state: ends.size === places.size ? over : 'unclear', charged } as const;
  await store.checkpoint(lease, (trx) => recordAddEnds(trx, run.id, open, ends, end));
  log.warn({ ...facts, charged: end.charged, state: end.state }, 'a lost bulk add is settled');
}

/**
 * Returns the results for the donors of a lost bulk add that cost `charged` credits. Donors in the network are paid
 * for. If nothing was charged, or if the members account for every missing credit, the other donors may be added again.
 * If some credits remain unexplained, the job may still be running, and the other donors have no result yet. A pure
 * function.
 */
export function judgeLostAdd(
  charged: number,
  places: ReadonlyMap<string, MembershipState>,
): Map<string, MemberEnd> {
  const ends = new Map<string, MemberEnd>();
  const members = [...places.values()].filter((place) => place === 'member').length;
  for (const [donorId, place] of places) {
    if (place === 'member') ends.set(donorId, { kind: 'added' });
    else if (place === 'unknown') ends.set(donorId, { kind: 'not_found' });
    else if (members >= charged) ends.set(donorId, { kind: 'unpaid' });
  }
  return ends;
}
