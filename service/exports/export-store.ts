/** Stores the exports of all teams, with their files. */

import { z } from 'zod';
import type { Database } from '../database.ts';
import { EXPORT_FIELDS, type ExportField } from './export-fields.ts';
import { EXPORT_FORMATS, type ExportFormat } from './export-file.ts';

export interface DonorExport {
  /** The ID as 32 hexadecimal characters. */
  id: string;
  team: string;
  format: ExportFormat;
  fields: ExportField[];
  donorCount: number;
  createdAtMs: number;
  /** The size of the file in bytes. */
  sizeBytes: number;
}

/** An earlier export, with its position in the order of creation. */
export interface PlacedExport extends DonorExport {
  position: number;
}

export interface Exports {
  add(made: Omit<DonorExport, 'sizeBytes'>, file: Buffer, donors: readonly number[]): void;
  /** Returns the export, or undefined if the team has no such export. */
  find(team: string, id: string): DonorExport | undefined;
  /** Returns the file of an export that `find` has returned. */
  file(id: string): Buffer | undefined;
  /**
   * Returns up to `limit` exports of a team that were created before a position. The latest export comes first. If the
   * position is null, starts with the latest export.
   */
  latest(team: string, before: number | null, limit: number): PlacedExport[];
}

export function createExports(db: Database): Exports {
  const sql = prepareStatements(db);
  return {
    add: db.transaction((made, file, donors) => {
      sql.insert.run({ ...made, fields: JSON.stringify(made.fields), file });
      sql.insertDonors.run(made.id, JSON.stringify(donors));
    }),
    find: (team, id) => rowSchema.optional().parse(sql.find.get(id, team)),
    file: (id) => sql.file.get(id)?.file,
    latest: (team, before, limit) =>
      z.array(rowSchema).parse(sql.latest.all({ team, before, limit })),
  };
}

const rowSchema = z.object({
  position: z.number(),
  id: z.string(),
  team: z.string(),
  format: z.enum(EXPORT_FORMATS),
  fields: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(z.array(z.enum(EXPORT_FIELDS))),
  donorCount: z.number(),
  createdAtMs: z.number(),
  sizeBytes: z.number(),
});

const EXPORTS = `
  select position, export_id id, team, format, fields, donor_count donorCount,
         created_at_ms createdAtMs, length(file) sizeBytes
  from exports`;

function prepareStatements(db: Database) {
  return {
    insert: db.prepare<
      [Omit<DonorExport, 'fields' | 'sizeBytes'> & { fields: string; file: Buffer }]
    >(
      `insert into exports (export_id, team, format, fields, donor_count, created_at_ms, file)
       values (@id, @team, @format, @fields, @donorCount, @createdAtMs, @file)`,
    ),
    insertDonors: db.prepare<[string, string]>(
      'insert or ignore into export_donors select ?, value from json_each(?)',
    ),
    find: db.prepare<[string, string], unknown>(`${EXPORTS} where export_id = ? and team = ?`),
    file: db.prepare<[string], { file: Buffer }>('select file from exports where export_id = ?'),
    latest: db.prepare<[{ team: string; before: number | null; limit: number }], unknown>(
      `${EXPORTS} where team = @team and (@before is null or position < @before)
       order by position desc limit @limit`,
    ),
  };
}
