/** Stores the parts of joined donors, each with the data of some sources, so that an operator can undo a join. */

import { z } from 'zod';
import type { Database } from '../database.ts';
import type { Donor } from '../donor.ts';
import { readDonor } from './store.ts';

/** A part of a joined donor, with the data from some of the donor's sources. */
export interface Part {
  id: string;
  number: number;
  /**
   * The number that the part had when it was a separate donor. Null if the part was already joined when it was
   * imported.
   */
  ownNumber: number | null;
  donor: Donor;
  /** The IDs that belonged to the part before the join. */
  aliases: readonly string[];
}

/** The parts of joined donors. Call the functions that write inside a transaction. */
export interface Parts {
  /**
   * Returns the parts of a joined donor, starting with the part whose number the donor has. Returns an empty list for a
   * donor without joins.
   */
  of(number: number): Part[];
  find(id: string): Part | undefined;
  byKey(key: string): Part | undefined;
  keysOf(id: string): string[];
  add(part: Part, keys: readonly string[]): void;
  /** Stores the current state and the additional keys of a part. */
  write(id: string, donor: Donor, keys: readonly string[]): void;
  /** Renames a key of any part. */
  renameKey(key: string, former: string): void;
  move(from: number, to: number): void;
  remove(id: string): void;
  /** Removes all stored parts of a donor. */
  forget(number: number): void;
}

interface Row {
  id: string;
  number: number;
  ownNumber: number | null;
  donor: string;
  aliases: string;
}

const COLUMNS = 'record_parts.id, number, own_number ownNumber, donor, aliases';

export function openParts(db: Database): Parts {
  const ofNumber = db.prepare<[number], Row>(
    `select ${COLUMNS} from record_parts where number = ? order by own_number is null, own_number, id`,
  );
  const byId = db.prepare<[string], Row>(`select ${COLUMNS} from record_parts where id = ?`);
  const byKey = db.prepare<[string], Row>(
    `select ${COLUMNS} from record_part_keys join record_parts on record_parts.id = part where key = ?`,
  );
  const keysOf = db
    .prepare<[string], string>('select key from record_part_keys where part = ? order by key')
    .pluck();
  const insert = db.prepare<[Row]>(
    `insert into record_parts (id, number, own_number, donor, aliases)
     values (@id, @number, @ownNumber, @donor, @aliases)`,
  );
  const insertKey = db.prepare<[string, string]>(
    'insert or replace into record_part_keys values (?, ?)',
  );
  const renameKey = db.prepare<[string, string]>(
    'update or replace record_part_keys set key = ? where key = ?',
  );
  const update = db.prepare<[string, string]>('update record_parts set donor = ? where id = ?');
  const move = db.prepare<[number, number]>('update record_parts set number = ? where number = ?');
  const remove = db.prepare<[string]>('delete from record_parts where id = ?');
  const removeKeys = db.prepare<[string]>('delete from record_part_keys where part = ?');

  function removePart(id: string): void {
    removeKeys.run(id);
    remove.run(id);
  }

  function addKeys(id: string, keys: readonly string[]): void {
    for (const key of keys) insertKey.run(key, id);
  }

  return {
    of: (number) => ofNumber.all(number).map(toPart),
    find: (id) => toPartIfAny(byId.get(id)),
    byKey: (key) => toPartIfAny(byKey.get(key)),
    keysOf: (id) => keysOf.all(id),
    add(part, keys) {
      const { donor, aliases, ...rest } = part;
      insert.run({ ...rest, donor: JSON.stringify(donor), aliases: JSON.stringify(aliases) });
      addKeys(part.id, keys);
    },
    write(id, donor, keys) {
      update.run(JSON.stringify(donor), id);
      addKeys(id, keys);
    },
    renameKey(key, former) {
      renameKey.run(former, key);
    },
    move(from, to) {
      move.run(to, from);
    },
    remove: removePart,
    forget(number) {
      for (const { id } of ofNumber.all(number)) removePart(id);
    },
  };
}

function toPartIfAny(row: Row | undefined): Part | undefined {
  return row && toPart(row);
}

const aliasesSchema = z.array(z.string());

function toPart({ donor, aliases, ...rest }: Row): Part {
  return {
    ...rest,
    donor: readDonor(donor),
    aliases: aliasesSchema.parse(JSON.parse(aliases)),
  };
}
