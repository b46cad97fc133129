/** Makes two donors one. Stores their parts first, so an operator can undo the join. */

import type { Database } from '../database.ts';
import type { GrowingIndex } from '../matcher/growing-index.ts';
import type { Entry } from './entry.ts';
import { mergeDonors, mergeEntry, newDonor } from './merge.ts';
import { openMixedPlaces } from './mixed-places.ts';
import { openParts, type Part } from './parts.ts';
import { openReferences } from './references.ts';
import type { RecordStore } from './store.ts';

/** The reason why two records are treated as one person. */
export interface Grounds {
  probability: number;
  reasons: readonly string[];
}

/** Call these functions inside a transaction. */
export interface Joining {
  /** Joins a donor to a different donor, whose number is kept. */
  join(into: number, from: number, grounds: Grounds, atMs: number): void;
  /** Stores an entry from a different source as a part of the donor that it describes. */
  joinEntry(number: number, entry: Entry): void;
  /** Stores a source's new or repeated statements about a donor. Does nothing if the donor was never joined. */
  writeEntry(number: number, entry: Entry): void;
  /**
   * A list has a new key for the donor. Retires the old keys from that list. The part from that list gets the new keys.
   */
  renewKeys(number: number, entry: Entry): void;
}

/** Opens the functions that join donors. */
export function createJoining(db: Database, record: RecordStore, growing: GrowingIndex): Joining {
  const parts = openParts(db);
  const places = openMixedPlaces(db);
  const references = openReferences(db);

  /** Stores a donor as its first part. From now on, the donor consists of parts. */
  function begin(number: number): void {
    const donor = record.donor(number);
    if (donor === null) return;
    if (parts.of(number).length === 0) {
      const aliases = record.aliasesOf(number);
      parts.add({ id: donor.id, number, ownNumber: number, donor, aliases }, record.keysOf(number));
    }
    places.mark(
      number,
      parts.of(number).map(({ id }) => id),
    );
  }

  function write(part: Part | undefined, number: number, entry: Entry): void {
    if (part === undefined || part.number !== number) return;
    parts.write(part.id, mergeEntry(part.donor, entry, record.identify), entry.keys);
  }

  return {
    join(into, from, { probability, reasons }, atMs) {
      const [donor, other] = [record.donor(into), record.donor(from)];
      if (donor === null || other === null) return;
      begin(into);
      begin(from);
      const merged = mergeDonors(donor, other);
      record.write(into, merged, []);
      growing.put(into, merged, donor);
      growing.remove(from, other);
      places.unite(from, into);
      references.move(from, into);
      parts.move(from, into);
      record.vacate({ number: from, joinedTo: into, probability, reasons, atMs });
    },
    joinEntry(number, entry) {
      begin(number);
      const donor = newDonor(entry, record.identify, record.freeId(entry.keys[0]));
      parts.add({ id: donor.id, number, ownNumber: null, donor, aliases: [] }, entry.keys);
    },
    writeEntry(number, entry) {
      const part = entry.keys.map(parts.byKey).find((one) => one !== undefined);
      write(part, number, entry);
    },
    renewKeys(number, entry) {
      const retired = record.retireKeys(number, entry.keys);
      for (const { key, former } of retired) parts.renameKey(key, former);
      const part = retired
        .map(({ former }) => parts.byKey(former))
        .find((one) => one !== undefined);
      write(part, number, entry);
    },
  };
}
