/** What waits for a decision of a user, and the decisions. */
import type { QuestionKind } from '../../core/question-kinds.ts';
import { bigint, contactId, integer, nullable, personal, sealed, table, text } from './table.ts';

export const DECISION_TABLES = {
  /**
   * A question that a user has to answer, about a contact or a network. It is open until it has a decision; `superseded`
   * if it needs none any more.
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
      /** Null for a question about a contact. */
      network: nullable(text()),
      /** The reason: it says what the decisions mean. */
      kind: personal(text<QuestionKind>()),
      /** Questions of one cause share this id and can be decided together; null for one that stands alone. */
      batch: nullable(text()),
      /** The job of the contact, or the question's own id if it is about no job; null for a network. */
      tracking_id: personal(nullable(text())),
      /** What exactly is asked about a network, as an id or a fingerprint; null once that is over, and for a contact. */
      matter: personal(nullable(text())),
      /** More of the reason: a word or a number, or what a CRM said. */
      detail: personal(nullable(text())),
      opened_at: bigint(),
      decision: nullable(text<'approved' | 'rejected' | 'resubmitted' | 'superseded'>()),
      decided_at: nullable(bigint()),
    },
  ),
  /**
   * An answer that a user has given and that is not carried out yet. It is in force from `in_force_from` on; if that is
   * null, it is never in force by itself. If it needs a second person, only the confirmation of that person sets it:
   * no clock, run, retry or restore does. Its row goes when it is carried out, withdrawn, refused or void. The
   * question then has what was decided, and the audit has who did it.
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
      /** Of what it is about; of the first if there are several. */
      integration_id: text(),
      /**
       * What `subject` is: the id of a question about a contact or a network, of a batch, or a kind of questions. Of a
       * `request`, which `given` has, it is a keyed hash of that request and of what it was about at that moment.
       */
      about: text<'contact' | 'network' | 'batch' | 'reason' | 'request'>(),
      subject: personal(text()),
      /** Of a kind or a batch: it is about the questions that were opened until then (epoch ms); null for all. */
      opened_until: nullable(bigint()),
      /** The contact that is to be erased; null for any other answer. */
      crm_id: nullable(
        contactId({ forget: 'otherwise', about: 'approvals', whenRemoved: { kept: 'seven days' } }),
      ),
      /** Null for a request, which has its own in `given`. */
      decision: personal(nullable(text<'approved' | 'rejected' | 'resubmitted'>())),
      /** Sealed: who gave it; of a request also what was requested, and about how much. */
      given: sealed({ with: 'key of the audit', boundTo: ['id', 'integration_id', 'crm_id'] }),
      given_at: bigint(),
      /**
       * What it needs before its row goes: a second person, or only to be carried out by the service, outside of the
       * database. Null for a decision, which nobody else has to confirm.
       */
      needs: nullable(text<'second_person' | 'carrying_out'>()),
      in_force_from: nullable(bigint()),
      /** When it is void, or is tried no longer; null for one that is neither. */
      void_from: nullable(bigint()),
      /**
       * Sealed, for the audit: the second person, null until that person confirms. Of what is only to be carried out,
       * the user who gave it.
       */
      confirmed_by: nullable(
        sealed({ with: 'key of the audit', boundTo: ['id', 'integration_id', 'crm_id'] }),
      ),
      /** When it began to be carried out; from then on it cannot be withdrawn. */
      claimed_at: nullable(bigint()),
    },
  ),
  /** Erasures that started without a user, counted by day. */
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
