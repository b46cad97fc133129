/** The final checks after the quiet period. At that time, all faults have ended and no work is in progress. */

import type { SimulatedCrm } from '../crm/crm.ts';
import { familyOf, humansIn } from '../crm/family.ts';
import { DONOR_ID } from '../crm/fields.ts';
import { isAnyones, type Record_, versionOf } from '../crm/record.ts';
import type { World } from '../night/world.ts';
import { RETENTION } from '../settings.ts';
import type { Payment } from './credits/ledger.ts';
import { SHARED_FOR_MS, SLACK_MS } from './credits/times.ts';
import { checkOnePerson } from './one-person.ts';
import { checkPaid, isPurgedWhileAway, isUnsure } from './paid-is-there.ts';
import { isAskedAbout, waitsForHeir } from './rows-gone.ts';

export function checkNight(world: World): void {
  checkStore(world);
  for (const [name, crm] of world.crms) {
    for (const record of crm.records.values()) {
      if (record.forgottenAt !== null) continue;
      checkContact(world, name, crm, record);
      checkOnePerson(world, record);
      checkPaid(world, crm, record);
    }
    checkForgotten(world, crm);
  }
  checkNothingInClear(world);
  checkNetworks(world);
  checkPurged(world);
}

interface ContactRow {
  crm_id: string;
  state: string;
  outcome_reason: string;
  due_reason: string | null;
  donor_id: string | null;
}

/** Checks that no work waits forever. */
function checkStore({ store, violate }: World): void {
  for (const { crm_id, kind } of store.rows(ASKED_IN_VAIN)) {
    violate('a reason to ask', `a person is asked about ${crm_id} (${kind}), which is not held`);
  }
  const stuck: readonly [string, string][] = [
    ['submissions', "select id from submissions where state in ('intended', 'lost')"],
    ['jobs', OPEN_JOBS],
    ['bulk adds', "select id from network_adds where state in ('intended', 'lost', 'running')"],
    ['leases', 'select id from integrations where lease_owner is not null'],
    ['runs', "select id from runs where status = 'running'"],
    // A user whose request was merged into an earlier request can still look for this request.
    ['requests', 'select run_id from run_requests where merged_into is null'],
  ];
  for (const [what, sql] of stuck) {
    const { length } = store.rows(sql);
    if (length > 0) violate('no stuck state', `${length} ${what} are open after a quiet night`);
  }
}

const ASKED_IN_VAIN = `
  select questions.crm_id, kind from questions left join contacts using (integration_id, crm_id)
  where decision is null and network is null and kind <> 'contacts_missing'
    and coalesce(contacts.state, '') <> 'held'`;

/**
 * A contact can have a waiting job when it returns to the list, or when it is no longer missing, opted out or held.
 */
const OPEN_JOBS = `
  select tracking_id from jobs join contacts using (integration_id, crm_id, tracking_id)
  where jobs.state in ('intended', 'processing', 'completed')
    and contacts.state not in ('removed', 'held') and contacts.eligible = 1
    and contacts.missing_since is null`;

function checkContact(world: World, integration: string, crm: SimulatedCrm, record: Record_): void {
  const { oracle, store, violate, swarm } = world;
  const [row] = store.rows(
    'select crm_id, state, outcome_reason, due_reason, donor_id from contacts where integration_id = ? and crm_id = ?',
    integration,
    record.id,
  );
  const { id } = record;
  if (row === undefined) {
    const isMissing = record.gone === null && !record.isConfirmedErased;
    // After a backup is restored, a started erasure is repeated, even if a user has since distinguished the contact
    // from the erased person.
    const isErasedAgain = swarm.faults.restore > 0 && record.wasCalledErased;
    if (isMissing && !isErasedAgain) violate('an outcome', `contact ${id} is not known`);
    return;
  }
  const { state, outcome_reason: reason } = contactRow(row);
  world.look('an outcome', `reason: ${reason}`);
  if (record.gone !== null) {
    const waits =
      isAskedAbout(world, integration, id) ||
      (reason === 'contacts_missing' && waitsForHeir(world, integration, crm, record));
    if (state !== 'removed' && state !== 'held' && !waits) {
      violate('an outcome', `contact ${id} has left the CRM and is ${state} (${reason})`);
    }
    return;
  }
  // If a row has always been in its list, the row has not left the list, even if the row now belongs to a different
  // person.
  const isListed = swarm.isList && record.leftAt === null && !oracle.isUnknown(record.bornAt);
  if (state === 'removed' && record.isConfirmedErased && isListed) {
    violate('an outcome', `contact ${id} is an erased person in the list, and counts as gone`);
  }
  // If a user has confirmed a contact as an erased person, the product no longer reads the contact, even if it is
  // restored.
  if (state === 'removed' && record.isConfirmedErased) return;
  // In a restored database, the row has its earlier state. The row is blocked again, and waits for `forget`.
  const { confirmedErasedAt } = record;
  const isConfirmed = confirmedErasedAt !== null && !oracle.isUnknown(confirmedErasedAt);
  if (isConfirmed && reason !== 'forgotten') {
    violate('forgotten', `contact ${id} was confirmed as erased, and is ${state} (${reason})`);
  }
  if (state === 'removed') violate('an outcome', `contact ${id} is in the CRM and counts as gone`);
  if (state === 'due') {
    const { perRun, perMonth, keep } = swarm.settings;
    const isLimited = perRun !== null || perMonth !== null || keep > 0;
    const isTrial = reason === 'match_rate_low' && swarm.settings.trial;
    if (!isTrial && !(isLimited && ['budget_reached', 'submission_pending'].includes(reason))) {
      violate('no stuck state', `contact ${id} still waits for a credit (${reason})`);
    }
    return;
  }
  if (state === 'held') checkHold(world, integration, crm, record, reason);
  if (state === 'submitted' || state === 'ready') {
    violate('no stuck state', `contact ${id} is ${state} after a quiet night (${reason})`);
  }
  if (state === 'settled') checkProfile(world, crm, record, reason);
}

function contactRow(row: Record<string, unknown>): ContactRow {
  const text = (name: string) => String(row[name] ?? '');
  return {
    crm_id: text('crm_id'),
    state: text('state'),
    outcome_reason: text('outcome_reason'),
    due_reason: text('due_reason'),
    donor_id: text('donor_id'),
  };
}

/** Checks that users are asked only questions for which there is a reason. */
function checkHold(
  world: World,
  integration: string,
  crm: SimulatedCrm,
  record: Record_,
  reason: string,
): void {
  const { oracle, store, swarm, violate, crms } = world;
  const { id } = record;
  const { service, settings } = swarm;
  world.look('a reason to ask', `reason: ${reason}`);
  if (store.rows(OPEN_QUESTION, id).length === 0) {
    violate('no stuck state', `contact ${id} is held (${reason}), and no person is asked about it`);
  }
  // If a contact is renamed while its job runs, it gets the profile for the former name.
  const wasRenamed = familyOf(crm, record).some(({ former }) => former.length > 0);
  if (reason === 'name_mismatch' && service.wrongPerson === 0 && !wasRenamed) {
    violate('a reason to ask', `contact ${id} is held for its name, and no profile was wrong`);
  }
  if (reason === 'profile_deceased' && service.deceased === 0) {
    violate('a reason to ask', `contact ${id} is held as dead, and no profile was so`);
  }
  if (reason === 'match_unsure' && service.unsure === 0) {
    violate('a reason to ask', `contact ${id} is held for its match, and the service was sure`);
  }
  if (reason === 'paid_since_backup') checkFormerKey(world, integration, crm, record);
  if (reason === 'lost_answer') {
    // The product never reads the balance of a replaced key.
    const isKeyThere = swarm.between.newKey === 0;
    const isProvable =
      isKeyThere &&
      service.otherSpender + service.buyer + service.partly + swarm.faults.restore === 0 &&
      service.credits > 1_000;
    const humans = humansIn(crm, record);
    const own = [...crms.values()].flatMap((each) => [...each.records.values()]);
    const family = own.filter(
      (each) => humans.has(each.human) || each.former.some(({ human }) => humans.has(human)),
    );
    const wasPaid = family.some((each) => oracle.paymentsOf(each).length > 0);
    // If two records belong to the same person, the judge cannot tell which record was submitted.
    if (isProvable && family.length === 1 && isAnswerDropped(world, record)) {
      violate('a reason to ask', `contact ${id} is held for an answer that has come`);
    }
    const isAlone = !wasLostWithPaid(store, id);
    if (settings.onLostAnswer === 'hold' && isProvable && isAlone && !wasPaid) {
      violate('a reason to ask', `contact ${id} is held for a lost credit that was never taken`);
    }
  }
}

/**
 * Checks the questions about replaced keys. The product may ask a user only if the current key cannot show what was
 * paid for.
 */
function checkFormerKey(
  { integrations, oracle, service, store, timeline, violate, swarm }: World,
  integration: string,
  crm: SimulatedCrm,
  record: Record_,
): void {
  if (store.rows(ASKED_FOR_KEY, integration, record.id).length === 0) return;
  const key = integrations.find(({ id }) => id === integration)?.partner.apiKey ?? '';
  const last = familyOf(crm, record)
    .flatMap((each) => oracle.paymentsOf(each).at(-1) ?? [])
    .toSorted((a, b) => b.job.paidAt - a.job.paidAt)
    .at(0);
  // If the profile is already lost, the product asks no question about it. In a restored database, the job may be a
  // different job.
  if (last === undefined || swarm.faults.restore > 0) return;
  const { team, paidAt, fate } = last.job;
  const isThere = fate === 'completed' && timeline.now() - paidAt < SHARED_FOR_MS - SLACK_MS;
  if (isThere && team === service.teamOf(key)) {
    const what = `contact ${record.id} is held for a replaced key, and the present key sees its job`;
    violate('a reason to ask', what);
  }
}

const ASKED_FOR_KEY = `
  select id from questions where integration_id = ? and crm_id = ? and detail = 'former_key'
    and decision is null`;

const OPEN_QUESTION = 'select id from questions where crm_id = ? and decision is null';

/**
 * Returns true if the submission was lost together with a charged submission of the same or a larger size. In this
 * case, the judge cannot prove that the submission was free.
 */
function wasLostWithPaid(store: World['store'], contact: string): boolean {
  return store.rows(LOST_TOGETHER, contact).length > 0;
}

const LOST_TOGETHER = `
  select paid.id from jobs join submissions lost on lost.id = jobs.submission_id
    join submissions paid on paid.partner_key = lost.partner_key and paid.closed_at = lost.closed_at
  where jobs.crm_id = ? and lost.state = 'charged' and paid.state = 'charged'
    and paid.id <> lost.id`;

/**
 * Returns true if the response arrived but was lost. If the database is unavailable for a few seconds, the product
 * waits. A response that arrives in that time is not lost.
 */
function isAnswerDropped({ swarm, store, oracle, wasHurt }: World, record: Record_): boolean {
  const { freeze, clockJump, diskFull, restore } = swarm.faults;
  if (freeze + clockJump + diskFull + restore > 0 || store.longestAwayMs > 20_000) return false;
  // If two records belong to the same person, the judge cannot tell which record's response arrived.
  if (swarm.people.doubles > 0) return false;
  const last = oracle.paymentsOf(record).at(-1);
  if (last?.isAnswered !== true || wasHurt(last.job.sender)) return false;
  // The response may be older, and the question may be about a later submission with different details.
  const { tracking_id } = last.job.person;
  return store.rows(ASKED_ABOUT, record.id, tracking_id).length > 0;
}

const ASKED_ABOUT =
  "select id from questions where crm_id = ? and tracking_id = ? and kind = 'lost_answer'";

/**
 * A field refused the donor ID, and a backup has since been restored. The backup does not contain the stored profile.
 */
function isLostWithBackup({ swarm }: World): boolean {
  const { lock, narrow, rule } = swarm.people;
  return swarm.faults.restore > 0 && lock + narrow + rule > 0;
}

/** Checks that the CRM has the right profile or a value that a user typed. */
function checkProfile(world: World, crm: SimulatedCrm, record: Record_, reason: string): void {
  const { oracle, violate } = world;
  const last = oracle.paymentsOf(record).at(-1);
  const cell = record.values.get(DONOR_ID);
  world.look('right profile', `reason: ${reason}`);
  if (
    cell?.author === 'product' &&
    cell.value !== null &&
    cell.value !== record.human.donorId &&
    !record.isApproved &&
    !mayHoldFormer(world, crm, record, reason)
  ) {
    violate('right profile', `contact ${record.id} shows the donor id of another person`);
  }
  judgeUnsure(world, record);
  judgeMarked(world, record, reason);
  judgeChange(world, record, last);
  judgeOwned(world, crm, record);
  const isWritten = ['fields_written', 'values_equal', 'profile_fresh'].includes(reason);
  if (last?.job.fate !== 'completed' || !isWritten || record.optedOutAt !== null) return;
  // The profile was bought for the contact's former person and was not written in time. Only a contact with the former
  // name can get the profile.
  if (last.job.human !== record.human && !record.isSamePerson) return;
  // The product does not write a value again after a user has undone it, and the store records the undo.
  const isOut = record.isUndone || isPurgedWhileAway(world, record) || isLostWithBackup(world);
  if (cell === undefined && !isOut && !isInheritedTooLate(world, record, last)) {
    violate(
      'right profile',
      `contact ${record.id} is ${reason}, was paid for, and shows no profile`,
    );
  }
}

/** Returns true if nothing has to replace the values of the record's former person. */
function mayHoldFormer(
  { swarm }: World,
  crm: SimulatedCrm,
  record: Record_,
  reason: string,
): boolean {
  // A merge may have filled in values of a person to whom the other record once belonged.
  if (familyOf(crm, record).every(({ former }) => former.length === 0)) return false;
  const { settings, faults } = swarm;
  if (!settings.whenIdentityChanges || faults.restore > 0) return true;
  // A user has restored the previous values.
  if (record.isUndone) return true;
  if (record.isSamePerson || record.optedOutAt !== null || record.rejectedChanges.size > 0)
    return true;
  // A user has rejected the profile as someone else's, has decided not to pay again, or has confirmed the contact as an
  // erased person. After any of these decisions, the product no longer reads or writes the contact, even if the contact
  // becomes a different person.
  const kept = ['rejected_by_person', 'identity_change_rejected', 'opted_out', 'forgotten'];
  // The product must not ask the service about a contact that wants no contact, so it cannot know the new person.
  if (reason === 'do_not_contact' && record.doNotContactAt !== null) return true;
  // A new store adopts the ID in the record, even if the record belongs to a different person.
  return [...kept, 'profile_adopted'].includes(reason);
}

/**
 * The contact's own profile never arrived while the service kept it, or its response was lost. The profile of a
 * contact that has been merged into it has also been deleted. The merge makes the contact count as paid for, so it
 * gets a profile at its next refresh.
 */
function isInheritedTooLate(
  { crms, oracle, timeline }: World,
  record: Record_,
  { isAnswered, job }: Payment,
): boolean {
  const now = timeline.now();
  // This includes indirect merges.
  const takenIn = [...crms.values()].flatMap((crm) =>
    [...crm.records.values()].filter((each) => each.gone && crm.heirOf(each.id) === record),
  );
  const theirs = takenIn.flatMap((each) => oracle.paymentsOf(each).at(-1) ?? []);
  const isOutOfReach = !isAnswered || job.goneAt <= now;
  return isOutOfReach && theirs.some((payment) => payment.job.goneAt <= now);
}

/** Checks that no user was passed over if the service was not confident in any match of the person. */
function judgeUnsure({ oracle, swarm, violate, look, reached }: World, record: Record_): void {
  if (swarm.settings.minProbability === null || record.isApproved) return;
  const cell = record.values.get(DONOR_ID);
  // A profile can be delivered before its job is deleted.
  const own = oracle.payments.filter(
    ({ job }) => job.human === record.human && !['failed', 'wrong person'].includes(job.fate),
  );
  look('right profile', 'setting: match.minProbability');
  if (own.some(({ job }) => isUnsure(job, swarm.settings))) {
    reached.add('event: a match is uncertain');
    look('right profile', 'event: a match is uncertain');
  }
  const isShown = cell?.author === 'product' && cell.value === record.human.donorId;
  if (isShown && own.length > 0 && own.every(({ job }) => isUnsure(job, swarm.settings))) {
    violate('right profile', `contact ${record.id} shows a profile whose match is uncertain`);
  }
}

/** Checks that a contact's outcome names its mark, and that an outcome without a mark names none. */
function judgeMarked({ swarm, violate, look }: World, record: Record_, reason: string): void {
  if (swarm.people.doNotContact === 0 || record.optedOutAt !== null) return;
  const isMarked = record.doNotContactAt !== null;
  if (isMarked) look('an outcome', 'event: a contact wants no contact');
  if (isMarked !== (reason === 'do_not_contact')) {
    const mark = isMarked ? 'wants no contact' : 'may be contacted';
    violate('an outcome', `contact ${record.id} ${mark}, and its outcome is ${reason}`);
  }
}

/** Checks that every settled contact was paid for with its current details. */
function judgeChange(
  { crms, oracle, service, swarm, violate }: World,
  record: Record_,
  last: Payment | undefined,
): void {
  const { people, settings, faults } = swarm;
  if (last === undefined || record.optedOutAt !== null || last.record !== record) return;
  if (record.doNotContactAt !== null) return;
  if (!settings.whenIdentityChanges || people.revoke > 0 || faults.restore > 0) return;
  // No credit is spent on people whom the service refuses.
  if (service.refuses(record.human)) return;
  // If two records belong to the same person, the judge cannot tell which record was submitted.
  if (people.doubles > 0) return;
  const all = [...crms.values()].flatMap((crm) => [...crm.records.values()]);
  // If a contact is merged into this contact, the details also change, but the product does not treat this as a
  // change.
  if (all.some(({ gone }) => gone?.mergedInto === record.id)) return;
  // The contact's details are the same again as before the request whose response was lost. The contact therefore
  // already has the profile for its details.
  if (oracle.answeredBefore(record)?.version === versionOf(record.details)) return;
  if (record.rejectedLoss === versionOf(record.details)) return;
  // If profiles are shared, the product can also share the profile that the contact itself was paid for earlier.
  const paid = new Set(oracle.paymentsOf(record).map(({ version }) => version));
  if (settings.shareProfiles && paid.has(versionOf(record.details))) return;
  if (record.rejectedChanges.has(versionOf(record.details))) return;
  if (last.version !== versionOf(record.details)) {
    violate('other details', `contact ${record.id} has changed since it was paid for`);
  }
}

/** Checks that the product recognises its own values, so that it can correct, undo or erase them. */
function judgeOwned({ store, swarm, violate }: World, crm: SimulatedCrm, record: Record_): void {
  if (swarm.faults.restore > 0) return;
  // If the details also changed, or if the former row was erased, the product cannot tell that the values came from
  // that row.
  if (record.formerRows.length > 0 && !isPlainlyContinued(record)) return;
  // The product can mistake a different record's former row with the same details for this record's former row. An
  // erasure then erases both rows.
  if (record.formerRows.length > 0 && hasErasedTwin(crm, record)) return;
  // Values from a merged record are stored under that record's ID until the product sorts them.
  const rows = familyOf(crm, record).flatMap(({ id }) => [
    ...store.rows('select owned_values as own from contacts where crm_id = ?', id),
    ...store.rows('select after as own from writes where crm_id = ?', id),
  ]);
  const known = new Set(rows.flatMap(({ own }) => Object.keys(JSON.parse(String(own ?? '{}')))));
  for (const [field, cell] of record.values) {
    const { author, value } = cell;
    if (author === 'product' && value !== null && !isAnyones(cell) && !known.has(field)) {
      violate('what is ours', `the ${field} of contact ${record.id} is not known as written by us`);
    }
  }
}

/** Returns true if the erasure of a different record of the same person has started. */
function hasErasedTwin({ records }: SimulatedCrm, { human }: Record_): boolean {
  return [...records.values()].some((each) => each.human === human && each.erasureBegunAt !== null);
}

/**
 * Returns true if the row of a list has had the same details since an earlier row of the person, and if neither row
 * was erased.
 */
function isPlainlyContinued(record: Record_): boolean {
  const version = versionOf(record.details);
  return [record, ...record.formerRows].every(
    ({ details, history, erasureBegunAt }) =>
      erasureBegunAt === null && [details, ...history].every((each) => versionOf(each) === version),
  );
}

/** Checks that no table and no network contains an erased contact or any form of its ID. */
function checkForgotten(world: World, crm: SimulatedCrm): void {
  const { store, oracle, service, swarm, violate } = world;
  const forgotten = [...crm.records.values()].filter(({ forgottenAt }) => forgottenAt !== null);
  if (forgotten.length === 0) return;
  world.look('forgotten', 'event: an erasure');
  world.reached.add('event: an erasure');
  const tables = store.backUp();
  for (const record of forgotten) {
    const { id, human, values, isErasedInCrm, gone, bornAt } = record;
    // The product recognises values with a new ID as ours if the former row looks like the same person.
    const isFormerKnown = looksLikeFormerRows(record) && !wasErasedBefore(record);
    const others = [...crm.records.values()].filter(
      (each) => humansIn(crm, each).has(human) && each.id !== id,
    );
    const words = [id, ...(others.length === 0 ? [human.donorId] : [])];
    for (const [table, rows] of tables) {
      const text = rows
        .map((row) => Object.values(row).join('\n'))
        .join('\n')
        .toLowerCase();
      for (const word of words) {
        if (text.includes(word))
          violate('forgotten', `${word} of an erased contact is in ${table}`);
      }
    }
    // After a backup is restored, the product does not know of members who were added later.
    const isKnown = swarm.faults.restore === 0 && !wereOutOfReach(world);
    const networks = isKnown ? [...service.networks.values()] : [];
    if (others.length === 0 && networks.some(({ members }) => members.has(human.donorId))) {
      violate('forgotten', `the erased contact ${id} is a member of a network`);
    }
    if (!isErasedInCrm || gone !== null) continue;
    world.look('forgotten', 'event: an erasure of our values in the CRM');
    world.reached.add('event: an erasure of our values in the CRM');
    for (const [field, cell] of values) {
      const { author, value, at } = cell;
      // After a backup is restored, the product does not recognise values that it wrote later.
      if (author !== 'product' || value === null || oracle.isUnknown(at)) continue;
      if (isAnyones(cell) || (at < bornAt && !isFormerKnown)) continue;
      violate('forgotten', `the ${field} of the erased contact ${id} is still in the CRM`);
    }
  }
}

/** Returns true if the record has had the same address, or the same employer, in all of its rows of a list. */
function looksLikeFormerRows({ formerRows, ...record }: Record_): boolean {
  const all = [record, ...formerRows].flatMap(({ details, history }) => [details, ...history]);
  const parts = [all.map(({ address }) => address), all.map(({ employer }) => employer)];
  return parts.some((each) => new Set(each.map(({ number }) => number)).size === 1);
}

/**
 * Returns true if a former row was erased before this record. The product then no longer recognises the former row's
 * values in a different row.
 */
function wasErasedBefore({ erasureBegunAt: own, formerRows }: Record_): boolean {
  return formerRows.some(
    ({ erasureBegunAt }) => erasureBegunAt !== null && erasureBegunAt < (own ?? 0),
  );
}

/** Checks that the last run with a correct clock deleted all data past its retention. */
function checkPurged({ store, swarm, timeline, violate, look }: World): void {
  if (swarm.beside.purge === 0) return;
  look('purged', 'setting: retention');
  for (const [what, days, sql] of OLD) {
    const before = timeline.now() - (days + 1) * DAY_MS;
    const times = sql
      .split('?')
      .slice(1)
      .map(() => before);
    const { length } = store.rows(sql, ...times);
    if (length > 0) violate('purged', `${length} ${what} are older than ${days} days`);
  }
}

const DAY_MS = 86_400_000;

const OLD: readonly (readonly [string, number, string])[] = [
  [
    'values before a write',
    RETENTION.previousValues,
    "select id from writes where before <> '' and state <> 'intended' and written_at < ?",
  ],
  [
    'rows of runs',
    RETENTION.runRows,
    'select run_id from run_rows join runs on runs.id = run_id where runs.finished_at < ?',
  ],
  [
    'warm paths of contacts that left',
    RETENTION.removedContacts,
    `select crm_id from warm_paths join contacts using (integration_id, crm_id)
      where contacts.state = 'removed' and contacts.outcome_at < ?`,
  ],
  [
    // The chain of entries must have no gap. If a clock was ahead, its entries are younger than entries that follow them,
    // so the following entries stay as long as these.
    'entries of the audit',
    RETENTION.audit,
    `select seq from audit_entries entry where at < ? and not exists
      (select seq from audit_entries other where other.seq < entry.seq and other.at >= ?)`,
  ],
];

/** Checks that no name and no key is in the database as clear text. */
function checkNothingInClear({ store, humans, violate, swarm }: World): void {
  if (swarm.seed % 16 !== 0) return;
  const text = store.bytes().toString('latin1').toLowerCase();
  // Words that are too long to occur by chance in encrypted text or in a fingerprint.
  const others = ['partner-key-0', 'partner-key-1', 'replaced-key-', 'Oak Street', 'Foundation'];
  const words = [...humans.all.map(({ last }) => last), ...others];
  for (const word of words) {
    if (text.includes(word.toLowerCase()))
      violate('nothing in clear', `"${word}" stands in the database`);
  }
}

const BELIEVED = `
  select donor_id from network_members join networks on networks.id = network
  where integration_id = ? and state = 'member'`;

/**
 * Returns true if a different team's key was used, because that team's key cannot see the client's networks. Donors who
 * had to leave the networks in that time are still members when the original key returns. The networks count as created
 * by someone else (docs/reliability.md, limits).
 */
function wereOutOfReach({ reached }: World): boolean {
  return [...reached].some((event) => event.startsWith('new key: of another team'));
}

const ASKED_ABOUT_LIST = `
  select id from questions where integration_id = ? and kind = 'contacts_missing'
    and (decision is null or decision = 'rejected')`;

const FAILED = `
  select donor_id from network_members join networks on networks.id = network
  where integration_id = ? and state in ('failed', 'not_found')`;

/** Checks that the members of each network in the service match the contacts of the group in the CRM. */
function checkNetworks(world: World): void {
  const { crms, integrations, oracle, service, store, swarm, violate } = world;
  if (!swarm.networks) return;
  for (const [name, crm] of crms) {
    const holds = store.rows(
      'select id from questions where integration_id = ? and matter is not null',
      name,
    );
    const failed = store.rows(FAILED, name);
    if (holds.length > 0 || failed.length > 0) continue;
    const key = integrations.find(({ id }) => id === name)?.partner.apiKey ?? '';
    const ofGroup = [...service.networks.values()].filter((each) => each.name === `Board ${name}`);
    const network = ofGroup.find(({ team }) => team === service.teamOf(key));
    // With another team's key, donor-sync notices a missing network only when its members change.
    if (network === undefined && ofGroup.length > 0) continue;
    const wanted = new Set<string>();
    for (const id of crm.groups.get('board') ?? []) {
      const heir = crm.heirOf(id);
      if (heir?.optedOutAt !== null) continue;
      const [row] = store.rows(
        'select donor_id, outcome_reason from contacts where integration_id = ? and crm_id = ?',
        name,
        id,
      );
      // A user has said that the contact is an erased person. In a restored backup, the row is in its earlier state.
      const { confirmedErasedAt } = heir;
      const isBlockedAgain =
        swarm.beside.agree > 0 && confirmedErasedAt !== null && oracle.isUnknown(confirmedErasedAt);
      const isForgotten = row?.['outcome_reason'] === 'forgotten' || isBlockedAgain;
      if (heir.isConfirmedErased && isForgotten) continue;
      if (typeof row?.['donor_id'] === 'string') wanted.add(row['donor_id']);
    }
    const members = network?.members ?? new Set<string>();
    // After a backup is restored, the product does not know of members who were added later.
    const isWhole = swarm.faults.restore === 0;
    const believed = new Set(store.rows(BELIEVED, name).map((row) => row['donor_id']));
    // The service may also lack a donor who was removed after the backup and is wanted again.
    const missing = [...wanted].filter(
      (donorId) => !members.has(donorId) && (isWhole || !believed.has(donorId)),
    );
    // The product removes no members while users still have to decide whether contacts of a list are gone.
    const isAsked = store.rows(ASKED_ABOUT_LIST, name).length > 0;
    const mayLeave = isWhole && !isAsked && !wereOutOfReach(world);
    const waiting = [...crm.records.values()].filter(
      (record) => record.gone !== null && waitsForHeir(world, name, crm, record),
    );
    const kept = new Set(waiting.map(({ human }) => human.donorId));
    const extra = [...members].filter(
      (donorId) => mayLeave && !wanted.has(donorId) && !kept.has(donorId),
    );
    if (missing.length + extra.length > 0) {
      violate(
        'networks equal groups',
        `the network of ${name} lacks ${missing.length} and has ${extra.length} too many`,
      );
    }
  }
}
