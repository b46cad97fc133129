/** Writes the index of all donors by name. */

import type { Donor } from '../../people/world.ts';
import type { Database } from '../database.ts';
import { comparableAddress, encodeAddresses } from './addresses.ts';
import { comparableEmployer } from './employers.ts';
import { comparableName } from './names.ts';

/** A donor in the index; all names are comparable ones. */
export interface DonorRow {
  number: number;
  last: string;
  first: string;
  middle: string;
  /** As `encodeAddresses` writes them. */
  addresses: string;
  /** One a line. */
  employers: string;
}

/** Takes all donors; the caller opens the transaction. */
export function createDonorRows(db: Database) {
  const insert = db.prepare<[DonorRow]>(
    'insert into donor_names values (@number, @last, @first, @middle, @addresses, @employers)',
  );
  return {
    add(number: number, donor: Donor): void {
      insert.run(toRow(number, donor));
    },
    /** To be called after the last one. */
    finish(): void {
      db.exec(`
        create index donor_names_by_name on donor_names (last, first);
        insert into first_names select first, count(*) from donor_names group by first;
        insert into last_names select last, count(*) from donor_names group by last;
      `);
    },
  };
}

function toRow(number: number, donor: Donor): DonorRow {
  const name = comparableName(donor.name.first, donor.name.middle ?? '', donor.name.last);
  const employers = new Set(donor.work.map((role) => comparableEmployer(role.organisationName)));
  return {
    number,
    last: name.last,
    first: name.first,
    middle: name.middles.join(' '),
    addresses: encodeAddresses(donor.addresses.map(comparableAddress)),
    employers: [...employers].join('\n'),
  };
}
