import { stringify } from 'csv-stringify/sync';
import { plainCell } from '../core/printable.ts';
import type { FoundProspect } from './find-prospects.ts';

/**
 * Returns prospects as CSV. Cells are escaped, so that they contain no control characters and a spreadsheet does not
 * run them as formulas.
 */
export function prospectsCsv(prospects: readonly FoundProspect[]): string {
  return stringify(
    prospects.map(({ donorId, name, profileUrl, people, best }) => ({
      'Donor ID': donorId,
      Name: name,
      Strength: best.strength,
      'Known To': people,
      Introducer: best.introducer.name ?? best.introducer.donorId,
      Network: best.networks.join(', '),
      Via: best.organization,
      'Warm Path': best.sentence,
      Profile: profileUrl,
    })),
    { header: true, columns: CSV_COLUMNS, cast: { string: plainCell } },
  );
}

const CSV_COLUMNS = [
  'Donor ID',
  'Name',
  'Strength',
  'Known To',
  'Introducer',
  'Network',
  'Via',
  'Warm Path',
  'Profile',
];
