/** Stores the ties of all donors in the database, with one row for each column of the table. */

import { z } from 'zod';
import type { Database } from '../database.ts';
import { type Piece, piece } from '../pieces.ts';
import { type NumbersOf, readColumn } from '../search/columns.ts';
import type { EntityType } from './entity-type.ts';
import type { TieTable } from './tie-table.ts';
import type { CircleName } from './tie-table-builder.ts';

/** Returns the name of a circle from the database. */
export type NameOfCircle = (circle: number) => CircleName;

/** Writes the table to a database that does not contain a table yet. */
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

/** A table of ties that is read when it is first used. The table needs 150 megabytes of memory for a million donors. */
export interface LazyTies {
  table: Piece<TieTable>;
  /** The columns of the table, which are read one after another. */
  pieces: Piece[];
}

export function openTies(db: Database): LazyTies {
  const column = <T>(name: keyof TieTable, Numbers: NumbersOf<T>) =>
    piece(() => readColumn(db, 'tie_columns', name, Numbers));
  const columns = {
    donorStarts: column('donorStarts', Uint32Array),
    tieCircles: column('tieCircles', Uint32Array),
    tieFroms: column('tieFroms', Uint16Array),
    tieTos: column('tieTos', Uint16Array),
    circleStarts: column('circleStarts', Uint32Array),
    memberDonors: column('memberDonors', Uint32Array),
    memberFroms: column('memberFroms', Uint16Array),
    memberTos: column('memberTos', Uint16Array),
    circleKinds: column('circleKinds', Uint8Array),
    circleOrganisations: column('circleOrganisations', Uint32Array),
    nextCircles: column('nextCircles', Uint32Array),
    curveStarts: column('curveStarts', Uint32Array),
    curveFirstYears: column('curveFirstYears', Uint8Array),
    curves: column('curves', Float64Array),
  };
  return { table: piece(() => readAll(columns)), pieces: Object.values(columns) };
}

export function readTies(db: Database): TieTable {
  return openTies(db).table();
}

function readAll(columns: { [Name in keyof TieTable]: Piece<TieTable[Name]> }): TieTable {
  return {
    donorStarts: columns.donorStarts(),
    tieCircles: columns.tieCircles(),
    tieFroms: columns.tieFroms(),
    tieTos: columns.tieTos(),
    circleStarts: columns.circleStarts(),
    memberDonors: columns.memberDonors(),
    memberFroms: columns.memberFroms(),
    memberTos: columns.memberTos(),
    circleKinds: columns.circleKinds(),
    circleOrganisations: columns.circleOrganisations(),
    nextCircles: columns.nextCircles(),
    curveStarts: columns.curveStarts(),
    curveFirstYears: columns.curveFirstYears(),
    curves: columns.curves(),
  };
}

/** Returns a function that looks up the names of circles. */
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
