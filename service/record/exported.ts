/** The donors in export files. If a person is erased, these files are removed. */

import type { Database } from '../database.ts';
import { joinedTo } from './vacancy.ts';

/** Call the methods that write inside a transaction. */
export interface Exported {
  /** Removes the files that contain a donor or a joined donor, and the files whose donors are unknown. */
  remove(number: number): void;
  /**
   * A part that leaves a joined donor is treated as if it were in the files that were created after the join. For
   * earlier files, nothing changes.
   */
  divide(number: number, leaving: number): void;
}

/**
 * Opens the store of exported donors. A join does not change these rows. The export file is not changed and still
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
  // A part that was joined during its import has no former donor number. It is therefore unknown which files contain
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
