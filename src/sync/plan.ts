/**
 * Decides which contacts donor-sync enhances, and why. The functions are pure: they use only the data from the CRM, the
 * stored data and the settings. Every refusal has a reason.
 */

import type { Answered } from '../contacts/answered.ts';
import type { ContactRecord } from '../contacts/contacts.ts';
import type { Decided, Decision, NotedIdentity, ReadContact } from '../contacts/decided-pages.ts';
import { PRIORITY } from '../contacts/life/line-events.ts';
import { PAID_SINCE_BACKUP } from '../contacts/many-at-once/paid-since-backup.ts';
import type { Contact } from '../core/contact.ts';
import type { Refresh } from '../core/integration-settings.ts';
import type { OutcomeReason } from '../core/outcome.ts';
import type { ReadIdentity } from '../identity/identity-reader.ts';
import { changedParts, NEXT_READING } from '../identity/identity-text.ts';

const DAY_MS = 86_400_000;

/** The data about a contact that the decision needs. */
export interface PlannedContact extends ReadContact {
  identity: ReadIdentity;
  /** The reason why donor-sync may not submit the contact, or null if it may. */
  refusal: OutcomeReason | null;
  /** True if the contact may be a person who was erased under a different ID. */
  looksErased?: boolean;
}

export interface PlanRules {
  refresh: Refresh;
  /** The time of the decision (epoch ms). */
  now: number;
  /** The CRM IDs of all members of mirrored groups. */
  groupMembers: ReadonlySet<string>;
}

/**
 * Returns the reason why donor-sync must not submit a contact, based only on the contact's CRM record. Returns null if
 * it may submit the contact.
 */
export function getRefusal(contact: Contact): OutcomeReason | null {
  if (contact.optedOut) return 'opted_out';
  if (contact.excluded) return contact.excluded;
  if (!contact.firstName?.trim()) return 'first_name_missing';
  if (!contact.lastName?.trim()) return 'last_name_missing';
  return null;
}

/**
 * Decides what happens to a contact that the run has just read, and chooses the identity that donor-sync stores for it.
 * `answered` is the contact's last answered request if the contact may have the same details again. Otherwise it is
 * null.
 */
export function decideContact(
  contact: PlannedContact,
  stored: ContactRecord | undefined,
  rules: PlanRules,
  answered: Answered | null,
): Decided {
  const row = backAtAnswered(contact, stored, answered, rules);
  const noted = recordIdentity(contact.identity, row);
  const known = row && {
    ...row,
    identity: noted.identity,
    askedIdentity: noted.asked ?? row.askedIdentity,
  };
  const read = decideRead(contact, known, noted, rules);
  const isAnswered = row !== stored;
  const decided = !isAnswered && isStillAsked(row, read) ? ({ kind: 'keep' } as const) : read;
  const decision = membersFirst(contact.crmId, decided, rules);
  return { ...whileUnreadable(contact.identity, decision), noted };
}

/**
 * Returns the row of a contact whose details are again the same as in its last answered request. In between, donor-sync
 * treated different details as paid because of a lost response, a merge, or a change that a user rejected. donor-sync
 * now uses the answered request again, and no user has to decide about a lost request. donor-sync makes an exception
 * for a lost request that renews an old profile, because the profile would be paid for a second time. If some details
 * cannot be read, donor-sync cannot compare the details. A pure function.
 */
function backAtAnswered(
  { identity }: Pick<PlannedContact, 'identity'>,
  row: ContactRecord | undefined,
  answered: Answered | null,
  rules: PlanRules,
): ContactRecord | undefined {
  if (row === undefined || row.askedIdentity === null || answered === null) return row;
  if ([row.askedIdentity, answered.identity].includes(NEXT_READING)) return row;
  const others = changedParts(row.askedIdentity, answered.identity);
  const isUnknown = identity.lost.some((part) => others.includes(part));
  if (others.length === 0 || isUnknown) return row;
  if (identity.compareWith(answered.identity).changed.length > 0) return row;
  const back = {
    ...row,
    askedIdentity: answered.identity,
    dueReason: row.state === 'due' ? 'identity_changed' : row.dueReason,
  } as const;
  if (answered.isLast) return back;
  const before = { ...back, askedAt: row.enhancedAt ?? row.askedAt, trackingId: null };
  return isOld(before, rules) ? row : before;
}

/**
 * True while a user has to decide about buying a profile for the contact, because the contact may be paid for. The
 * decision remains open even if a later reading gives no reason to buy, for example the first reading after a merge. A
 * pure function.
 */
function isStillAsked(row: ContactRecord | undefined, decision: Decision): boolean {
  const isAsked = row?.state === 'held' && row.outcomeReason === PAID_SINCE_BACKUP;
  return isAsked && decision.kind === 'settle' && decision.eligible;
}

/**
 * Decides about a contact that has a final result and that the run has not read. The profile of a contact at rest may
 * be outdated.
 */
export function decideAgain(row: ContactRecord, rules: PlanRules): Decision {
  return membersFirst(row.crmId, decideRemembered(row, rules), rules);
}

/**
 * Puts the members of mirrored groups first, because donor-sync needs their profiles to turn a group into a network.
 */
function membersFirst(crmId: string, decision: Decision, rules: PlanRules): Decision {
  if (decision.kind !== 'choose' || !rules.groupMembers.has(crmId)) return decision;
  return { ...decision, priority: PRIORITY.groupMember };
}

/**
 * Lets a contact wait while a part of its identity cannot be read. donor-sync spends no credit on the contact until it
 * can read this part again.
 */
function whileUnreadable({ lost }: ReadIdentity, decision: Decision): Decision {
  if (decision.kind !== 'choose' || lost.length === 0) return decision;
  return { ...decision, priority: PRIORITY.waitsForAccess };
}

/**
 * Returns the fingerprint that donor-sync stores for the contact from now on. If only the spelling differs, the new
 * fingerprint replaces the stored fingerprint everywhere. Equal fingerprints therefore mean unchanged data. A pure
 * function.
 */
function recordIdentity(read: ReadIdentity, row: ContactRecord | undefined): NotedIdentity {
  if (row === undefined) return { identity: read.text(), isSame: false, asked: null };
  if (row.askedIdentity === NEXT_READING) {
    const identity = read.text();
    return { identity, isSame: false, asked: identity };
  }
  const own = read.compareWith(row.identity);
  const isSame = own.changed.length === 0;
  const isUnderWay = row.state === 'submitted' || row.state === 'ready';
  if (row.askedIdentity === null || row.askedIdentity === row.identity || isUnderWay) {
    const isAsked = row.askedIdentity === row.identity;
    return { identity: own.text, isSame, asked: isSame && isAsked ? own.text : null };
  }
  const asked = read.compareWith(row.askedIdentity);
  const isBack = asked.changed.length === 0;
  return { identity: asked.text, isSame, asked: isBack ? asked.text : null };
}

/** Decides what happens to a contact. `row` already contains the new identity. */
function decideRead(
  contact: PlannedContact,
  row: ContactRecord | undefined,
  { isSame }: NotedIdentity,
  rules: PlanRules,
): Decision {
  if (row?.state === 'submitted' || row?.state === 'ready') return { kind: 'keep' };
  if (contact.refusal) return { kind: 'settle', reason: contact.refusal, eligible: false };
  if (row?.state === 'held' && isSame) return { kind: 'keep' };
  if (contact.looksErased === true) return { kind: 'hold', reason: 'forgotten_person' };
  if (!row) return choose('never_enhanced');
  if (row.state === 'due' && row.dueReason !== null) return stillDue(row, row.dueReason, rules);
  const again = decideRemembered(row, rules);
  // The contact was deleted or had opted out while its paid profile was in flight or a decision was open.
  return again.kind === 'settle' && row.trackingId !== null ? { kind: 'resume' } : again;
}

function decideRemembered(row: ContactRecord, rules: PlanRules): Decision {
  if (row.askedIdentity === null) {
    return choose(row.lastCredit === null ? 'never_enhanced' : 'job_vanished');
  }
  const hasChanged =
    row.askedIdentity !== NEXT_READING && changedParts(row.askedIdentity, row.identity).length > 0;
  if (hasChanged && rules.refresh.whenIdentityChanges) {
    return choose('identity_changed');
  }
  if (isOld(row, rules)) return choose('profile_old');
  return { kind: 'settle', reason: reasonAtRest(row), eligible: true };
}

/**
 * Returns a time. If the contact's last credit was spent before this time, its profile is outdated. Returns 1 if
 * profiles never become outdated.
 */
export function askedBefore({ refresh, now }: Pick<PlanRules, 'refresh' | 'now'>): number {
  return refresh.afterDays === null ? 1 : now - refresh.afterDays * DAY_MS;
}

/**
 * Keeps a contact due. If someone reverted the change before a credit was spent, the contact is no longer due because
 * of the change.
 */
function stillDue(
  row: ContactRecord,
  reason: NonNullable<ContactRecord['dueReason']>,
  rules: PlanRules,
): Decision {
  if (reason === 'identity_changed') return decideRemembered(row, rules);
  const isApproved = reason === 'identity_change_approved' && row.askedIdentity !== null;
  const isBack =
    isApproved && changedParts(row.askedIdentity ?? NEXT_READING, row.identity).length === 0;
  return isBack ? decideRemembered(row, rules) : choose(reason);
}

function isOld(row: ContactRecord, rules: PlanRules): boolean {
  const { askedAt, enhancedAt, lastCredit } = row;
  const lastAsked = (lastCredit === 'in_vain' ? enhancedAt : (askedAt ?? enhancedAt)) ?? 0;
  return rules.refresh.afterDays !== null && lastAsked < askedBefore(rules);
}

/**
 * Returns the reason why a contact is not due. The contact's credit is spent, and the contact's profile is still fresh.
 */
function reasonAtRest(row: ContactRecord): OutcomeReason {
  if (row.outcomeReason === 'rejected_by_person') return 'rejected_by_person';
  if (row.outcomeReason === 'person_invalid') return 'person_invalid';
  if (row.outcomeReason === 'counted_as_paid' && row.donorId === null) return 'counted_as_paid';
  return row.donorId === null ? 'no_match_known' : 'profile_fresh';
}

function choose(reason: NonNullable<ContactRecord['dueReason']>): Decision {
  const priority = reason === 'never_enhanced' ? PRIORITY.neverEnhanced : PRIORITY.refresh;
  return { kind: 'choose', reason, priority };
}
