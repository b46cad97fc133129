import { bigint, contactId, nullable, sealed, table, text } from './table.ts';

export const DATABASE_TABLES = {
  /** Encrypted values by name, such as tokens. */
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
  /** Messages from CRMs, for users who decide. These messages are stored for a limited time. */
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
      /** The contact in the message. Empty for a message about the whole run. */
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
  /** The move of this database. The table is empty if the database was never moved. */
  moves: table(
    {
      key: ['role'],
      whenClientErased: 'not of a client',
      exported: { not: 'of the database' },
      retention: null,
    },
    {
      role: text<'source' | 'target'>(),
      /** The ID of the move. The source and the target have the same ID. */
      id: text(),
      /** The address of the other database, without its password. */
      other: text(),
      /**
       * The time at which the move was completed. Null during the move. The source is marked first, and is not used
       * afterwards. The target is marked next, and is then in use.
       */
      done_at: nullable(bigint()),
    },
  ),
};
