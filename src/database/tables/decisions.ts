/** Questions that wait for a user's decision, and the decisions. */
import type { QuestionKind } from '../../core/question-kinds.ts';
import { bigint, contactId, integer, nullable, personal, sealed, table, text } from './table.ts';

export const DECISION_TABLES = {
  /**
   * A question about a contact or a network that a user has to answer. It is open until it has a decision. It is
   * `superseded` if it no longer needs one.
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
      /** The contact's ID. Null for a question about a network. */
      crm_id: nullable(
        contactId({
          forget: 'row',
          about: 'holds',
          whenRemoved: { kept: '`retention.outcomes`' },
        }),
      ),
      /** The network. Null for a question about a contact. */
      network: nullable(text()),
      /** The reason. It determines what the decisions mean. */
      kind: personal(text<QuestionKind>()),
      /**
       * The ID that questions with the same cause share, so they can be decided together. Null for a single question.
       */
      batch: nullable(text()),
      /** The contact's job. If the question is not about a job, its own ID. Null for a network. */
      tracking_id: personal(nullable(text())),
      /**
       * The exact subject of a question about a network, as an ID or a fingerprint. Null once the matter is over, and
       * for a contact.
       */
      matter: personal(nullable(text())),
      /** Details of the reason: a word, a number or a CRM's message. */
      detail: personal(nullable(text())),
      opened_at: bigint(),
      decision: nullable(text<'approved' | 'rejected' | 'resubmitted' | 'superseded'>()),
      decided_at: nullable(bigint()),
    },
  ),
  /**
   * A user's answer that has not been carried out yet. It takes effect at `in_force_from`. If that is null, it does not
   * take effect automatically. If the answer needs a second user, only that user's confirmation sets it, and never a
   * clock, run, retry or restore. The row is deleted when the answer is carried out, withdrawn, refused or void. The
   * question then records the decision, and the audit records the actor.
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
      /** The integration that the answer is about, or the first one if there are several. */
      integration_id: text(),
      /**
       * What `subject` contains: the ID of a question about a contact or a network, a batch's ID, or a kind of
       * question. For a `request`, whose content is in `given`, it is a keyed hash of the request and of the state of
       * its subject at that time. Once the request has ended, it is the request's own ID.
       */
      about: text<'contact' | 'network' | 'batch' | 'reason' | 'request'>(),
      subject: personal(text()),
      /**
       * For a kind or a batch, only questions that were opened up to this time are answered (epoch ms). Null for all.
       */
      opened_until: nullable(bigint()),
      /** The contact that is to be erased. Null for any other answer. */
      crm_id: nullable(
        contactId({ forget: 'otherwise', about: 'approvals', whenRemoved: { kept: 'seven days' } }),
      ),
      /** The decision. Null for a request, whose decision is in `given`. */
      decision: personal(nullable(text<'approved' | 'rejected' | 'resubmitted'>())),
      /**
       * Encrypted: the user who gave the answer. For a request, it also contains what was requested, the number of
       * contacts and, for a day, how it ended.
       */
      given: sealed({ with: 'key of the audit', boundTo: ['id', 'integration_id', 'crm_id'] }),
      given_at: bigint(),
      /**
       * What is needed before the row is deleted: a second user's confirmation, or that the service carries it out
       * outside the database. Null for a decision that needs no confirmation.
       */
      needs: nullable(text<'second_person' | 'carrying_out'>()),
      in_force_from: nullable(bigint()),
      /** When the answer becomes void, or is no longer tried, or null if neither happens. */
      void_from: nullable(bigint()),
      /**
       * Encrypted, for the audit: the second user. Null until that user confirms. For answers that only have to be
       * carried out by the service, it is the user who gave the answer.
       */
      confirmed_by: nullable(
        sealed({ with: 'key of the audit', boundTo: ['id', 'integration_id', 'crm_id'] }),
      ),
      /** When carrying it out started. From then on it cannot be withdrawn. */
      claimed_at: nullable(bigint()),
    },
  ),
  /** Erasures that started without a user, counted per day. */
  automatic_erasures: table(
    {
      key: ['integration_id', 'day'],
      whenClientErased: 'deleted',
      exported: { not: 'a count of one day' },
      retention: null,
    },
    {
      integration_id: text(),
      /** Days since 1970 in UTC. */
      day: integer(),
      count: integer(),
    },
  ),
};
