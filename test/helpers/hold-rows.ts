import type { HoldRecord } from '../../src/decisions/statements/holds.ts';
import type { NetworkHoldRecord } from '../../src/decisions/statements/network-holds.ts';

/** An open hold of a contact, as the store has it. */
export function aContactHold(changes: Partial<HoldRecord> = {}): HoldRecord {
  return {
    id: 'c',
    integrationId: 'riverside',
    crmId: '003A',
    trackingId: 't',
    kind: 'name_mismatch',
    detail: 'last_name_differs',
    openedAt: 2,
    decision: null,
    decidedAt: null,
    batch: null,
    ...changes,
  };
}

/** An open hold of a network, with the network's name. */
export function aNetworkHold(changes: Partial<NetworkHoldRecord> = {}): NetworkHoldRecord {
  return {
    id: 'n',
    integrationId: 'riverside',
    network: 'w',
    name: 'Board',
    subject: 's',
    kind: 'group_shrunk',
    detail: '12',
    openedAt: 1,
    decision: null,
    decidedAt: null,
    ...changes,
  };
}
