import type { PathsForecast } from '../../../insights/forecast-paths.ts';
import type { Output } from '../../terminal/output.ts';
import { countOf, formatCount } from '../../terminal/quantities.ts';

/** What a run would do about warm paths, for a person; nothing where there is nothing to do. */
export function printPaths(
  output: Output,
  { warmPaths: { contacts, queries } }: { warmPaths: PathsForecast },
): void {
  if (contacts === 0) return;
  output.print();
  output.print(
    `  Warm paths: of up to ${countOf(contacts, 'contact')}, asked for in ${queries === 1 ? '1 query' : `${formatCount(queries)} queries`}`,
  );
}
