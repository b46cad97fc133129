/**
 * Checks that every paid value is in the CRM, unless a user or a recorded refusal keeps it out. Judges by the service's
 * ledger and the CRM: the profile that was bought for a contact, the values that the field map makes of it, and the
 * content of the fields.
 */

import type { SimulatedCrm } from '../crm/crm.ts';
import { familyOf, hasErased } from '../crm/family.ts';
import { DONOR_ID, MAPPINGS, MARK } from '../crm/fields.ts';
import { type Cell, isAnyones, type Record_, versionOf } from '../crm/record.ts';
import type { World } from '../night/world.ts';
import { netWorthOf } from '../service/service.ts';
import { RETENTION } from '../settings.ts';
import type { Payment } from './credits/ledger.ts';

/** Called after the last quiet runs, when nothing temporary keeps values out any more. */
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
  const { oracle } = world;
  const last = lastOfRows(world, record);
  if (last !== undefined && isTooOld(last, world)) return null;
  // The response may be lost, the job may have been deleted too early, or the profile may belong to another person.
  if (last === undefined || oracle.answeredBefore(last.record) !== last) return null;
  if (last.job.fate !== 'completed' || last.job.human !== record.human) return null;
  // If several records were merged, it is uncertain whose job was used.
  const rows = [record, ...record.formerRows];
  const others = familyOf(crm, record).filter((each) => !rows.includes(each));
  return others.some((each) => oracle.paymentsOf(each).length > 0) ? null : last;
}

/**
 * Returns the last payment for the contact. If its ID in a list has changed, this can be the payment for its former
 * row, as long as its details have stayed the same.
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
 * Returns true if the profile is too old. It is kept for some time after its refresh is due, but the budget may not
 * allow a refresh. Then it is neither kept nor bought again.
 */
function isTooOld({ job }: Payment, { swarm, timeline }: World): boolean {
  const keptDays = swarm.settings.refreshDays === null ? 730 : swarm.settings.refreshDays + 60;
  return timeline.now() - job.paidAt > keptDays * DAY_MS;
}

/** Returns true if a user or the settings keep the whole profile out. */
function isKeptOut(world: World, crm: SimulatedCrm, record: Record_): boolean {
  const { store, swarm } = world;
  // After restoring a backup, a later delivery is unknown.
  if (swarm.faults.restore > 0) return true;
  // A process with a wrong clock delivers nothing.
  if (swarm.faults.clockJump + swarm.faults.clockSkew > 0) return true;
  // After some time, the profile of a contact that opted out is deleted.
  if (record.firstOptOutAt !== null) return true;
  if (isPurgedWhileAway(world, record)) return true;
  if (record.isRejected || record.isUndone || record.isSamePerson || hasErased(crm, record)) {
    return true;
  }
  if (isErasedElsewhere(crm, record) && store.rows(TOLD_APART, record.id).length === 0) return true;
  return store.rows(ASKED, record.id).length > 0;
}

/**
 * Returns true if the person was erased as another record. Nothing is written into this record until a user
 * distinguishes the two.
 */
function isErasedElsewhere(crm: SimulatedCrm, record: Record_): boolean {
  return [...crm.records.values()].some(
    (other) => other !== record && other.human === record.human && hasErased(crm, other),
  );
}

/**
 * Returns true if the stored profile was deleted while the contact was away. The settings say after how many days this
 * happens. A contact that has returned counts as away until a run reads it. If every run happens to find it away, it
 * counts as away for the whole time, even if it was back in between.
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

/** Finds an open question about the contact, which keeps the values out and names them. */
const ASKED = 'select id from questions where crm_id = ? and decision is null';

/** Returns true if the field has the value from the field map, or a flow's change of it. */
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

/** Returns whether a user keeps this value out. */
function userOf({ edited }: Record_, field: string, cell: Cell | undefined): 'a user' | null {
  if (edited.has(field)) return 'a user';
  return cell !== undefined && isAnyones(cell) ? 'a user' : null;
}
