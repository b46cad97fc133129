/**
 * Checks that every paid value is in the CRM, unless a user or a recorded refusal prevents it. The check uses only the
 * service's ledger and the CRM. The check compares the bought profile, the values that the field map creates from the
 * profile, and the content of the CRM's fields.
 */

import type { SimulatedCrm } from '../crm/crm.ts';
import { familyOf, hasErased } from '../crm/family.ts';
import { DONOR_ID, MAPPINGS, MARK } from '../crm/fields.ts';
import { type Cell, isAnyones, type Record_, versionOf } from '../crm/record.ts';
import type { World } from '../night/world.ts';
import { netWorthOf } from '../service/service.ts';
import { RETENTION } from '../settings.ts';
import type { Payment } from './credits/ledger.ts';

/** Checks the paid values after the last quiet runs. At that time, no temporary fault prevents a write. */
export function checkPaid(world: World, crm: SimulatedCrm, record: Record_): void {
  if (record.gone !== null) return;
  const paid = newestProfile(world, crm, record);
  if (paid === null || isKeptOut(world, crm, record)) return;
  for (const { to: field } of MAPPINGS) {
    const cell = record.values.get(field);
    const keeper = isThere(record, field, cell) ? null : userOf(record, field, cell);
    if (isThere(record, field, cell) || keeper !== null) continue;
    const shown = cell?.value ?? 'nothing';
    world.violate(
      'what is paid for arrives',
      `the ${field} of contact ${record.id} is ${shown}, and was paid for at ${new Date(paid.job.paidAt).toISOString()}`,
    );
  }
}

/** Returns the last payment if it brought the profile of the contact's current person. */
function newestProfile(world: World, crm: SimulatedCrm, record: Record_): Payment | null {
  const { oracle, swarm } = world;
  const last = lastOfRows(world, record);
  if (last !== undefined && isTooOld(last, world)) return null;
  // The response may be lost, the job may have been deleted too early, or the profile may belong to a different
  // person.
  if (last === undefined || oracle.answeredBefore(last.record) !== last) return null;
  if (isUnsure(last.job, swarm.settings) && !record.isApproved) return null;
  if (last.job.fate !== 'completed' || last.job.human !== record.human) return null;
  // If several records were merged, the judge cannot tell whose job was used.
  const rows = [record, ...record.formerRows];
  const others = familyOf(crm, record).filter((each) => !rows.includes(each));
  return others.some((each) => oracle.paymentsOf(each).length > 0) ? null : last;
}

/** Returns true if the settings require a user's approval of the job's profile. */
export function isUnsure(
  { probability }: Payment['job'],
  { minProbability }: World['swarm']['settings'],
): boolean {
  return probability !== null && minProbability !== null && probability < minProbability;
}

/**
 * Returns the last payment for the contact. If the contact's ID in a list has changed but its details are unchanged,
 * the last payment can be for the former row.
 */
function lastOfRows({ oracle, swarm }: World, record: Record_): Payment | undefined {
  const own = oracle.paymentsOf(record).at(-1);
  if (own !== undefined || record.formerRows.length === 0) return own;
  const { doubles, merge, revoke } = swarm.people;
  if (doubles + merge + revoke > 0) return undefined;
  const theirs = record.formerRows.flatMap((each) => oracle.paymentsOf(each));
  const last = theirs.toSorted((a, b) => b.job.paidAt - a.job.paidAt).at(0);
  const isSame = [record, ...record.formerRows].every(
    ({ details, history, former }) =>
      former.length === 0 &&
      [details, ...history].every((each) => versionOf(each) === last?.version),
  );
  return isSame ? last : undefined;
}

/**
 * Returns true if the profile is too old to be in the CRM. The product keeps a profile for some time after its refresh
 * is due. If the budget allows no refresh, the product neither keeps the profile nor buys it again.
 */
function isTooOld({ job }: Payment, { swarm, timeline }: World): boolean {
  const keptDays = swarm.settings.refreshDays === null ? 730 : swarm.settings.refreshDays + 60;
  return timeline.now() - job.paidAt > keptDays * DAY_MS;
}

/** Returns true if a user or the settings keep the whole profile out. */
function isKeptOut(world: World, crm: SimulatedCrm, record: Record_): boolean {
  const { store, swarm } = world;
  // After a backup is restored, the product does not know of later deliveries.
  if (swarm.faults.restore > 0) return true;
  // A process with a wrong clock delivers nothing.
  if (swarm.faults.clockJump + swarm.faults.clockSkew > 0) return true;
  // After some time, the profile of a contact that opted out is deleted.
  if (record.firstOptOutAt !== null || record.doNotContactAt !== null) return true;
  if (isPurgedWhileAway(world, record)) return true;
  if (record.isRejected || record.isUndone || record.isSamePerson || hasErased(crm, record)) {
    return true;
  }
  if (isErasedElsewhere(crm, record) && store.rows(TOLD_APART, record.id).length === 0) return true;
  return store.rows(ASKED, record.id).length > 0;
}

/**
 * Returns true if a different record of the person was erased. The product writes nothing into this record until a
 * user distinguishes the two.
 */
function isErasedElsewhere(crm: SimulatedCrm, record: Record_): boolean {
  return [...crm.records.values()].some(
    (other) => other !== record && other.human === record.human && hasErased(crm, other),
  );
}

/**
 * Returns true if the stored profile was deleted while the contact was away. The settings contain the number of days
 * until the deletion. A returned contact counts as away until a run reads it. If no run reads the contact while it is
 * back, it counts as away for the whole time.
 */
export function isPurgedWhileAway({ store, swarm, timeline }: World, record: Record_): boolean {
  const { firstLeftAt, leftAt, id, readBy } = record;
  if (swarm.beside.purge === 0 || firstLeftAt === null || leftAt === null) return false;
  const foundAt = [...readBy.values()].filter((at) => at >= leftAt);
  const awayMs = Math.min(timeline.now(), ...foundAt) - firstLeftAt;
  return awayMs >= RETENTION.removedContacts * DAY_MS && store.rows(KEPT, id).length === 0;
}

const DAY_MS = 86_400_000;

const KEPT = "select crm_id from kept_profiles where crm_id = ? and profile <> ''";

const TOLD_APART =
  "select id from questions where crm_id = ? and kind = 'forgotten_person' and decision = 'approved'";

/**
 * Finds an open question about the contact. The product writes none of the question's values until a user has
 * answered.
 */
const ASKED = 'select id from questions where crm_id = ? and decision is null';

/** Returns true if the field has the value from the field map, or a value that a flow calculated from it. */
function isThere({ human }: Record_, field: string, cell: Cell | undefined): boolean {
  const value = cell?.value ?? null;
  if (value === null) return false;
  const number = human.index + 1;
  if (field === DONOR_ID) return value === human.donorId;
  if (field === 'Age') return Number(value) === 20 + number;
  if (field !== 'Net Worth') return true;
  const [low] = netWorthOf(number);
  return Number(/\d+/.exec(String(value).replace(MARK, ''))?.[0]) * 1_000_000 === low;
}

/** Returns the reason why a user's action prevents this value. */
function userOf({ edited }: Record_, field: string, cell: Cell | undefined): 'a user' | null {
  if (edited.has(field)) return 'a user';
  return cell !== undefined && isAnyones(cell) ? 'a user' : null;
}
