/** Questions that wait for a user's decision, and the decisions. */
import type { Closing, QuestionDecision } from '../../core/questions/decisions.ts';
import type { QuestionKind } from '../../core/questions/question-kinds.ts';
import { bigint, contactId, integer, nullable, personal, sealed, table, text } from './table.ts';

export const DECISION_TABLES = {
  /**
   * A question for a user about a contact or a network. Open until it has a decision. `superseded` means that no
   * decision is needed any more.
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
      /** Null for a question about a network. */
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
       * Questions with the same cause share this ID, so a user can answer them together. Null for a single question.
       */
      batch: nullable(text()),
      /**
       * The contact's job, or the question's own ID if there is no job. A question without a job uses its own ID. Null
       * for a network.
       */
      tracking_id: personal(nullable(text())),
      /**
       * What a question about a network is about: an ID or a fingerprint. Null for a settled question and for a
       * question about a contact.
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
   * A user's answer that is not carried out yet. Takes effect at `in_force_from`. Null means that it does not take
   * effect automatically. If a second user is needed, only that user's confirmation sets it. A clock, a run, a retry or
   * a restore never sets it. The row is deleted when the answer was carried out, withdrawn or refused, or has expired.
   * The question then has the decision, and the audit has the actor.
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
      /** The answer's integration, or the first of several. */
      integration_id: text(),
      /**
       * What `subject` is: a question's ID, a batch's ID, or a kind of question. For a `request`, it is a keyed hash of
       * the request and of its subject's state. `given` has the request's content. Afterwards, it is the request's own
       * ID.
       */
      about: text<'contact' | 'network' | 'batch' | 'reason' | 'request'>(),
      subject: personal(text()),
      /**
       * For a kind or a batch, the answer covers questions up to this time (epoch ms). Null if the answer applies to
       * all questions.
       */
      opened_until: nullable(bigint()),
      /** The contact to erase. Null for any other answer. */
      crm_id: nullable(
        contactId({ forget: 'otherwise', about: 'approvals', whenRemoved: { kept: 'seven days' } }),
      ),
      /** Null for a request, whose decision is in `given`. */
      decision: personal(nullable(text<QuestionDecision>())),
      /**
       * Encrypted: who gave the answer. For a request, also its content and the number of contacts. For one day, it
       * also contains the result.
       */
      given: sealed({ with: 'key of the audit', boundTo: ['id', 'integration_id', 'crm_id'] }),
      given_at: bigint(),
      /**
       * What must happen before the row is deleted: a confirmation, or work of the service. Null if nothing must
       * happen.
       */
      needs: nullable(text<'second_person' | 'carrying_out'>()),
      in_force_from: nullable(bigint()),
      /** The answer expires at this time. Null means never. */
      void_from: nullable(bigint()),
      /**
       * The second user, encrypted for the audit. Null until that user confirms. If no confirmation is needed, this is
       * the user who gave the answer.
       */
      confirmed_by: nullable(
        sealed({ with: 'key of the audit', boundTo: ['id', 'integration_id', 'crm_id'] }),
      ),
      /** When the service started to carry out the answer. Afterwards, nobody can withdraw it. */
      claimed_at: nullable(bigint()),
    },
  ),
  /** Erasures per day that started without a user's approval. */
  automatic_erasures: table(
    {
      key: ['integration_id', 'day'],
      whenClientErased: 'deleted',
      exported: { not: 'a count of one day' },
      retention: null,
    },
    {
      integration_id: text(),
      /** The number of days since 1970 in UTC. */
      day: integer(),
      count: integer(),
    },
  ),
};
