/** The tables of warm paths, which contain IDs and numbers, but neither names nor sentences. */
import { bigint, contactId, donorId, integer, nullable, personal, table, text } from './table.ts';

export const PATH_TABLES = {
  /**
   * The best connection of each contact that has a donor. Each contact with a donor has one row, even without a
   * connection.
   */
  warm_paths: table(
    {
      key: ['integration_id', 'crm_id'],
      whenClientErased: 'deleted',
      exported: {
        as: 'warm-paths',
        columns: [
          'crm_id',
          'donor_id',
          'people',
          'strength_millionths',
          'introducer_id',
          'network_id',
          'computed_at',
        ],
      },
      retention: null,
    },
    {
      integration_id: text(),
      crm_id: contactId({ forget: 'row', about: 'warmPaths', whenRemoved: 'deleted' }),
      /** The donor whose path is computed. */
      donor_id: donorId('contact'),
      /** 1 if the path may have changed. */
      stale: integer(),
      /** The time of the last computation. 0 if the path was never computed. */
      computed_at: bigint(),
      /** The time at which the contact's first path was found. Null if the contact has no path. */
      found_at: nullable(bigint()),
      /** The strength of the best connection in millionths. Null if the contact has no path. */
      strength_millionths: personal(nullable(integer())),
      /** The number of network members who are connected to the contact. */
      people: personal(integer()),
      /** The member at the other end of the best connection. */
      introducer_id: nullable(donorId('introducer')),
      /** The ID of the introducer's network at the service. */
      network_id: nullable(text()),
      /** JSON with the donor IDs of all connected members. Null if the service did not name all of them. */
      connecting: personal(nullable(text())),
      /** The fingerprint of the values in the CRM. Null means that the CRM record must be compared. */
      told: personal(nullable(text())),
    },
  ),
  /** The state at the last comparison of warm paths. */
  warm_path_scopes: table(
    {
      key: ['integration_id'],
      whenClientErased: 'deleted',
      exported: { not: 'what the last comparison was made with' },
      retention: null,
    },
    {
      integration_id: text(),
      /** The fingerprint of the settings for paths and their fields. */
      settings: text(),
      /** JSON with the members of each network, by the network's ID at the service. */
      members: personal(text()),
      /**
       * Contacts that no run has processed since this epoch have not changed. Null if every contact must be checked.
       */
      looked_epoch: nullable(integer()),
    },
  ),
};
