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
  /** CRM messages for deciders. They are kept for a limited time. */
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
      /** Empty for the whole run. */
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
  /** Empty if the store never moved. */
  moves: table(
    {
      key: ['role'],
      whenClientErased: 'not of a client',
      exported: { not: 'of the database' },
      retention: null,
    },
    {
      role: text<'source' | 'target'>(),
      /** The source and the target have the same ID. */
      id: text(),
      /** The other database, without its password. */
      other: text(),
      /**
       * Null during the move. The source is marked first and is not used afterwards. The target is marked next and is
       * then in use.
       */
      done_at: nullable(bigint()),
    },
  ),
};
