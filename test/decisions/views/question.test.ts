import { describe, expect, it } from 'vitest';
import { DECIDED } from '../../../src/core/questions/decisions.ts';
import type {
  ContactQuestion,
  NetworkQuestion,
  Question,
} from '../../../src/decisions/statements/questions.ts';
import {
  decisionsFor,
  getSubject,
  listChoices,
  listDecidedTexts,
  reasonText,
  refusalText,
  withBatchCounts,
} from '../../../src/decisions/views/question.ts';
import { aContactHold, aNetworkHold } from '../../helpers/question-rows.ts';

function contact(changes?: Partial<ContactQuestion>): Question {
  return aContactHold(changes);
}

function network(kind: NetworkQuestion['kind']): Question {
  return aNetworkHold({ kind });
}

describe('holds', () => {
  it('are about contacts by their id, and about networks by their name', () => {
    expect([aNetworkHold(), aContactHold()].map(getSubject)).toEqual(['Board', '003A']);
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

  it('name the decisions that they take, and say why they take no other', () => {
    const refused = contact({ kind: 'values_of_two_people', detail: 'rule' });
    expect(refusalText(refused)).toBe('Its profile is available and is not bought again.');
    const lost = contact({ kind: 'lost_answer', detail: null });
    expect(refusalText(lost)).toContain('no profile to approve');
    expect(listChoices(lost).map(({ label }) => label)).toEqual([
      'Leave it alone',
      'Ask again (1 credit)',
    ]);
    const onHold = contact({ kind: 'erasure_requested', detail: 'privacy_hold' });
    expect(refusalText(onHold)).toContain('a privacy hold in the CRM (HasPrivacyHold) forbids');
    expect(listChoices(onHold).map(({ decision }) => decision)).toEqual(['reject']);
  });

  it('are counted by sort when many are decided at once', () => {
    const missing = contact({ kind: 'contacts_missing', detail: null });
    const texts = listDecidedTexts('reject', [
      contact(),
      missing,
      network('group_shrunk'),
      missing,
    ]);
    expect(texts).toEqual([
      '1 hold rejected. The contacts are left alone.',
      '2 missing contacts are kept. If they are still missing in seven days, donor-sync asks again.',
      '1 hold about networks rejected. The networks stay unchanged until something else changes.',
    ]);
  });

  it('of changed details are approved, which submits them again, or rejected', () => {
    const kind = 'identity_mass_change';
    expect(decisionsFor(contact({ kind, detail: 'addresses' }))).toEqual(['approve', 'reject']);
    const reasonOf = (detail: string | null, batchCount?: number) =>
      reasonText({
        ...aContactHold({ kind, detail, batch: 'b' }),
        ...(batchCount === undefined ? {} : { batchCount }),
      });
    expect(reasonOf('addresses', 1_413)).toBe(
      'its address changed together with those of 1,412 others',
    );
    expect(reasonOf('addresses,employers', 2)).toBe(
      'its address and employer changed together with those of 1 other contact',
    );
    expect(reasonOf('name')).toBe('its name changed together with those of many others');
    expect(reasonOf('unknown', 1)).toBe(
      'its name, address or employer changed together with those of many others',
    );
  });

  it('know how many of their batch are open', () => {
    const rows = [
      aContactHold({ id: '1', batch: 'b' }),
      aContactHold({ id: '2', batch: 'b' }),
      aContactHold({ id: '3' }),
    ];
    expect(withBatchCounts(rows).map((hold) => 'batchCount' in hold && hold.batchCount)).toEqual([
      ...[2, 2, false],
    ]);
  });

  it('are on record as what each word says', () => {
    expect(DECIDED).toEqual({ approve: 'approved', reject: 'rejected', resubmit: 'resubmitted' });
  });

  it('say why, also for an unknown word of the guard', () => {
    expect(reasonText(contact())).toBe('the profile has a different last name');
    expect(reasonText(contact({ detail: 'made_up' }))).toBe(
      "the name in the profile differs from the contact's name",
    );
    expect(reasonText(contact({ kind: 'profile_deceased', detail: null }))).toBe(
      'the profile says that this person has died',
    );
    expect(reasonText(network('group_shrunk'))).toContain('12 members would leave');
  });
});
