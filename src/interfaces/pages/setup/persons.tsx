/** Shows contacts as donor-sync would send them to the service. */
import type { PersonDetails } from '../../../core/person.ts';
import { describeCount } from '../../../core/quantities.ts';
import { describeOddity, toPersonShape } from '../../../sync/sample-persons.ts';
import { Icon, TableCell, TableHead } from '../frame/parts.tsx';

/** Renders the table of the contacts, and remarks about them. */
export function SampledPersons({ persons }: { persons: readonly PersonDetails[] }) {
  const oddity = describeOddity(persons.map(toPersonShape));
  return (
    <>
      {persons.length === 0 ? (
        <p class="empty">No contact can be sent: each needs a first and a last name.</p>
      ) : (
        <Persons persons={persons} />
      )}
      {oddity !== null && (
        <div class="trouble trouble-attention">
          <Icon kind="attention" />
          <p>{oddity}</p>
        </div>
      )}
    </>
  );
}

export function Persons({ persons }: { persons: readonly PersonDetails[] }) {
  return (
    <table class="stacks">
      <caption class="hidden">
        {describeCount(persons.length, 'person')} as sent to the service
      </caption>
      <TableHead texts={['First name', 'Last name', 'Addresses', 'Employers']} />
      <tbody>
        {persons.map(({ firstName, lastName, addresses, employers }) => (
          <tr>
            <th scope="row">{firstName}</th>
            <TableCell label="Last name">{lastName}</TableCell>
            <TableCell label="Addresses">{joinTexts(addresses)}</TableCell>
            <TableCell label="Employers">{joinTexts(employers)}</TableCell>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function joinTexts(texts: readonly string[]): string {
  return texts.length === 0 ? 'none' : texts.join(' | ');
}
