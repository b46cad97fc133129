/**
 * Decides which contacts are enhanced, and why. The functions are pure: they use only the data that was read, the
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

/** The data about a contact that the plan needs. */
export interface PlannedContact extends ReadContact {
  identity: ReadIdentity;
  /** The reason why the contact may not be submitted, or null if it may. */
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
 * Returns the reason why a contact must not be submitted. Uses only the contact's CRM record. Returns null if it may be
 * submitted.
 */
export function getRefusal(contact: Contact): OutcomeReason | null {
  if (contact.optedOut) return 'opted_out';
  if (contact.excluded) return contact.excluded;
  if (!contact.firstName?.trim()) return 'first_name_missing';
  if (!contact.lastName?.trim()) return 'last_name_missing';
  return null;
}

/**
 * Decides what happens to a contact that was just read, and chooses the identity that is stored for it. `answered` is
 * the contact's last answered request if the contact may have the same details again, or null otherwise.
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
 * Returns the row of a contact whose details are again the same as in its last answered request. In the meantime,
 * different details were treated as paid because of a lost response, a merge, or a change that a user rejected. Now the
 * answered request is used again, and a user does not have to decide about a lost request. The exception is a lost
 * request for renewing an old profile, because the profile would then be paid for once more. If some details cannot be
 * read, donor-sync cannot know if they are the same. A pure function.
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
 * True while a user has to decide about buying the contact, because it may have been paid for. If a later reading gives
 * no reason to buy, for example the first reading after a merge, the question remains open. A pure function.
 */
function isStillAsked(row: ContactRecord | undefined, decision: Decision): boolean {
  const isAsked = row?.state === 'held' && row.outcomeReason === PAID_SINCE_BACKUP;
  return isAsked && decision.kind === 'settle' && decision.eligible;
}

/** Decides about a settled contact that was not read. Its profile may be outdated. */
export function decideAgain(row: ContactRecord, rules: PlanRules): Decision {
  return membersFirst(row.crmId, decideRemembered(row, rules), rules);
}

/** Puts the members of mirrored groups first. A group cannot become a network without its members' profiles. */
function membersFirst(crmId: string, decision: Decision, rules: PlanRules): Decision {
  if (decision.kind !== 'choose' || !rules.groupMembers.has(crmId)) return decision;
  return { ...decision, priority: PRIORITY.groupMember };
}

/**
 * Keeps a contact waiting while a part of its identity cannot be read. No credit is spent until it can be read again.
 */
function whileUnreadable({ lost }: ReadIdentity, decision: Decision): Decision {
  if (decision.kind !== 'choose' || lost.length === 0) return decision;
  return { ...decision, priority: PRIORITY.waitsForAccess };
}

/**
 * Returns the fingerprint that is stored for the contact from now on. If only the spelling differs, the stored
 * fingerprint is replaced everywhere, so equal fingerprints mean unchanged data. A pure function.
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

/** Decides what happens to a contact. `row` already has the identity that was just read. */
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
  // The contact was deleted or opted out. At that time, its paid profile was in flight or a question was open.
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

/** Returns the time before which a spent credit is reconsidered. Returns 1 if profiles never become outdated. */
export function askedBefore({ refresh, now }: Pick<PlanRules, 'refresh' | 'now'>): number {
  return refresh.afterDays === null ? 1 : now - refresh.afterDays * DAY_MS;
}

/** If a change was reverted before a credit was spent, the contact is no longer due for it. */
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

/** Returns the reason why a contact is not due: its credit is spent and its profile is still fresh. */
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
