import { isoTime } from '../../core/clock.ts';
import { ConfigurationError } from '../../core/errors.ts';
import type { NetworkHoldRow } from '../../store/network-holds.ts';
import type { NetworkHoldKind } from '../../store/network-tables.ts';
import { shortId } from '../short-id.ts';

/** A hold of a network as `holds --json` shows it. */
export interface NetworkHoldView {
  id: string;
  integration: string;
  /** Always null: it is about a whole network. */
  contact: null;
  /** The name of the network. */
  network: string;
  kind: NetworkHoldKind;
  /** Why it is held, in words. */
  reason: string;
  since: string;
}

export function describeNetworkHold(row: NetworkHoldRow): NetworkHoldView {
  return {
    id: row.id,
    integration: row.integration_id,
    contact: null,
    network: row.name,
    kind: row.kind,
    reason: reasonOf(row),
    since: isoTime(row.opened_at),
  };
}

function reasonOf({ kind, detail }: NetworkHoldRow): string {
  switch (kind) {
    case 'group_shrunk':
      return `${detail ?? 'many'} members would leave the network; approve lets them go, reject keeps them`;
    case 'group_unreadable':
      return `the group cannot be read to its end (${detail ?? 'unknown'}); nobody is added or removed`;
    case 'network_deleted':
      return `the service does not have the network any more; approve makes it anew for ${detail ?? 'some'} credits, reject leaves it`;
    case 'name_taken':
      return 'another network of the service has this name';
  }
}

/** What a person can do about holds that nobody can approve. */
const MENDS: Readonly<Partial<Record<NetworkHoldKind, string>>> = {
  group_unreadable:
    'Mend the group in the CRM, or name another one in the settings: the hold goes with the next sync',
  name_taken:
    'Give one of the two networks another name, here or at the service: the hold goes with the next sync',
};

/** Throws a ConfigurationError that says what to do if the hold cannot be decided so. */
export function requireNetworkDecision(
  { id, kind, name }: NetworkHoldRow,
  word: 'approve' | 'reject' | 'resubmit',
): void {
  const short = shortId(id);
  const mend = MENDS[kind];
  if (word === 'resubmit') {
    throw new ConfigurationError(
      `The hold ${short} is about the network "${name}", and there is nothing to submit again. Approve or reject it.`,
      { code: 'hold_of_network', details: { hold: id } },
    );
  }
  if (word === 'approve' && mend !== undefined) {
    throw new ConfigurationError(
      `The hold ${short} of the network "${name}" cannot be approved. ${mend}; \`donor-sync holds reject ${short}\` hides it until then.`,
      { code: 'hold_not_approvable', details: { hold: id } },
    );
  }
}
