import type { Store } from '../store.ts';

/** Chooses a few contacts from many contacts, spread over all of them. */
export interface Spread {
  add(crmId: string): void;
  /** Returns the IDs of the chosen contacts. The order of the IDs is always the same. */
  ids(): string[];
}

/** A selection that always remains empty. */
export const NO_SPREAD: Spread = { add: () => {}, ids: () => [] };

/**
 * Chooses `size` of the added contacts by a keyed hash of their IDs. The choice is always the same and does not depend
 * on the CRM's order. The choice does not prefer the CRM's oldest records.
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
