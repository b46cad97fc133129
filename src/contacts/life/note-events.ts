/** What is noted of contacts that stay where they are. */
import { all, any, choice, equal, given, isNull, not, oneOf, own, RUN } from './changes.ts';
import { type EventRow, MOVED_ON, STATES } from './event.ts';
import { listReasons, outcome, UNCHANGED, WAS_WRITTEN } from './outcomes.ts';

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

export const NOTE_EVENTS = {
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
