/** Networks that the service refuses as invalid: they are held, and all others go on. */
import { PartnerBadRequest, PartnerValidationError } from '../partner/errors.ts';
import type { NetworkRecord } from '../store/networks/networks.ts';
import { askPerson } from './ask-person.ts';
import type { NetworkDeps, NetworkRun } from './context.ts';

/** A refusal that is about what was sent; the same would be refused again. */
export type NetworkRefusal = PartnerBadRequest | PartnerValidationError;

/** True for a 400 or 422 (service document, section 7): it cost nothing, and others may pass. */
export function isNetworkRefusal(error: unknown): error is NetworkRefusal {
  return error instanceof PartnerBadRequest || error instanceof PartnerValidationError;
}

/** Tells a person what is refused, by the places that the service named; never by the values. */
export async function holdRefused(
  deps: NetworkDeps,
  run: NetworkRun,
  row: NetworkRecord,
  refusal: NetworkRefusal,
): Promise<void> {
  const detail = textOf(refusal);
  deps.log.warn({ run: run.id, network: row.id, refused: detail }, 'a network is refused');
  const subject = deps.store.fingerprint('network_refusal', detail);
  await askPerson(deps, run, row.id, { kind: 'network_refused', subject, detail });
}

function textOf(refusal: NetworkRefusal): string {
  const { endpoint, status } = refusal.details;
  const items = refusal instanceof PartnerValidationError ? refusal.items : [];
  const places = new Set(items.map(({ loc, type }) => `${fieldsIn(loc)} ${type}`));
  return [`${endpoint} answered ${status}`, ...places].join(', ');
}

/** Without positions, so that the next night's refusal of the same is the same question. */
function fieldsIn(loc: readonly (string | number)[]): string {
  return loc.filter((part) => typeof part === 'string' && part !== 'body').join('.');
}
