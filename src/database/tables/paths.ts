/** Warm paths. They contain IDs and numbers, but neither names nor sentences. */
import { bigint, contactId, donorId, integer, nullable, personal, table, text } from './table.ts';

export const PATH_TABLES = {
  /** The best connection of each contact with a donor. There is one row per contact, even if it has no connection. */
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
      /** The contact's donor, for whom the path was or will be computed. */
      donor_id: donorId('contact'),
      /** 1 if it may have changed since it was computed. */
      stale: integer(),
      /** When it was last computed, or 0 for never. */
      computed_at: bigint(),
      /** When a path was first found, since the contact last had none. Null without a path. */
      found_at: nullable(bigint()),
      /** The strength of the best connection in millionths. Null without a path. */
      strength_millionths: personal(nullable(integer())),
      /** The number of people in the networks to whom the contact is connected. */
      people: personal(integer()),
      /** The donor ID of the member at the other end of the best connection. */
      introducer_id: nullable(donorId('introducer')),
      /** The service's ID of the network that the introducer comes from. */
      network_id: nullable(text()),
      /** JSON with the donor IDs of all these people. Null if the service did not name all of them. */
      connecting: personal(nullable(text())),
      /** The fingerprint of the values in the CRM, or null if the record must be compared in any case. */
      told: personal(nullable(text())),
    },
  ),
  /** The state with which the warm paths of an integration were last compared. */
  warm_path_scopes: table(
    {
      key: ['integration_id'],
      whenClientErased: 'deleted',
      exported: { not: 'what the last comparison was made with' },
      retention: null,
    },
    {
      integration_id: text(),
      /** The fingerprint of the settings that decide what a path is and which fields it has. */
      settings: text(),
      /** JSON that maps the service's ID of each network to its members' donor IDs. */
      members: personal(text()),
      /**
       * The epoch of that comparison's lease. Contacts that no run has processed since then have not changed. Null if
       * every contact has to be checked.
       */
      looked_epoch: nullable(integer()),
    },
  ),
};
