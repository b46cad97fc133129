/** Changes references in the data of teams so that they lead to another donor, or removes the references. */

import { z } from 'zod';
import type { Database } from '../database.ts';
import { openApart } from './apart.ts';
import { openExported } from './exported.ts';
import { openMixedPlaces } from './mixed-places.ts';
import { openParts } from './parts.ts';
import { joinedTo } from './vacancy.ts';

/** The references to donors in the data of teams. Call each function inside a transaction. */
export interface References {
  move(from: number, to: number): void;
  /** Removes all references to a donor. */
  forget(number: number, ids: readonly string[]): void;
}

/** The text of a job after its donor has been erased. */
const ERASED = 'The person was erased from the service';

export function openReferences(db: Database): References {
  const sql = prepareStatements(db);
  const apart = openApart(db);
  const parts = openParts(db);
  const places = openMixedPlaces(db);
  const exported = openExported(db);

  /** Changes the second most likely donors, which are stored inside the matches. */
  function changeRunnersUp(from: number, to: number | null): void {
    for (const { id, match } of sql.withRunnerUp.all(from)) {
      const { runnerUp, ...rest } = matchSchema.parse(JSON.parse(match));
      const changed =
        to === null || runnerUp === null ? null : { was: from, ...runnerUp, donorNumber: to };
      sql.setMatch.run(JSON.stringify({ ...rest, runnerUp: changed }), id);
    }
  }

  return {
    move(from, to) {
      for (const statement of [sql.moveJobs, ...sql.movePlaces]) statement.run(to, from);
      changeRunnersUp(from, to);
      for (const statement of sql.dropPlaces) statement.run(from);
      sql.dropReview.run(from, to, to, from);
    },
    forget(number, ids) {
      sql.forgetJobs.run(ERASED, number);
      changeRunnersUp(number, null);
      sql.dropReviews.run(number);
      apart.forget(number);
      places.forget(number);
      parts.forget(number);
      sql.forgetReturns.run(number);
      sql.forgetUndone.run(number, number);
      // A file cannot be changed, so the whole file is deleted. Files whose donors are unknown are deleted too.
      exported.remove(number);
      for (const statement of sql.dropPlaces) statement.run(number);
      for (const id of ids) {
        sql.dropItems.run(id);
        for (const statement of sql.forgetId) statement.run(id, id);
      }
    },
  };
}

const matchSchema = z.looseObject({
  runnerUp: z.looseObject({ donorNumber: z.number() }).nullable(),
});

function prepareStatements(db: Database) {
  const two = (query: string) => db.prepare<[number, number]>(query);
  const one = (query: string) => db.prepare<[number]>(query);
  return {
    moveJobs: two('update jobs set donor_number = ? where donor_number = ?'),
    // If the list already contains the donor to which an entry moves, that donor's own entry remains.
    movePlaces: [
      two('update or ignore list_donors set donor_number = ? where donor_number = ?'),
      two('update or ignore network_members set donor = ? where donor = ?'),
      two('update or ignore stored_members set donor = ? where donor = ?'),
    ],
    dropPlaces: [
      one('delete from list_donors where donor_number = ?'),
      one('delete from network_members where donor = ?'),
      one(`delete from stored_connections
           where member in (select number from stored_members where donor = ?)`),
      one('delete from stored_members where donor = ?'),
    ],
    withRunnerUp: db.prepare<[number], { id: string; match: string }>(
      `select id, match from jobs where json_extract(match, '$.runnerUp.donorNumber') = ?`,
    ),
    setMatch: db.prepare<[string, string]>('update jobs set match = ? where id = ?'),
    forgetJobs: db.prepare<[string, number]>(
      `update jobs set donor_number = null, error = ?, match = null, parts = null where donor_number = ?`,
    ),
    forgetReturns: one(
      `delete from record_return_people
       where key in (select key from record_keys where number = ?)`,
    ),
    forgetUndone: two(
      'update record_undone set number = -1, apart_from = -1 where number = ? or apart_from = ?',
    ),
    dropReview: db.prepare<[number, number, number, number]>(
      'delete from record_reviews where one = ? and other = ? or one = ? and other = ?',
    ),
    dropReviews: one(
      `with recursive ${joinedTo('gone')}
       delete from record_reviews
       where one in (select number from gone) or other in (select number from gone)`,
    ),
    dropItems: db.prepare<[string]>('delete from network_job_items where donor_id = ?'),
    forgetId: ['ledger', 'late_charges'].map((table) =>
      db.prepare<[string, string]>(
        `update ${table} set what = replace(what, ?, 'erased') where instr(what, ?) > 0`,
      ),
    ),
  };
}
