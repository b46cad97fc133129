import { describe, expect, it } from 'vitest';
import type { ContactRecord } from '../../src/contacts/contacts.ts';
import type { Decision } from '../../src/contacts/decided-pages.ts';
import type { Contact } from '../../src/core/contact.ts';
import type { ReadIdentity } from '../../src/identity/identity-reader.ts';
import { NEXT_READING } from '../../src/identity/identity-text.ts';
import {
  askedBefore,
  decideAgain,
  decideContact,
  getRefusal,
  type PlannedContact,
  type PlanRules,
} from '../../src/sync/plan.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 20);

function aContact(changes: Partial<Contact> = {}): Contact {
  return {
    id: 'C1',
    firstName: 'Ada',
    lastName: 'Byrd',
    addresses: [],
    employers: [],
    optedOut: false,
    ...changes,
  };
}

function aRow(changes: Partial<ContactRecord> = {}): ContactRecord {
  return {
    integrationId: 'riverside',
    crmId: 'C1',
    state: 'settled',
    identity: 'same',
    eligible: 1,
    dueReason: null,
    priority: 1,
    askedIdentity: 'same',
    lastCredit: 'stands',
    askedAt: NOW - DAY_MS,
    trackingId: null,
    donorId: 'd'.repeat(32),
    enhancedAt: NOW - DAY_MS,
    ownedValues: '{}',
    valuesDonor: 'd'.repeat(32),
    valuesIdentity: 'same',
    outcomeReason: 'fields_written',
    outcomeRun: 'earlier',
    outcomeAt: NOW - DAY_MS,
    outcomeDetail: null,
    seenRun: 'earlier',
    departureRead: 0,
    mergedInto: null,
    hasOptedOut: 0,
    missingSince: null,
    currency: null,
    ...changes,
  };
}

/** Returns a contact as a run has read it. By default, only one text identifies the contact. */
function read({
  identity = 'same',
  lost = [],
  ...changes
}: { identity?: string; lost?: ReadIdentity['lost'] } & Partial<
  Omit<PlannedContact, 'identity'>
> = {}): PlannedContact {
  const readIdentity: ReadIdentity = {
    lost,
    text: () => identity,
    compareWith: (stored) => ({ changed: stored === identity ? [] : ['unknown'], text: identity }),
  };
  return { crmId: 'C1', identity: readIdentity, refusal: null, optedOut: false, ...changes };
}

/** Returns only the decision, because other tests cover the recorded identity. */
function decide(
  contact: PlannedContact,
  row: ContactRecord | undefined,
  rules: PlanRules,
): Decision {
  const { noted, ...decision } = decideContact(contact, row, rules, null);
  expect(noted.identity).toBe(contact.identity.text());
  return decision;
}

const rules: PlanRules = {
  refresh: { afterDays: 365, whenIdentityChanges: true },
  now: NOW,
  groupMembers: new Set(),
};

describe('refusalOf', () => {
  it.each([
    ['first_name_missing', { firstName: null }],
    ['first_name_missing', { firstName: '  ' }],
    ['last_name_missing', { lastName: '' }],
    ['opted_out', { optedOut: true }],
  ] as const)('says %s for %j', (reason, changes) => {
    expect(getRefusal(aContact(changes))).toBe(reason);
  });

  it('lets a contact with both names pass', () => {
    expect(getRefusal(aContact())).toBeNull();
  });
});

describe('decideContact', () => {
  it('chooses a contact that has never been enhanced', () => {
    expect(decide(read(), undefined, rules)).toEqual({
      kind: 'choose',
      reason: 'never_enhanced',
      priority: 1,
    });
  });

  it('leaves out a contact whose profile is still fresh', () => {
    expect(decide(read(), aRow(), rules)).toEqual({
      kind: 'settle',
      reason: 'profile_fresh',
      eligible: true,
    });
  });

  it('chooses a contact whose identity changed, unless the settings say not to', () => {
    const changed = read({ identity: 'other' });
    expect(decide(changed, aRow(), rules)).toMatchObject({ reason: 'identity_changed' });
    const thrifty = { ...rules, refresh: { afterDays: 365, whenIdentityChanges: false } };
    expect(decide(changed, aRow(), thrifty)).toMatchObject({ reason: 'profile_fresh' });
  });

  it('chooses a contact whose profile has grown old, and none if profiles never do', () => {
    const old = aRow({ askedAt: NOW - 366 * DAY_MS, enhancedAt: NOW - 366 * DAY_MS });
    expect(decide(read(), old, rules)).toMatchObject({
      reason: 'profile_old',
      priority: 2,
    });
    const never = { ...rules, refresh: { afterDays: null, whenIdentityChanges: true } };
    expect(decide(read(), old, never)).toMatchObject({ reason: 'profile_fresh' });
  });

  describe('of a contact that a user was asked to buy or not', () => {
    const asked = aRow({
      ...{ state: 'held', outcomeReason: 'paid_since_backup', identity: 'other' },
      ...{ askedIdentity: 'other', donorId: null, enhancedAt: null },
    });

    it('leaves it held, with the details that a merge has brought', () => {
      const merged = { ...asked, askedIdentity: NEXT_READING };
      const { noted, ...decision } = decideContact(read(), merged, rules, null);
      expect(decision).toEqual({ kind: 'keep' });
      expect(noted).toMatchObject({ identity: 'same', asked: 'same' });
    });

    it('leaves it held with changed details if the settings say not to buy these', () => {
      const thrifty = { ...rules, refresh: { afterDays: 365, whenIdentityChanges: false } };
      expect(decide(read(), asked, thrifty)).toEqual({ kind: 'keep' });
    });

    it('asks no more if it has the details again for which its profile was delivered', () => {
      const delivered = { ...asked, donorId: 'd'.repeat(32) };
      const answered = { identity: 'same', isLast: true, isLost: false, submittedAt: NOW - DAY_MS };
      expect(decideContact(read(), delivered, rules, answered)).toMatchObject({
        kind: 'settle',
        reason: 'profile_fresh',
      });
    });
  });

  it('puts members of mirrored groups in front, whether they are new, changed or old', () => {
    const withMember = { ...rules, groupMembers: new Set(['C1']) };
    const old = aRow({ askedAt: NOW - 366 * DAY_MS });
    expect(decide(read(), undefined, withMember)).toMatchObject({ priority: 0 });
    expect(decide(read({ identity: 'other' }), aRow(), withMember)).toMatchObject({
      priority: 0,
    });
    expect(decideAgain(old, withMember)).toMatchObject({ reason: 'profile_old', priority: 0 });
    expect(decideAgain(aRow(), withMember)).toMatchObject({ kind: 'settle' });
  });

  it.each(['submitted', 'ready'] as const)(
    'keeps a contact that is %s, even if it opted out',
    (state) => {
      const row = aRow({ state, trackingId: 't' });
      expect(decide(read({ refusal: 'opted_out' }), row, rules)).toEqual({ kind: 'keep' });
      expect(decide(read({ identity: 'other' }), row, rules)).toEqual({ kind: 'keep' });
    },
  );

  it('keeps a held contact until its identity changes', () => {
    const held = aRow({ state: 'held', outcomeReason: 'name_mismatch' });
    expect(decide(read(), held, rules)).toEqual({ kind: 'keep' });
    expect(decide(read({ identity: 'other' }), held, rules)).toMatchObject({
      reason: 'identity_changed',
    });
  });

  it('settles a contact that opted out, and does not let it come back by age', () => {
    expect(decide(read({ refusal: 'opted_out' }), aRow(), rules)).toEqual({
      kind: 'settle',
      reason: 'opted_out',
      eligible: false,
    });
  });

  it('does not spend on a change that was taken back before it was submitted', () => {
    const due = aRow({ state: 'due', dueReason: 'identity_changed', identity: 'other' });
    expect(decide(read({ identity: 'same' }), due, rules)).toMatchObject({
      kind: 'settle',
      reason: 'profile_fresh',
    });
  });

  it('remembers why a contact is due until it is submitted', () => {
    const due = aRow({ state: 'due', dueReason: 'resubmitted_by_person', askedIdentity: null });
    expect(decide(read(), due, rules)).toMatchObject({ reason: 'resubmitted_by_person' });
  });

  it('asks again for an unknown person only when the identity changes or time has passed', () => {
    const unknown = aRow({ donorId: null, enhancedAt: null, outcomeReason: 'no_match' });
    expect(decide(read(), unknown, rules)).toMatchObject({ reason: 'no_match_known' });
    expect(decide(read({ identity: 'other' }), unknown, rules)).toMatchObject({
      reason: 'identity_changed',
    });
  });

  it('does not enhance again a contact that a person rejected', () => {
    const rejected = aRow({ outcomeReason: 'rejected_by_person' });
    expect(decide(read(), rejected, rules)).toMatchObject({ reason: 'rejected_by_person' });
  });

  it('takes up a contact again that was gone from the CRM and came back, without a new credit', () => {
    expect(decide(read(), aRow({ state: 'removed' }), rules)).toMatchObject({
      kind: 'settle',
      reason: 'profile_fresh',
    });
  });
});

describe('decideAgain', () => {
  it('chooses a contact whose job vanished before anything was delivered, and says so', () => {
    const row = aRow({
      askedIdentity: null,
      lastCredit: 'in_vain',
      donorId: null,
      enhancedAt: null,
    });
    expect(decideAgain(row, rules)).toMatchObject({ reason: 'job_vanished' });
  });

  it('chooses a contact whose identity changed while its job was running', () => {
    const row = aRow({ identity: 'other', lastCredit: 'outdated' });
    expect(decideAgain(row, rules)).toMatchObject({ reason: 'identity_changed' });
  });

  it('leaves that contact alone if a changed identity is not worth a credit', () => {
    const thrifty = { ...rules, refresh: { afterDays: 365, whenIdentityChanges: false } };
    expect(decideAgain(aRow({ identity: 'other', lastCredit: 'outdated' }), thrifty).kind).toBe(
      'settle',
    );
  });

  it('knows the age of a credit that brought nothing, also if the contact changed meanwhile', () => {
    const thrifty = { ...rules, refresh: { afterDays: 365, whenIdentityChanges: false } };
    const failed = { identity: 'other', donorId: null, enhancedAt: null };
    const young = aRow({ ...failed, askedAt: NOW - DAY_MS, lastCredit: 'outdated' });
    const old = aRow({ ...failed, askedAt: NOW - 366 * DAY_MS, lastCredit: 'outdated' });
    expect(decideAgain(young, thrifty)).toMatchObject({ kind: 'settle', reason: 'no_match_known' });
    expect(decideAgain(old, thrifty)).toMatchObject({ kind: 'choose', reason: 'profile_old' });
  });
});

describe('askedBefore', () => {
  it('is the instant before which a profile is old', () => {
    expect(askedBefore(rules)).toBe(NOW - 365 * DAY_MS);
  });

  it('finds only contacts marked to be asked again if profiles never grow old', () => {
    expect(askedBefore({ ...rules, refresh: { afterDays: null, whenIdentityChanges: true } })).toBe(
      1,
    );
  });
});
