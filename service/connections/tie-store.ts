/** Keeps the ties of all donors in the database: each column of the table as one row. */

import { z } from 'zod';
import type { Database } from '../database.ts';
import type { EntityType } from './entity-type.ts';
import type { TieTable } from './tie-table.ts';
import type { CircleName } from './tie-table-builder.ts';

/** How circles are called; they are read when they are asked for. */
export type NameOfCircle = (circle: number) => CircleName;

/** Writes a table and its names; the database must hold none. */
export function writeTies(db: Database, table: TieTable, names: readonly CircleName[]): void {
  const insertColumn = db.prepare<[string, Uint8Array]>('insert into tie_columns values (?, ?)');
  for (const [name, { buffer, byteOffset, byteLength }] of Object.entries(table)) {
    insertColumn.run(name, new Uint8Array(buffer, byteOffset, byteLength));
  }
  const insertName = db.prepare<[number, string, EntityType]>(
    'insert into circle_names values (?, ?, ?)',
  );
  names.forEach(({ organisationName, entityType }, circle) => {
    insertName.run(circle, organisationName, entityType);
  });
}

/** Reads the table that was written. */
export function readTies(db: Database): TieTable {
  return {
    donorStarts: readColumn(db, 'donorStarts', Uint32Array),
    tieCircles: readColumn(db, 'tieCircles', Uint32Array),
    tieFroms: readColumn(db, 'tieFroms', Uint16Array),
    tieTos: readColumn(db, 'tieTos', Uint16Array),
    circleStarts: readColumn(db, 'circleStarts', Uint32Array),
    memberDonors: readColumn(db, 'memberDonors', Uint32Array),
    memberFroms: readColumn(db, 'memberFroms', Uint16Array),
    memberTos: readColumn(db, 'memberTos', Uint16Array),
    circleKinds: readColumn(db, 'circleKinds', Uint8Array),
    circleOrganisations: readColumn(db, 'circleOrganisations', Uint32Array),
    nextCircles: readColumn(db, 'nextCircles', Uint32Array),
    curveStarts: readColumn(db, 'curveStarts', Uint32Array),
    curveFirstYears: readColumn(db, 'curveFirstYears', Uint8Array),
    curves: readColumn(db, 'curves', Float64Array),
  };
}

/** Prepares the look-up of names. */
export function openCircleNames(db: Database): NameOfCircle {
  const select = db.prepare<[number], unknown>(
    'select name as organisationName, entity_type as entityType from circle_names where circle = ?',
  );
  return (circle) => circleNameSchema.parse(select.get(circle));
}

const circleNameSchema = z.object({
  organisationName: z.string(),
  entityType: z.enum(['nonprofit', 'company', 'school']),
});

/** A form of numbers, such as `Uint32Array`. */
interface NumbersOf<T> {
  BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): T;
}

function readColumn<T>(db: Database, name: keyof TieTable, Numbers: NumbersOf<T>): T {
  const bytes = db
    .prepare<[string], Buffer>('select bytes from tie_columns where name = ?')
    .pluck()
    .get(name);
  if (bytes === undefined) throw new Error(`The database lacks the column ${name} of the ties.`);
  const size = Numbers.BYTES_PER_ELEMENT;
  // Numbers may only begin where a multiple of their size lies.
  const aligned = bytes.byteOffset % size === 0 ? bytes : Uint8Array.from(bytes);
  return new Numbers(aligned.buffer, aligned.byteOffset, aligned.byteLength / size);
}
