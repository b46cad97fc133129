/** Warm paths. They contain IDs and numbers, no names and no sentences. */
import { bigint, contactId, donorId, integer, nullable, personal, table, text } from './table.ts';

export const PATH_TABLES = {
  /** One row for each contact with a donor: its best connection to the networks, if it has one. */
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
      /** The contact's donor, for which the path was or is to be computed. */
      donor_id: donorId('contact'),
      /** 1 if it may have changed since it was computed. */
      stale: integer(),
      /** When it was last computed; 0 for never. */
      computed_at: bigint(),
      /** Strength of the best connection in millionths; null without a path. */
      strength_millionths: personal(nullable(integer())),
      /** Number of people in the networks that the contact is connected to. */
      people: personal(integer()),
      /** Donor ID of the member at the other end of the best connection. */
      introducer_id: nullable(donorId('introducer')),
      /** The service's ID of the network that the introducer comes from. */
      network_id: nullable(text()),
      /** JSON: donor IDs of all those people; null if the service did not name every one. */
      connecting: personal(nullable(text())),
      /** Fingerprint of the values in the CRM; null if its record must be compared in any case. */
      told: personal(nullable(text())),
    },
  ),
  /** The state that the warm paths of an integration were last compared with. */
  warm_path_scopes: table(
    {
      key: ['integration_id'],
      whenClientErased: 'deleted',
      exported: { not: 'what the last comparison was made with' },
      retention: null,
    },
    {
      integration_id: text(),
      /** Fingerprint of the settings that determine a path's definition and its fields. */
      settings: text(),
      /** JSON: the service's ID of each network → donor IDs of its members. */
      members: personal(text()),
      /**
       * The epoch of the lease of that comparison: contacts that no run has touched since are
       * unchanged. Null if every contact is to be checked.
       */
      looked_epoch: nullable(integer()),
    },
  ),
};
