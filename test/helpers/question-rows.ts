import type { ContactQuestion, NetworkQuestion } from '../../src/decisions/statements/questions.ts';

/** Creates an open decision about a contact, in the form in which it is stored. */
export function aContactHold(changes: Partial<ContactQuestion> = {}): ContactQuestion {
  return {
    about: 'contact',
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

/** Creates an open decision about a network, in the form in which it is stored, with the network's name. */
export function aNetworkHold(changes: Partial<NetworkQuestion> = {}): NetworkQuestion {
  return {
    about: 'network',
    id: 'n',
    integrationId: 'riverside',
    network: 'w',
    name: 'Board',
    batch: null,
    kind: 'group_shrunk',
    detail: '12',
    openedAt: 1,
    decision: null,
    decidedAt: null,
    ...changes,
  };
}
