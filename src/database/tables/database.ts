/** Data about the database itself: secrets, texts from outside, and where the store is after a move. */
import { bigint, contactId, nullable, sealed, table, text } from './table.ts';

export const DATABASE_TABLES = {
  /** Encrypted texts by name, such as tokens and the fingerprint key. */
  secrets: table(
    {
      key: ['name'],
      whenClientErased: 'cleared',
      exported: { not: 'secrets' },
      retention: null,
    },
    {
      name: text(),
      value: sealed({ with: 'secret key', boundTo: ['name'] }),
    },
  ),
  /** A CRM's texts about a contact or a run, for deciders. They are kept for a limited time. */
  foreign_texts: table(
    {
      key: ['id'],
      whenClientErased: 'deleted',
      exported: { not: 'encrypted texts of the CRM, for 30 days' },
      retention: null,
    },
    {
      id: text(),
      integration_id: text(),
      run_id: text(),
      /** The contact's ID in the CRM. Empty for a text about the whole run. */
      crm_id: contactId({
        forget: 'otherwise',
        about: 'texts',
        whenRemoved: { kept: 'deleted there on its own' },
      }),
      /** The encrypted text. */
      sealed: sealed({ with: 'secret key', boundTo: ['id', 'integration_id', 'run_id', 'crm_id'] }),
      kept_at: bigint(),
    },
  ),
  /** A store's move out of this database or into it. There is no row if the store was never moved. */
  moves: table(
    {
      key: ['role'],
      whenClientErased: 'not of a client',
      exported: { not: 'of the database' },
      retention: null,
    },
    {
      role: text<'source' | 'target'>(),
      /** The ID of the move. It is the same in both databases. */
      id: text(),
      /** The other database, without its password. */
      other: text(),
      /**
       * Null at first. It is set first in the source, which is no longer used from then on, and then in the target,
       * which is used from then on.
       */
      done_at: nullable(bigint()),
    },
  ),
};
