import type { PersonDetails } from '../../../core/person.ts';
import { oddityOf, type PersonShape, shapeOf } from '../../../sync/sample-persons.ts';
import type { Output } from '../../terminal/output.ts';
import { countOf } from '../../terminal/quantities.ts';
import type { Column } from '../../terminal/table.ts';

/**
 * A few persons as they would be sent. Names are for a terminal, where a person looks at them: into
 * a file or a pipe go their shapes.
 */
export function printPersons(output: Output, persons: readonly PersonDetails[]): void {
  if (persons.length === 0) return;
  output.print();
  if (output.isTerminal) {
    output.print(`  ${titleOf(persons)}:`);
    output.table(PERSON_COLUMNS, persons);
  } else {
    output.print(`  ${titleOf(persons)} (on a terminal with their names):`);
    output.table(SHAPE_COLUMNS, persons.map(shapeOf));
  }
  const oddity = oddityOf(persons.map(shapeOf));
  if (oddity !== null) output.print(output.style.warn(`  ${oddity}`));
}

export function titleOf({ length }: readonly unknown[]): string {
  return `${countOf(length, 'person')} as sent to the service`;
}

export const PERSON_COLUMNS: readonly Column<PersonDetails>[] = [
  { header: 'First name', value: ({ firstName }) => firstName, shrinks: true },
  { header: 'Last name', value: ({ lastName }) => lastName, shrinks: true },
  { header: 'Addresses', value: ({ addresses }) => addresses.join(' | '), shrinks: true },
  { header: 'Employers', value: ({ employers }) => employers.join(' | '), shrinks: true },
];

const SHAPE_COLUMNS: readonly Column<PersonShape>[] = [
  { header: 'First name', value: ({ firstWords }) => countOf(firstWords, 'word') },
  { header: 'Last name', value: ({ lastWords }) => countOf(lastWords, 'word') },
  { header: 'Addresses', value: ({ addresses }) => String(addresses), align: 'right' },
  { header: 'Employers', value: ({ employers }) => String(employers), align: 'right' },
];
