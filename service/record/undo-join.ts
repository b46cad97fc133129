/**
 * Undoes a join of two donors. Each of the two people becomes a separate donor again, with the data from that person's
 * sources.
 */

import type { Database } from '../database.ts';
import { openGrowingIndex } from '../matcher/growing-index.ts';
import { Refusal } from '../operation/refusal.ts';
import { openApart } from './apart.ts';
import { openExported } from './exported.ts';
import { mergeDonors } from './merge.ts';
import { type Mixed, openMixedPlaces } from './mixed-places.ts';
import { openParts, type Part } from './parts.ts';
import { openRecord } from './store.ts';
import { openRecordedWorld } from './world.ts';

export interface Undone {
  /** The ID that the remaining donor keeps, and the ID of the separated donor. */
  id: string;
  restored: string;
  /**
   * The number of entries that teams created while the two people were one donor. The teams' entries now lead to
   * nobody.
   */
  mixed: Mixed[];
}

/** Undoes a single join. Works like `undoJoins`. */
export function undoJoin(db: Database, id: string, clock: () => number): Undone {
  const [undone] = undoJoins(db, [id], clock);
  if (undone === undefined) throw notJoined(id);
  return undone;
}

/**
 * Undoes the joins of several donors, either all joins or none. The service never joins the two people again
 * automatically. Data that depends on all people is created again only once, at the end. Creating this data takes as
 * long as the rest of the work. Stop all services that use the database first.
 */
export function undoJoins(db: Database, ids: readonly string[], clock: () => number): Undone[] {
  const world = openRecordedWorld(db);
  const record = openRecord(db);
  const parts = openParts(db);
  const places = openMixedPlaces(db);
  const exported = openExported(db);
  const apart = openApart(db);
  const growing = openGrowingIndex(db, world.donorCount);

  function undo(id: string): Undone {
    const part = findPart(db, id);
    const joined = record.donor(part.number);
    if (joined === null) throw new Refusal(`There is no donor ${id}.`);
    const all = parts.of(part.number);
    const rest = all.filter((one) => one.id !== part.id);
    const [first, ...others] = rest;
    if (first === undefined) throw notJoined(id);
    const stays = others.reduce((donor, one) => mergeDonors(donor, one.donor), first.donor);
    const donor = { ...stays, id: joined.id };
    const ownNumber = part.ownNumber ?? record.count();
    const keys = parts.keysOf(part.id);
    exported.divide(part.number, ownNumber);
    record.write(part.number, donor, []);
    growing.put(part.number, donor, joined);
    record.restore({ number: ownNumber, donor: part.donor, keys, aliases: part.aliases });
    growing.put(ownNumber, part.donor, null);
    const mixed = places.divide({
      ...{ number: part.number, all: all.map((one) => one.id), id: part.id, ownNumber },
    });
    parts.remove(part.id);
    record.redirect(ownNumber, part.number);
    if (others.length === 0) {
      parts.forget(part.number);
      places.clear(part.number);
    }
    apart.add(part.number, ownNumber);
    record.noteUndone({ number: ownNumber, apartFrom: part.number, atMs: clock() });
    return { id: joined.id, restored: part.id, mixed };
  }

  const undone = db.transaction(() => ids.map(undo)).immediate();
  openRecordedWorld(db);
  return undone;
}

/**
 * Finds the part that an operator wants to separate. The operator gives the part's ID or, if there are only two parts,
 * the ID of the other part.
 */
function findPart(db: Database, id: string): Part {
  const record = openRecord(db);
  const parts = openParts(db);
  const number = record.numberOf(id);
  const named = parts.find(id);
  const joined = named?.number ?? number;
  if (joined === null || joined === undefined) {
    throw new Refusal(`There is no donor ${id}. Ids are in profiles: "id".`);
  }
  const donor = record.donor(joined);
  const leaving = parts.of(joined).filter((part) => part.id !== donor?.id);
  if (named !== undefined && leaving.some((part) => part.id === id)) return named;
  const [only, ...more] = leaving;
  if (only !== undefined && more.length === 0) return only;
  if (only !== undefined) {
    throw new Refusal(
      `More than two people are one donor under ${id}. Name the id to separate: ${leaving.map((part) => part.id).join(', ')}.`,
    );
  }
  if (record.hasJoined(joined)) {
    throw new Refusal(
      `${id} was joined by an earlier version, which did not store the data of each source. It cannot be undone. Restore a backup, or erase the donor and import the sources again.`,
    );
  }
  throw notJoined(id);
}

function notJoined(id: string): Refusal {
  return new Refusal(`${id} is not joined. Nothing was changed.`);
}
