/**
 * Stores which donors are in which export files. When a person is erased, the service deletes the export files that
 * contain the person.
 */

import type { Database } from '../database.ts';
import { joinedTo } from './vacancy.ts';

/** The donors in export files. Call the methods that write inside a transaction. */
export interface Exported {
  /**
   * Deletes the export files that contain the donor, or a donor that was joined to it. Also deletes export files whose
   * donors are unknown.
   */
  remove(number: number): void;
  /**
   * Handles a part that is separated from a joined donor. For files that were created after the join, the part counts
   * as contained. For earlier files, nothing changes.
   */
  divide(number: number, leaving: number): void;
}

/**
 * Opens the store of export files in a database. A join does not change the store's rows, because an export file still
 * contains the former donor.
 */
export function openExported(db: Database): Exported {
  const removeFiles = db.prepare<[number]>(
    `with recursive ${joinedTo('gone')}
     delete from exports
     where export_id in (select export_id from export_donors where donor in (select number from gone))
        or donor_count > 0 and export_id not in (select export_id from export_donors)`,
  );
  const removeRows = db.prepare<[]>(
    'delete from export_donors where export_id not in (select export_id from exports)',
  );
  // A part that was joined during its import never had its own number, so the service does not know which files contain
  // the part.
  const divide = db.prepare<[{ number: number; leaving: number }]>(
    `insert or ignore into export_donors (export_id, donor)
     select export_id, @leaving from export_donors join exports using (export_id)
     where donor = @number
       and created_at_ms >= coalesce((select at_ms from record_vacancies where number = @leaving), 0)`,
  );
  return {
    remove(number) {
      removeFiles.run(number);
      removeRows.run();
    },
    divide(number, leaving) {
      divide.run({ number, leaving });
    },
  };
}
