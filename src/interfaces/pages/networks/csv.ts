/** Exports paths as a CSV file. The file contains IDs and numbers, but no names. */
import { stringify } from 'csv-stringify/sync';
import { plainCell } from '../../../core/printable.ts';
import type { NetworkPicture, PicturePath } from '../../../networks/network-picture.ts';

const COLUMNS = ['Contact', 'Donor ID', 'Strength', 'Introducer', 'Introducer Donor ID', 'Network'];

/** Returns the CSV file. Cells are escaped, so that a spreadsheet does not run a cell as a formula. */
export function toCsv({ people }: NetworkPicture, paths: readonly PicturePath[]): string {
  const contacts = new Map(people.map((person) => [person.donorId, person.contacts[0] ?? '']));
  return stringify(
    paths.map((path) => ({
      Contact: path.contact,
      'Donor ID': path.to,
      Strength: path.strength,
      Introducer: contacts.get(path.from) ?? '',
      'Introducer Donor ID': path.from,
      Network: path.network,
    })),
    { header: true, columns: COLUMNS, cast: { string: plainCell } },
  );
}
