import type { HoldRow } from '../../src/store/holds/holds.ts';
import type { NetworkHoldRow } from '../../src/store/networks/network-holds.ts';

/** An open hold of a contact, as the store has it. */
export function aContactHold(changes: Partial<HoldRow> = {}): HoldRow {
  return {
    ...{ id: 'c', integration_id: 'riverside', crm_id: '003A', tracking_id: 't' },
    ...{ kind: 'name_mismatch', detail: 'last_name_differs', opened_at: 2 },
    ...{ decision: null, decided_at: null, batch: null },
    ...changes,
  };
}

/** An open hold of a network, with the network's name. */
export function aNetworkHold(changes: Partial<NetworkHoldRow> = {}): NetworkHoldRow {
  return {
    ...{ id: 'n', integration_id: 'riverside', network: 'w', name: 'Board', subject: 's' },
    ...{ kind: 'group_shrunk', detail: '12', opened_at: 1, decision: null, decided_at: null },
    ...changes,
  };
}
