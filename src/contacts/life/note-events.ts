/** Events that record facts without changing the contact's state. */
import { all, any, choice, equal, given, isNull, not, oneOf, own, RUN } from './changes.ts';
import { type EventRow, MOVED_ON, STATES, UNKNOWN } from './event.ts';
import { listReasons, outcome, UNCHANGED, WAS_WRITTEN } from './outcomes.ts';

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
    otherwise: UNKNOWN,
  },
  /** The last credit was spent on one name, but the CRM contains another person's values. */
  heldWithFormerValues: {
    ways: [{ from: ['settled'], to: 'held', set: outcome('new_person_unknown') }],
    otherwise: MOVED_ON,
  },
  /** donor-sync removed a former person's values from the CRM. */
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
    otherwise: UNKNOWN,
  },
  /** After an undo or a merge, the CRM contains another donor's values. */
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
    otherwise: UNKNOWN,
  },
  /** donor-sync has written an older profile's waiting values, or the CRM has refused these values again. */
  deliveredLater: {
    ways: [
      {
        // A run writes waiting values in several passes. In an earlier pass, a field refused a value.
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
    otherwise: 'The contact has an outcome that says more.',
  },
  pathWritten: {
    ways: [
      {
        from: ['settled'],
        to: null,
        // A profile's outcome tells users more than a warm path's outcome.
        when: any(not(equal(own('outcome_run'), RUN)), oneOf(own('outcome_reason'), UNCHANGED)),
        set: outcome(given('outcome_reason'), given('outcome_detail')),
      },
    ],
    otherwise: 'The contact has an outcome that says more.',
  },
  runEnded: {
    ways: [
      {
        from: ['due', 'submitted', 'ready'],
        to: null,
        // A refused write tells users more than a waiting contact.
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
    otherwise: 'The contact is not waiting, or has a more specific outcome from this run.',
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
    otherwise: 'The contact is not waiting for a response.',
  },
} satisfies Record<string, EventRow>;
