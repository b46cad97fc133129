/** Questions that wait for a user's decision, and the decisions. */
import type { Closing, QuestionDecision } from '../../core/questions/decisions.ts';
import type { QuestionKind } from '../../core/questions/question-kinds.ts';
import { bigint, contactId, integer, nullable, personal, sealed, table, text } from './table.ts';

export const DECISION_TABLES = {
  /**
   * A decision that a user has to make about a contact or a network. A decision is open until a user answers it.
   * `superseded` means that no answer is needed any more.
   */
  questions: table(
    {
      key: ['id'],
      whenClientErased: 'deleted with its contact',
      exported: {
        as: 'holds',
        columns: ['id', 'crm_id', 'kind', 'detail', 'opened_at', 'decision', 'decided_at'],
        onlyWith: 'crm_id',
      },
      retention: 'outcomes',
    },
    {
      id: text(),
      integration_id: text(),
      /** The contact. Null for a decision about a network. */
      crm_id: nullable(
        contactId({
          forget: 'row',
          about: 'holds',
          whenRemoved: { kept: '`retention.outcomes`' },
        }),
      ),
      network: nullable(text()),
      kind: personal(text<QuestionKind>()),
      /**
       * Decisions with the same cause share this ID, so that a user can answer them together. Null for a single
       * decision.
       */
      batch: nullable(text()),
      /** The contact's job. A decision without a job uses its own ID. Null for a network. */
      tracking_id: personal(nullable(text())),
      /**
       * The subject of a decision about a network: an ID or a fingerprint. Null for an answered decision and for a
       * decision about a contact.
       */
      matter: personal(nullable(text())),
      /** Details of the reason: a word, a number or a CRM's message. */
      detail: personal(nullable(text())),
      opened_at: bigint(),
      decision: nullable(text<Closing>()),
      decided_at: nullable(bigint()),
    },
  ),
  /**
   * A user's answer that has not been carried out yet. The answer takes effect at `in_force_from`. Null means that it
   * does not take effect automatically. If a second user is needed, only that user's confirmation sets the time. A
   * clock, a run, a retry or a restore never sets it. The row is deleted when the answer was carried out, withdrawn or
   * refused, or has expired. The decision then contains the answer, and the audit contains the actor.
   */
  answers: table(
    {
      key: ['id'],
      whenClientErased: 'deleted first',
      exported: { not: 'kept for seven days at most' },
      retention: null,
    },
    {
      id: text(),
      /** The integration of the answer, or the first of several integrations. */
      integration_id: text(),
      /**
       * The kind of `subject`: the ID of a decision, the ID of a batch, or a kind of decision. For a `request`, the
       * subject is a keyed hash of the request and of its subject's state. `given` contains the request's content.
       * After the request was carried out, the subject is the request's own ID.
       */
      about: text<'contact' | 'network' | 'batch' | 'reason' | 'request'>(),
      subject: personal(text()),
      /**
       * If the answer is for a kind or a batch, it covers decisions that were opened up to this time (epoch ms). Null
       * if the answer covers all decisions.
       */
      opened_until: nullable(bigint()),
      /** The contact to erase. Null for any other answer. */
      crm_id: nullable(
        contactId({ forget: 'otherwise', about: 'approvals', whenRemoved: { kept: 'seven days' } }),
      ),
      /** The decision about the question. Null for a request, whose decision is in `given`. */
      decision: personal(nullable(text<QuestionDecision>())),
      /**
       * Encrypted: the user who gave the answer. For a request, also its content and the number of contacts. For one day, it also contains the result.
       */
      given: sealed({ with: 'key of the audit', boundTo: ['id', 'integration_id', 'crm_id'] }),
      given_at: bigint(),
      /**
       * The step that must happen before the row is deleted: a confirmation, or work of the service. Null if no step
       * must happen.
       */
      needs: nullable(text<'second_person' | 'carrying_out'>()),
      in_force_from: nullable(bigint()),
      /** The time at which the answer expires. Null means never. */
      void_from: nullable(bigint()),
      /**
       * The second user, encrypted for the audit. Null until this user confirms. If no confirmation is needed, this is
       * the user who gave the answer.
       */
      confirmed_by: nullable(
        sealed({ with: 'key of the audit', boundTo: ['id', 'integration_id', 'crm_id'] }),
      ),
      /**
       * The time at which the service started to carry out the answer. From then on, nobody can withdraw the answer.
       */
      claimed_at: nullable(bigint()),
    },
  ),
  /** The number of erasures per day that started without a user's approval. */
  automatic_erasures: table(
    {
      key: ['integration_id', 'day'],
      whenClientErased: 'deleted',
      exported: { not: 'a count of one day' },
      retention: null,
    },
    {
      integration_id: text(),
      /** The day, as the number of days since 1970 in UTC. */
      day: integer(),
      count: integer(),
    },
  ),
};
