/** Joins two donors into one. Before the join, the function stores the two parts, so an operator can undo the join. */

import type { Database } from '../database.ts';
import type { GrowingIndex } from '../matcher/growing-index.ts';
import type { Entry } from './entry.ts';
import { mergeDonors, mergeEntry, newDonor } from './merge.ts';
import { openMixedPlaces } from './mixed-places.ts';
import { openParts, type Part } from './parts.ts';
import { openReferences } from './references.ts';
import type { RecordStore } from './store.ts';

/** The reasons why two records count as one person. */
export interface Grounds {
  probability: number;
  reasons: readonly string[];
}

/** Functions that join donors, to be called inside a transaction. */
export interface Joining {
  /** Joins a donor to another donor, whose number the joined donor keeps. */
  join(into: number, from: number, grounds: Grounds, atMs: number): void;
  /** Stores an entry from another source as a part of the donor that the entry describes. */
  joinEntry(number: number, entry: Entry): void;
  /** Stores the latest data of a source about a donor. Does nothing if no other donor was ever joined to the donor. */
  writeEntry(number: number, entry: Entry): void;
  /**
   * Handles a list in which the donor has a new key. The old keys from that list are no longer used. The part of the
   * donor that comes from that list gets the new keys.
   */
  renewKeys(number: number, entry: Entry): void;
}

/** Opens the functions that join donors. */
export function createJoining(db: Database, record: RecordStore, growing: GrowingIndex): Joining {
  const parts = openParts(db);
  const places = openMixedPlaces(db);
  const references = openReferences(db);

  /** Stores the donor as its own first part. From now on, the donor consists of parts. */
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
