import type { Store } from '../store.ts';

/** A few of many contacts, spread over all of them. */
export interface Spread {
  add(crmId: string): void;
  /** The chosen ones, always in the same order. */
  ids(): string[];
}

/** None of the contacts. */
export const NO_SPREAD: Spread = { add: () => {}, ids: () => [] };

/**
 * Chooses so many of the contacts that are added, by a keyed hash of their ids: neither the order of
 * the CRM nor its oldest records decide, and the same contacts are chosen every time.
 */
export function createSpread({ fingerprint }: Pick<Store, 'fingerprint'>, size: number): Spread {
  const chosen: { crmId: string; hash: string }[] = [];

  return {
    add(crmId) {
      const hash = fingerprint('trial', crmId);
      const last = chosen.at(-1);
      if (chosen.length === size && last !== undefined && hash >= last.hash) return;
      const place = chosen.findIndex((one) => one.hash > hash);
      chosen.splice(place < 0 ? chosen.length : place, 0, { crmId, hash });
      if (chosen.length > size) chosen.pop();
    },
    ids: () => chosen.map(({ crmId }) => crmId),
  };
}
