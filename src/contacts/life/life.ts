/**
 * A contact's life: what each event changes, by the state that the contact stands in. Nothing else
 * moves a contact. What an event does not list, it refuses, for the reason that it gives: the
 * contact stays as it is. ARCHITECTURE.md's diagram is drawn from this table by a test.
 */
import { OUTCOME_REASONS, type Outcome } from '../../core/outcome.ts';
import { listContactKinds } from '../../core/question-kinds.ts';
import type { ContactState } from '../../database/tables/contacts.ts';
import { NEXT_READING } from '../../identity/identity-text.ts';
import {
  all,
  any,
  type Changes,
  type Condition,
  choice,
  equal,
  given,
  isNull,
  NOW,
  not,
  oneOf,
  own,
  RUN,
  type Value,
} from './changes.ts';

/** Where a contact may stand; `unknown` before the store has a row of it. */
export type LifeState = ContactState | 'unknown';

export const STATES = ['settled', 'due', 'submitted', 'ready', 'held', 'removed'] as const;
export const LIFE_STATES = ['unknown', ...STATES] as const satisfies readonly LifeState[];

/** States that no other station moves a contact out of while a page is decided. */
export const AT_REST = ['settled', 'due', 'held', 'removed'] as const;

/** One way that an event goes; the first whose state and condition fit is taken. */
export interface Way {
  from: readonly LifeState[];
  /** Null: it stays where it is. */
  to: ContactState | null;
  when?: Condition;
  set: Changes;
}

export interface EventRow {
  ways: readonly Way[];
  /** Why all else is refused. */
  otherwise: string;
  /** True if it gives up the job at hand: it is over, another contact's, or of no use any more. */
  endsJob?: true;
}

/** The order in which due contacts are submitted. */
export const PRIORITY = {
  groupMember: 0,
  neverEnhanced: 1,
  refresh: 2,
  /** Not submitted before a field of its identity can be read again. */
  waitsForAccess: 9,
} as const;

/** A profile is there and may be another person's; a person decides. */
export const MISMATCH_REASONS: readonly string[] = ['name_mismatch', 'match_unsure'];

/** A person decides, and a credit was spent on the contact: a merge is no reason for another one. */
const HELD_AND_PAID: readonly string[] = listContactKinds(({ isPaid }) => isPaid);

const UNDER_WAY = 'Work is under way: what comes of it moves the contact on.';
const UNKNOWN = 'There is no such contact.';
const MOVED_ON = 'The contact has moved on since this was decided.';
const ONLY_THE_ANSWER = 'The contact does not wait for this answer.';
const ONLY_ITS_PROFILE = 'The contact does not wait for this profile.';
const NOT_ASKED = 'No person is asked about this contact any more.';
const NOT_IN_LINE = 'The contact is not in line for a credit.';

/** The event is about the job at hand, and no other. */
const OF_ITS_JOB = equal(own('tracking_id'), given('tracking_id'));

/** The outcome that the run writes down for the contact. */
function outcome(reason: Value, detail: Value = null): Changes {
  return {
    outcome_reason: reason,
    outcome_detail: detail,
    outcome_run: RUN,
    outcome_at: NOW,
  };
}

function listReasons(wanted: Outcome): string[] {
  return Object.entries(OUTCOME_REASONS).flatMap(([reason, of]) => (of === wanted ? [reason] : []));
}

const UNCHANGED = listReasons('unchanged');

/** This run has brought a profile into the CRM, which says more than what it reads of the contact afterwards. */
const WAS_WRITTEN = all(
  equal(own('outcome_run'), RUN),
  oneOf(own('outcome_reason'), listReasons('written')),
);

/** Reasons that are over once the contact is read again. */
const NOT_THERE = ['contacts_missing', 'deleted_in_crm', 'merged_in_crm'] as const;

/** So does all that it has done to a contact than that nothing is to be done. */
const SAID_MORE = any(
  WAS_WRITTEN,
  all(
    equal(own('outcome_run'), RUN),
    oneOf(given('outcome_reason'), UNCHANGED),
    not(oneOf(own('outcome_reason'), [...UNCHANGED, ...NOT_THERE])),
  ),
);

/** The outcome of the contact unless this is true: then it keeps the one that it has. */
function outcomeUnless(isKept: Condition, reason: Value): Changes {
  return {
    outcome_reason: choice(isKept, own('outcome_reason'), reason),
    outcome_detail: choice(isKept, own('outcome_detail'), null),
    outcome_run: RUN,
    outcome_at: choice(isKept, own('outcome_at'), NOW),
  };
}

/** Its record refused the whole profile that it was paid for, and has not taken it since. */
const STILL_REFUSED = all(
  equal(own('outcome_reason'), 'crm_refused'),
  equal(given('outcome_reason'), 'profile_fresh'),
);

const OUTCOME_OF_READING: Changes = outcomeUnless(
  any(SAID_MORE, STILL_REFUSED),
  given('outcome_reason'),
);

/** By the reason why its record in the CRM, read just now, keeps it from being submitted. */
const OPTED_OUT = choice(equal(given('outcome_reason'), 'opted_out'), 1, 0);

/** This run has seen it in the CRM, or a merge told of it. */
const SEEN: Changes = { seen_run: RUN, departure_read: 0 };

/** What is noted of a contact that was just read. */
const READ: Changes = {
  identity: given('identity'),
  asked_identity: given('asked_identity'),
  has_opted_out: given('has_opted_out'),
  ...SEEN,
  missing_since: null,
};

/** It is there again, and nothing keeps it from being submitted. */
const CAME_BACK: Changes = { eligible: 1, has_opted_out: 0, ...SEEN, missing_since: null };

const waitsForAccess = (priority: Value) => equal(priority, PRIORITY.waitsForAccess);

const IN_LINE: Changes = {
  eligible: 1,
  due_reason: given('due_reason'),
  priority: given('priority'),
  tracking_id: null,
  // Should it turn out not to be submitted, its run has written it all the same.
  ...outcomeUnless(
    all(WAS_WRITTEN, not(waitsForAccess(given('priority')))),
    choice(waitsForAccess(given('priority')), 'identity_unreadable', 'submission_pending'),
  ),
};

const OUT_OF_LINE: Changes = {
  due_reason: null,
  priority: choice(waitsForAccess(own('priority')), PRIORITY.refresh, own('priority')),
};

/** A credit is on record against the identity that it was spent on. */
const SPENT: Changes = {
  due_reason: null,
  asked_identity: given('asked_identity'),
  asked_at: given('asked_at'),
  last_credit: 'stands',
};

const HAS_ASKED_IN_VAIN = equal(own('last_credit'), 'in_vain');

/** If its identity changed while the job ran, the next run thinks about the contact again. */
const CREDIT_AT_THE_END = choice(
  any(isNull(own('last_credit')), HAS_ASKED_IN_VAIN),
  own('last_credit'),
  choice(
    any(equal(own('identity'), own('asked_identity')), equal(own('asked_identity'), NEXT_READING)),
    'stands',
    'outdated',
  ),
);

/** The next run, which this is, thinks about it. */
const CREDIT_ONCE_READ = choice(
  equal(own('last_credit'), 'outdated'),
  'stands',
  own('last_credit'),
);

/** A credit that brought nothing is asked for again; a record that refuses its write earns no second. */
const NOTHING_CAME = all(
  isNull(own('enhanced_at')),
  not(equal(own('outcome_reason'), 'crm_refused')),
);

const JOB_VANISHED: Changes = {
  tracking_id: null,
  asked_identity: choice(NOTHING_CAME, null, own('asked_identity')),
  last_credit: choice(NOTHING_CAME, 'in_vain', CREDIT_AT_THE_END),
};

/** It takes a job that was paid for the same person in another contact. */
const SHARED: Changes = {
  ...SPENT,
  identity: given('asked_identity'),
  tracking_id: given('tracking_id'),
};

/** The profile of a contact that became a part of this one. */
const INHERITS: Changes = {
  due_reason: null,
  tracking_id: given('tracking_id'),
  asked_at: given('asked_at'),
  last_credit: given('last_credit'),
  donor_id: given('donor_id'),
  enhanced_at: given('enhanced_at'),
  ...SEEN,
};

/**
 * Its departure from the CRM was read while its credit was being spent: it is not eligible while it waits.
 * What comes back, or takes over the job of another, is so again.
 */
const HAS_LEFT = equal(own('eligible'), 0);

/** It has opted out, or may not be submitted for another reason that reading alone ends; a row that a merge makes is of no run yet. */
const WAS_LEFT_OUT = all(equal(own('eligible'), 0), not(isNull(own('outcome_run'))));

const LEFT_BEFORE: Changes = {
  due_reason: null,
  ...outcome(
    choice(oneOf(own('outcome_reason'), ['merged_in_crm']), 'merged_in_crm', 'deleted_in_crm'),
  ),
};

/** The same when a person ends what it was kept for. */
const LEFT_UNDECIDED: Changes = {
  due_reason: null,
  outcome_reason: 'deleted_in_crm',
  outcome_detail: null,
  outcome_at: NOW,
};

/** What was asked for it counts as not spent: should it come back, a person has said so. */
const ASKED_FOR_AGAIN: Changes = {
  asked_identity: null,
  last_credit: 'in_vain',
  tracking_id: null,
};

/** A run is over, and this is why the contact still waits. */
const STILL_WAITS = any(
  not(equal(own('outcome_run'), RUN)),
  WAS_WRITTEN,
  oneOf(own('outcome_reason'), [
    'submission_pending',
    'job_running',
    'delivery_pending',
    'settlement_pending',
  ]),
);

/** Outcomes of a settled contact that say what becomes of it when it is read again. */
const TELLS_MORE_AT_REST = any(
  oneOf(own('outcome_reason'), [
    ...['opted_out', 'rejected_by_person', 'person_invalid', 'crm_refused'],
  ]),
  all(
    oneOf(own('outcome_reason'), ['no_match', 'job_vanished', 'job_too_old']),
    not(isNull(own('donor_id'))),
  ),
);

const MISSED: Changes = {
  missing_since: choice(isNull(own('missing_since')), NOW, own('missing_since')),
};

/** No run is named: a user may have confirmed it. */
const GONE: Changes = {
  outcome_reason: given('outcome_reason'),
  outcome_detail: null,
  outcome_at: NOW,
};

function shares(to: ContactState, more: Changes = {}): EventRow {
  return { ways: [{ from: ['due'], to, set: { ...SHARED, ...more } }], otherwise: MOVED_ON };
}

function inherits(to: ContactState, more: readonly Way[] = []): EventRow {
  return {
    ways: [
      {
        from: ['unknown'],
        to,
        set: {
          ...INHERITS,
          asked_identity: NEXT_READING,
          eligible: 1,
          ...outcome('delivery_pending'),
        },
      },
      {
        from: ['settled', 'due', 'removed'],
        to,
        set: {
          ...INHERITS,
          asked_identity: NEXT_READING,
          eligible: 1,
          ...outcome('delivery_pending'),
        },
      },
      ...more,
      // The profile waits with it for the person's decision.
      { from: ['held'], to: null, set: { ...INHERITS, asked_identity: own('identity') } },
    ],
    otherwise: 'It waits for a profile of its own.',
  };
}

/** A job ended without a profile; a contact that is away or held has nothing to come back to. */
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

function ofProfile(
  to: ContactState | null,
  set: Changes,
  from: readonly ContactState[] = ['ready'],
): EventRow {
  return {
    ways: [
      {
        from,
        to,
        when: OF_ITS_JOB,
        set: { ...outcome(given('outcome_reason'), given('outcome_detail')), ...set },
      },
    ],
    otherwise: ONLY_ITS_PROFILE,
  };
}

/** The answer to a submission, or what is known instead of one. */
function ofAnswer(to: ContactState | null, set: Changes): EventRow {
  return {
    ways: [{ from: ['submitted'], to, when: OF_ITS_JOB, set }],
    otherwise: ONLY_THE_ANSWER,
  };
}

/** An answer after which there is no job: who has left meanwhile is gone. */
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

function inLine(to: ContactState | null, set: Changes, when?: Condition): EventRow {
  return {
    ways: [{ from: ['due'], to, set, ...(when === undefined ? {} : { when }) }],
    otherwise: NOT_IN_LINE,
  };
}

function ofPerson(to: ContactState, set: Changes): EventRow {
  return { ways: [{ from: ['held'], to, set }], otherwise: NOT_ASKED };
}

/** A decision about a change, unless it has taken in a contact meanwhile whose profile counts for the new details. */
function ofChange(to: ContactState, set: Changes): EventRow {
  const { ways, ...more } = ofPerson(to, set);
  const inherited: Way = {
    from: ['held'],
    to: 'ready',
    when: not(isNull(own('tracking_id'))),
    set: { outcome_reason: 'delivery_pending', outcome_at: NOW },
  };
  return { ways: [inherited, ...ways], ...more };
}

export const LIFE = {
  // What is read from the CRM, and what the plan says of it.
  chosen: {
    ways: [{ from: ['unknown', ...AT_REST], to: 'due', set: { ...READ, ...IN_LINE } }],
    otherwise: UNDER_WAY,
    // A profile that was asked for with other details, or long ago, is of no use any more.
    endsJob: true,
  },
  foundFresh: {
    ways: [
      {
        from: ['unknown', ...AT_REST],
        to: 'settled',
        set: { ...READ, ...OUT_OF_LINE, eligible: 1, tracking_id: null, ...OUTCOME_OF_READING },
      },
    ],
    otherwise: UNDER_WAY,
    endsJob: true,
  },
  leftOut: {
    ways: [
      {
        from: ['unknown', ...AT_REST],
        to: 'settled',
        // Should it come back, its paid job is not lost.
        set: { ...READ, ...OUT_OF_LINE, eligible: 0, ...OUTCOME_OF_READING },
      },
    ],
    otherwise: UNDER_WAY,
  },
  foundErased: {
    ways: [
      {
        from: ['unknown', ...AT_REST],
        to: 'held',
        set: { ...READ, ...OUT_OF_LINE, eligible: 1, ...outcome('forgotten_person') },
      },
    ],
    otherwise: UNDER_WAY,
  },
  /** Only what was read is noted. */
  seen: {
    ways: [
      {
        from: ['held'],
        to: null,
        set: {
          ...READ,
          asked_identity: readOrOwn(),
          last_credit: CREDIT_ONCE_READ,
          eligible: 1,
          outcome_run: RUN,
        },
      },
      {
        // What is under way gets its outcome when this run has tried it: with the reason of an
        // earlier run it would look as if this one had tried it in vain.
        from: ['submitted', 'ready'],
        to: null,
        set: { ...READ, asked_identity: readOrOwn(), eligible: 1 },
      },
      {
        from: ['settled', 'due', 'removed'],
        to: null,
        set: { ...READ, asked_identity: readOrOwn() },
      },
    ],
    otherwise: 'There is nothing to note it in.',
  },
  /** It left while its paid profile was on the way, or while a person was asked. */
  cameBack: {
    ways: [
      {
        from: ['settled', 'removed'],
        to: 'ready',
        when: not(isNull(own('tracking_id'))),
        set: {
          ...CAME_BACK,
          due_reason: null,
          ...outcome('delivery_pending'),
        },
      },
      {
        from: ['held'],
        to: null,
        set: {
          ...CAME_BACK,
          last_credit: CREDIT_ONCE_READ,
          outcome_run: RUN,
        },
      },
    ],
    otherwise: 'No paid job waits for it.',
  },
  heldAgain: {
    ways: [
      {
        from: ['ready'],
        to: 'held',
        when: OF_ITS_JOB,
        set: {
          outcome_reason: given('outcome_reason'),
          outcome_detail: given('outcome_detail'),
        },
      },
    ],
    otherwise: ONLY_ITS_PROFILE,
  },
  /** Deleted in the CRM, or merged into another contact. */
  left: {
    ways: [
      {
        from: AT_REST,
        to: 'removed',
        set: {
          due_reason: null,
          departure_read: 1,
          merged_into: given('merged_into'),
          missing_since: null,
          ...outcome(given('outcome_reason')),
        },
      },
      {
        // What comes of its credit is still to be known. If that is nothing, it is gone.
        from: ['submitted', 'ready'],
        to: null,
        set: {
          eligible: 0,
          departure_read: 1,
          merged_into: given('merged_into'),
          missing_since: null,
          ...outcome(given('outcome_reason')),
        },
      },
    ],
    otherwise: UNKNOWN,
  },
  /** Neither a lookup nor a complete reading finds it, and nothing says that it was deleted: it stays. */
  missed: {
    ways: [
      {
        from: ['settled'],
        to: null,
        when: TELLS_MORE_AT_REST,
        set: { ...MISSED, outcome_run: RUN },
      },
      {
        from: ['settled', 'due'],
        to: null,
        set: { ...MISSED, ...outcomeUnless(WAS_WRITTEN, 'contacts_missing') },
      },
      { from: ['held'], to: null, set: { ...MISSED, outcome_run: RUN } },
      { from: ['submitted', 'ready'], to: null, set: MISSED },
    ],
    otherwise: 'It has left before.',
  },
  /** A missing contact counts as removed now: few are missing, or a user has confirmed it. */
  gone: {
    ways: [
      {
        from: ['settled', 'due', 'held'],
        to: 'removed',
        when: not(isNull(own('missing_since'))),
        set: {
          due_reason: null,
          departure_read: 1,
          merged_into: given('merged_into'),
          ...GONE,
        },
      },
      {
        from: ['submitted', 'ready'],
        to: null,
        when: not(isNull(own('missing_since'))),
        set: {
          eligible: 0,
          departure_read: 1,
          merged_into: given('merged_into'),
          ...GONE,
        },
      },
    ],
    otherwise: 'It was found again, or has left before.',
  },
  /** The contact that it became a part of was erased: nothing names that one any more. */
  heirErased: {
    ways: [{ from: STATES, to: null, set: { merged_into: null } }],
    otherwise: UNKNOWN,
  },
  /** The contact that it became a part of has its job now. */
  gaveJobAway: {
    ways: [
      { from: AT_REST, to: null, when: OF_ITS_JOB, set: { tracking_id: null } },
      {
        from: ['submitted', 'ready'],
        to: 'removed',
        when: OF_ITS_JOB,
        set: { tracking_id: null, due_reason: null, ...outcome('merged_in_crm') },
      },
    ],
    otherwise: 'The job that moves is not the one that it waits for.',
    endsJob: true,
  },
  /**
   * Another contact became a part of it, and it keeps its own profile. What it is now counts as what
   * that was asked with.
   */
  absorbed: {
    ways: [
      {
        // One that had left is back, or it could not have taken in another one.
        from: ['settled', 'submitted', 'ready', 'removed'],
        to: null,
        when: not(isNull(own('asked_identity'))),
        set: { asked_identity: NEXT_READING },
      },
      {
        // An earlier run has read that it changed, and ended before a credit was spent on that.
        from: ['due'],
        to: 'settled',
        when: all(equal(own('due_reason'), 'identity_changed'), not(isNull(own('asked_identity')))),
        set: {
          due_reason: null,
          asked_identity: NEXT_READING,
          ...outcome(choice(isNull(own('donor_id')), 'no_match_known', 'profile_fresh')),
        },
      },
      {
        from: ['held'],
        to: null,
        when: oneOf(own('outcome_reason'), HELD_AND_PAID),
        set: { asked_identity: NEXT_READING },
      },
    ],
    otherwise: 'It has no profile that is to be kept.',
  },
  inheritedRunning: inherits('submitted'),
  inheritedDone: inherits('ready', [
    {
      // Its own profile did not fit its names; the guard looks at this one in its place.
      from: ['held'],
      to: 'ready',
      when: all(oneOf(own('outcome_reason'), MISMATCH_REASONS), isNull(own('donor_id'))),
      set: { ...INHERITS, asked_identity: NEXT_READING, ...outcome('delivery_pending') },
    },
  ]),
  /**
   * Of the profiles that came to it by merges, another one was paid for under its present name: that takes the
   * place of the one that waits.
   */
  gotFittingJob: {
    ways: [
      { from: ['ready'], to: null, set: { ...INHERITS, asked_identity: own('identity') } },
      {
        from: ['held'],
        to: 'ready',
        when: oneOf(own('outcome_reason'), ['name_mismatch']),
        set: { ...INHERITS, asked_identity: own('identity'), ...outcome('delivery_pending') },
      },
    ],
    otherwise: 'It waits for no profile of another name.',
  },
  /** The answer to its submission was lost, and a person decides: about the contact that it is part of now. */
  inheritedQuestion: {
    ways: [
      {
        from: ['unknown', 'settled', 'due', 'removed'],
        to: 'held',
        when: isNull(own('asked_identity')),
        set: {
          ...INHERITS,
          asked_identity: NEXT_READING,
          // Who was left out may still have to be: the next run reads it again.
          last_credit: choice(
            all(WAS_LEFT_OUT, equal(given('last_credit'), 'stands')),
            'outdated',
            given('last_credit'),
          ),
          eligible: 1,
          ...outcome('lost_answer', given('outcome_detail')),
        },
      },
    ],
    otherwise: 'A credit was spent on it by itself, or a person is asked about it.',
  },
  /** A person has rejected to spend again on the contact that is a part of it now. */
  inheritedRejection: {
    ways: [
      {
        from: ['settled'],
        to: null,
        when: all(isNull(own('asked_identity')), WAS_LEFT_OUT),
        set: { ...INHERITS, tracking_id: null, asked_identity: NEXT_READING },
      },
      {
        from: ['unknown', 'settled', 'due', 'removed'],
        to: 'settled',
        when: isNull(own('asked_identity')),
        set: {
          ...INHERITS,
          tracking_id: null,
          asked_identity: NEXT_READING,
          eligible: 1,
          ...outcome('rejected_by_person'),
        },
      },
    ],
    otherwise: 'A credit was spent on it by itself, or a person is asked about it.',
  },

  // In line for a credit.
  reconsidered: {
    ways: [{ from: ['settled'], to: 'due', set: IN_LINE }],
    otherwise: MOVED_ON,
    endsJob: true,
  },
  joinedGroup: inLine(
    null,
    { priority: PRIORITY.groupMember },
    not(equal(own('priority'), PRIORITY.groupMember)),
  ),
  triedAgain: inLine(null, { priority: PRIORITY.refresh }, waitsForAccess(own('priority'))),
  unreadable: inLine(null, {
    priority: PRIORITY.waitsForAccess,
    ...outcome('identity_unreadable'),
  }),
  /** Another database has paid for its profile. */
  adopted: inLine(
    'settled',
    {
      due_reason: null,
      identity: given('asked_identity'),
      asked_identity: given('asked_identity'),
      asked_at: given('asked_at'),
      donor_id: given('donor_id'),
      enhanced_at: given('asked_at'),
      values_donor: given('donor_id'),
      values_identity: given('asked_identity'),
      ...outcome('profile_adopted'),
    },
    isNull(own('asked_at')),
  ),
  turnedOutIneligible: inLine('settled', {
    eligible: 0,
    has_opted_out: OPTED_OUT,
    due_reason: null,
    ...outcomeUnless(WAS_WRITTEN, given('outcome_reason')),
  }),
  turnedOutFresh: inLine('settled', {
    due_reason: null,
    ...outcomeUnless(WAS_WRITTEN, given('outcome_reason')),
  }),
  turnedOutGone: inLine('removed', {
    eligible: 0,
    due_reason: null,
    missing_since: null,
    ...outcome(given('outcome_reason')),
  }),
  changedWithMany: inLine(
    'held',
    { due_reason: null, ...outcome('identity_mass_change') },
    equal(own('due_reason'), 'identity_changed'),
  ),
  suspected: {
    ways: [
      {
        from: ['due', 'held'],
        to: 'held',
        set: { due_reason: null, ...outcome('forgotten_person') },
      },
      {
        from: ['settled'],
        to: 'held',
        when: not(WAS_LEFT_OUT),
        set: { due_reason: null, ...outcome('forgotten_person') },
      },
    ],
    otherwise:
      'Work is under way, or nothing is sent and written for it as long as it is left out.',
  },

  // A credit, from its intent to its end.
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
    // Nothing was spent, but asking again with the same details is useless; with others, read
    // while the request was under way, it is not.
    asked_identity: given('asked_identity'),
    asked_at: NOW,
    last_credit: choice(equal(own('identity'), given('asked_identity')), 'stands', 'in_vain'),
    tracking_id: null,
    ...outcome('person_invalid', given('outcome_detail')),
  }),
  lost: ofAnswer('held', {
    ...SPENT,
    // What was read of it while it was under way has not been decided about: the next run reads it again.
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
      'The service was asked about the same person for another contact, no credit.',
    ),
  }),
  sharedLost: shares('held', outcome('lost_answer', given('outcome_detail'))),
  jobDone: ofAnswer('ready', {}),
  jobFailed: ended({ tracking_id: null, last_credit: CREDIT_AT_THE_END }),
  jobVanished: ended(JOB_VANISHED),
  /** What the service has said of it before the job that vanished: asked about that again, it would say the same. */
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
    otherwise: 'Nothing more is to be asked about it.',
  },

  // The profile on its way into the CRM.
  delivered: {
    ...ofProfile('settled', {
      eligible: 1,
      last_credit: CREDIT_AT_THE_END,
      donor_id: given('donor_id'),
      enhanced_at: NOW,
      owned_values: given('owned_values'),
      values_donor: given('donor_id'),
      values_identity: given('values_identity'),
      tracking_id: null,
    }),
    endsJob: true,
  },
  heldAtDelivery: ofProfile('held', {}, ['ready', 'held']),
  postponed: ofProfile(null, {}),
  // The job stays as it is: should the contact come back, its profile is paid for.
  leftOutAtDelivery: ofProfile('settled', { eligible: 0, has_opted_out: OPTED_OUT }),
  goneAtDelivery: ofProfile('removed', { eligible: 0, missing_since: null }),
  missedAtDelivery: ofProfile(null, MISSED),

  // What a person decides.
  changeApproved: ofChange('due', {
    due_reason: 'identity_change_approved',
    priority: PRIORITY.refresh,
    outcome_reason: 'submission_pending',
    outcome_at: NOW,
  }),
  changeRejected: ofChange('settled', {
    // The new details are the same person's: they count as what the credit was spent on.
    asked_identity: own('identity'),
    values_identity: choice(isNull(own('values_donor')), null, own('identity')),
    asked_at: choice(HAS_ASKED_IN_VAIN, NOW, own('asked_at')),
    last_credit: choice(HAS_ASKED_IN_VAIN, 'stands', own('last_credit')),
    outcome_reason: 'identity_change_rejected',
    outcome_at: NOW,
  }),
  profileApproved: ofPerson('ready', { outcome_reason: 'delivery_pending' }),
  profileRejected: {
    ways: [
      {
        from: ['held'],
        to: 'removed',
        when: HAS_LEFT,
        set: { tracking_id: null, ...LEFT_UNDECIDED },
      },
      {
        from: ['held'],
        to: 'settled',
        set: {
          tracking_id: null,
          // What was rejected was asked for with other details than it has now.
          last_credit: CREDIT_AT_THE_END,
          outcome_reason: 'rejected_by_person',
          outcome_at: NOW,
        },
      },
    ],
    otherwise: NOT_ASKED,
    endsJob: true,
  },
  askedForAgain: {
    ways: [
      {
        from: ['held'],
        to: 'removed',
        when: HAS_LEFT,
        set: { ...ASKED_FOR_AGAIN, ...LEFT_UNDECIDED },
      },
      {
        from: ['held'],
        to: 'due',
        set: {
          ...ASKED_FOR_AGAIN,
          due_reason: 'resubmitted_by_person',
          priority: PRIORITY.refresh,
          outcome_reason: 'submission_pending',
          outcome_at: NOW,
        },
      },
    ],
    otherwise: NOT_ASKED,
    endsJob: true,
  },
  /** The values in the CRM are those of another person: the next run blanks them. */
  blankingDecided: {
    ways: [
      {
        from: ['held'],
        to: 'settled',
        set: {
          // Nobody's identity: by that the next run knows what to blank.
          values_identity: null,
          donor_id: null,
          outcome_reason: 'blanking_pending',
          outcome_at: NOW,
        },
      },
    ],
    otherwise: NOT_ASKED,
  },
  /** It is not the person who was erased: it goes on where it stood. */
  distinguished: {
    ways: [
      {
        from: ['held'],
        to: 'ready',
        when: not(isNull(own('tracking_id'))),
        set: { eligible: 1, due_reason: null, outcome_reason: 'delivery_pending', outcome_at: NOW },
      },
      {
        from: ['held'],
        to: 'due',
        when: any(
          isNull(own('asked_identity')),
          all(
            not(equal(own('asked_identity'), NEXT_READING)),
            not(equal(own('asked_identity'), own('identity'))),
          ),
        ),
        set: {
          // Who it is says nothing of whether its change is worth a credit: that is for the settings.
          due_reason: choice(
            not(isNull(own('asked_identity'))),
            'identity_changed',
            choice(isNull(own('last_credit')), 'never_enhanced', 'job_vanished'),
          ),
          outcome_reason: 'submission_pending',
          outcome_at: NOW,
        },
      },
      {
        from: ['held'],
        to: 'settled',
        set: {
          due_reason: null,
          outcome_reason: choice(isNull(own('donor_id')), 'no_match_known', 'profile_fresh'),
          outcome_at: NOW,
        },
      },
    ],
    otherwise: NOT_ASKED,
  },
  /** It is the person who was erased, and values of ours are in the CRM that `forget` takes out. */
  confirmedErased: ofPerson('settled', {
    eligible: 0,
    due_reason: null,
    outcome_reason: 'forgotten',
    outcome_at: NOW,
  }),

  // What is noted of contacts that stay where they are.
  valuesWritten: {
    ways: [{ from: STATES, to: null, set: { owned_values: given('owned_values') } }],
    otherwise: 'There is nothing to note it in.',
  },
  /** A credit was spent on another name than that of the values which it holds. */
  heldWithFormerValues: {
    ways: [{ from: ['settled'], to: 'held', set: outcome('new_person_unknown') }],
    otherwise: MOVED_ON,
  },
  /** The values of a former person are out of the CRM. */
  valuesBlanked: {
    ways: [
      {
        from: ['settled'],
        to: null,
        set: {
          owned_values: given('owned_values'),
          values_donor: null,
          values_identity: null,
          ...outcome('former_values_blanked'),
        },
      },
      {
        from: STATES,
        to: null,
        set: {
          owned_values: given('owned_values'),
          values_donor: null,
          values_identity: null,
        },
      },
    ],
    otherwise: 'There is nothing to note it in.',
  },
  /** The values in the CRM are another donor's now: a change of donor was undone, or they came by a merge. */
  valuesOfDonor: {
    ways: [
      {
        from: STATES,
        to: null,
        set: {
          owned_values: given('owned_values'),
          values_donor: given('values_donor'),
          values_identity: choice(
            not(isNull(given('values_identity'))),
            given('values_identity'),
            choice(isNull(own('values_identity')), own('identity'), own('values_identity')),
          ),
        },
      },
    ],
    otherwise: 'There is nothing to note it in.',
  },
  /** Values of a profile that was delivered before are in the CRM now, or were refused once more. */
  deliveredLater: {
    ways: [
      {
        // The run writes waiting values in several passes: an earlier one has found that another value does not fit.
        from: ['settled'],
        to: null,
        when: all(
          equal(own('outcome_run'), RUN),
          equal(own('outcome_reason'), 'values_unfit'),
          oneOf(given('outcome_reason'), listReasons('written')),
        ),
        set: outcome('fields_written_some_unfit', own('outcome_detail')),
      },
      {
        from: ['settled'],
        to: null,
        when: any(
          not(equal(own('outcome_run'), RUN)),
          oneOf(own('outcome_reason'), [...UNCHANGED, 'crm_refused']),
        ),
        set: outcome(given('outcome_reason'), given('outcome_detail')),
      },
    ],
    otherwise: 'What it waits for says more.',
  },
  pathWritten: {
    ways: [
      {
        from: ['settled'],
        to: null,
        // A contact keeps the outcome of its profile unless that says less than its path's does.
        when: any(not(equal(own('outcome_run'), RUN)), oneOf(own('outcome_reason'), UNCHANGED)),
        set: outcome(given('outcome_reason'), given('outcome_detail')),
      },
    ],
    otherwise: 'What it waits for says more.',
  },
  runEnded: {
    ways: [
      {
        from: ['due', 'submitted', 'ready'],
        to: null,
        // That its CRM record refused the write is worth more than that it waits.
        when: equal(own('outcome_reason'), 'crm_refused'),
        set: { outcome_run: RUN },
      },
      {
        from: ['due', 'submitted', 'ready'],
        to: null,
        when: STILL_WAITS,
        set: outcome(given('outcome_reason')),
      },
    ],
    otherwise: 'It does not wait, or the run has said more of it.',
  },
  runEndedUnsettled: {
    ways: [
      {
        from: ['submitted'],
        to: null,
        when: equal(own('outcome_run'), RUN),
        set: { outcome_reason: given('outcome_reason') },
      },
    ],
    otherwise: 'It waits for no answer.',
  },
} satisfies Record<string, EventRow>;

export type LifeEvent = keyof typeof LIFE;

function readOrOwn(): Value {
  return choice(isNull(given('asked_identity')), own('asked_identity'), given('asked_identity'));
}
