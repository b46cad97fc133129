/** Warm paths. They contain IDs and numbers, but no names and no sentences. */
import { bigint, contactId, donorId, integer, nullable, personal, table, text } from './table.ts';

export const PATH_TABLES = {
  /** The best connection of each contact with a donor. Each contact has one row, even without a connection. */
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
      /** 0 if the path was never computed. */
      computed_at: bigint(),
      /** When a path was found for a contact without one. Null without a path. */
      found_at: nullable(bigint()),
      /** The strength of the best connection in millionths. Null without a path. */
      strength_millionths: personal(nullable(integer())),
      /** The number of connected people in the networks. */
      people: personal(integer()),
      /** The member at the other end of the best connection. */
      introducer_id: nullable(donorId('introducer')),
      /** The service's ID for the network of the introducer. */
      network_id: nullable(text()),
      /** JSON with the donor IDs of all these people. Null if the service did not name all of them. */
      connecting: personal(nullable(text())),
      /** Null means that the record must be compared. */
      told: personal(nullable(text())),
    },
  ),
  /** The state of the last comparison of warm paths. */
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
      /** JSON with each network's members, by the service's network ID. */
      members: personal(text()),
      /** Contacts that no run has processed since then have not changed. Null if every contact must be checked. */
      looked_epoch: nullable(integer()),
    },
  ),
};
