import { ConfigurationError } from '../../../core/errors.ts';
import type { NetworkHoldKind } from '../../../store/engine/network-tables.ts';
import type { NetworkHoldRecord } from '../../../store/networks/network-holds.ts';
import { shortId } from '../../terminal/short-id.ts';

/** What a person can do about holds that cannot be approved. */
const FIXES: Readonly<Partial<Record<NetworkHoldKind, string>>> = {
  group_unreadable:
    'Correct the group in the CRM, or name another one in the settings: the hold goes with the next sync',
  name_taken:
    'Give one of the two networks another name, here or at the service: the hold goes with the next sync',
  network_refused:
    'Correct what is refused, for example a name that is too long, in the settings: the hold goes with the next sync',
};

/** Throws a ConfigurationError that says what to do if the hold cannot be decided so. */
export function requireNetworkDecision(
  { id, kind, name }: NetworkHoldRecord,
  word: 'approve' | 'reject' | 'resubmit',
): void {
  const short = shortId(id);
  const fix = FIXES[kind];
  if (word === 'resubmit') {
    throw new ConfigurationError(
      `The hold ${short} is about the network "${name}", and there is nothing to submit again. Approve or reject it.`,
      { code: 'hold_of_network', details: { hold: id } },
    );
  }
  if (word === 'approve' && fix !== undefined) {
    throw new ConfigurationError(
      `The hold ${short} of the network "${name}" cannot be approved. ${fix}; \`donor-sync holds reject ${short}\` hides it until then.`,
      { code: 'hold_not_approvable', details: { hold: id } },
    );
  }
}
