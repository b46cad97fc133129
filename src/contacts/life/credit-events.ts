import type { ContactState } from '../../database/tables/contacts.ts';
import { NEXT_READING } from '../../identity/identity-text.ts';
import {
  all,
  any,
  type Changes,
  choice,
  equal,
  given,
  isNull,
  NOW,
  not,
  oneOf,
  own,
} from './changes.ts';
import { type EventRow, MOVED_ON, OF_ITS_JOB, ONLY_THE_ANSWER, type Way } from './event.ts';
import { HAS_LEFT } from './leaving-events.ts';
import { inLine } from './line-events.ts';
import { outcome } from './outcomes.ts';

/** Records that a credit was spent on the submitted identity. */
const SPENT: Changes = {
  due_reason: null,
  asked_identity: given('asked_identity'),
  asked_at: given('asked_at'),
  last_credit: 'stands',
};

export const HAS_ASKED_IN_VAIN = equal(own('last_credit'), 'in_vain');

/** The contact's details changed while the job was running, so the next run decides about the credit again. */
export const CREDIT_AT_THE_END = choice(
  any(isNull(own('last_credit')), HAS_ASKED_IN_VAIN),
  own('last_credit'),
  choice(
    any(equal(own('identity'), own('asked_identity')), equal(own('asked_identity'), NEXT_READING)),
    'stands',
    'outdated',
  ),
);

/** A credit that returned no profile can be spent again, unless the CRM record refused the write. */
const NOTHING_CAME = all(
  isNull(own('enhanced_at')),
  not(equal(own('outcome_reason'), 'crm_refused')),
);

const JOB_VANISHED: Changes = {
  tracking_id: null,
  asked_identity: choice(NOTHING_CAME, null, own('asked_identity')),
  last_credit: choice(NOTHING_CAME, 'in_vain', CREDIT_AT_THE_END),
};

/** The job was paid for another contact of the same person. */
const SHARED: Changes = {
  ...SPENT,
  identity: given('asked_identity'),
  tracking_id: given('tracking_id'),
};

const LEFT_BEFORE: Changes = {
  due_reason: null,
  ...outcome(
    choice(oneOf(own('outcome_reason'), ['merged_in_crm']), 'merged_in_crm', 'deleted_in_crm'),
  ),
};

function shares(to: ContactState, more: Changes = {}): EventRow {
  return { ways: [{ from: ['due'], to, set: { ...SHARED, ...more } }], otherwise: MOVED_ON };
}

/** Returns the event for a credit that has ended. A contact that has left or is held keeps its state. */
function ended(set: Changes): EventRow {
  return {
    ways: [
      {
        from: ['submitted', 'ready'],
        to: 'removed',
        when: all(OF_ITS_JOB, HAS_LEFT),
        set: { ...set, ...LEFT_BEFORE },
      },
      {
        from: ['submitted', 'ready'],
        to: 'settled',
        when: OF_ITS_JOB,
        set: { ...set, ...outcome(given('outcome_reason')) },
      },
      { from: ['settled', 'held', 'removed'], to: null, when: OF_ITS_JOB, set },
    ],
    otherwise: ONLY_THE_ANSWER,
    endsJob: true,
  };
}

/** Returns the event for a submission that received a response or was settled later. */
function ofAnswer(to: ContactState | null, set: Changes): EventRow {
  return {
    ways: [{ from: ['submitted'], to, when: OF_ITS_JOB, set }],
    otherwise: ONLY_THE_ANSWER,
  };
}

/** Returns the event for a response without a job. A contact that left the CRM during the request is removed. */
function ofEmptyAnswer(to: ContactState, set: Changes): EventRow {
  const { ways, ...more } = ofAnswer(to, set);
  const gone: Way = {
    from: ['submitted'],
    to: 'removed',
    when: all(OF_ITS_JOB, HAS_LEFT),
    set: { ...set, ...LEFT_BEFORE },
  };
  return { ways: [gone, ...ways], ...more, endsJob: true };
}

export const CREDIT_EVENTS = {
  submitted: inLine('submitted', {
    tracking_id: given('tracking_id'),
    identity: given('identity'),
  }),
  accepted: ofAnswer(null, SPENT),
  notCharged: ofEmptyAnswer('due', {
    due_reason: given('due_reason'),
    tracking_id: null,
    ...outcome(given('outcome_reason')),
  }),
  refused: ofEmptyAnswer('settled', {
    due_reason: null,
    // No credit was spent. The service would refuse the same details again, but the details may have changed during the
    // request.
    asked_identity: given('asked_identity'),
    asked_at: NOW,
    last_credit: choice(equal(own('identity'), given('asked_identity')), 'stands', 'in_vain'),
    tracking_id: null,
    ...outcome('person_invalid', given('outcome_detail')),
  }),
  lost: ofAnswer('held', {
    ...SPENT,
    // donor-sync has not yet processed the changes that it read during the request, so the next run reads the contact
    // again.
    last_credit: 'outdated',
    ...outcome('lost_answer', given('outcome_detail')),
  }),
  lostDueAgain: ofEmptyAnswer('due', {
    ...SPENT,
    due_reason: 'lost_answer_resubmitted',
    tracking_id: null,
    ...outcome('submission_pending', given('outcome_detail')),
  }),
  sharedRunning: shares('submitted'),
  sharedDone: shares('ready'),
  sharedFailed: shares('settled', {
    tracking_id: null,
    ...outcome(
      'no_match',
      'The same person was submitted to the service for another contact, no credit.',
    ),
  }),
  sharedLost: shares('held', outcome('lost_answer', given('outcome_detail'))),
  jobDone: ofAnswer('ready', {}),
  jobFailed: ended({ tracking_id: null, last_credit: CREDIT_AT_THE_END }),
  jobVanished: ended(JOB_VANISHED),
  /**
   * The service answered for the same details before the job vanished. A new request for these details would get the
   * same answer.
   */
  answerStands: {
    ways: [
      {
        from: ['settled'],
        to: null,
        when: all(isNull(own('asked_identity')), equal(own('identity'), given('asked_identity'))),
        set: {
          asked_identity: given('asked_identity'),
          asked_at: given('asked_at'),
          last_credit: 'stands',
        },
      },
    ],
    otherwise: 'The contact already has an answer, or has changed since then.',
  },
} satisfies Record<string, EventRow>;
