/** Persons as they would be sent to the service. */
import type { PersonDetails } from '../../../core/person.ts';
import { countOf } from '../../../core/quantities.ts';
import { oddityOf, shapeOf } from '../../../sync/sample-persons.ts';
import { Cell, Heads, Mark } from '../frame/parts.tsx';

/** Those that were looked at: their table, and what is odd about them all. */
export function SampledPersons({ persons }: { persons: readonly PersonDetails[] }) {
  const oddity = oddityOf(persons.map(shapeOf));
  return (
    <>
      {persons.length === 0 ? (
        <p class="empty">No contact can be sent: each needs a first and a last name.</p>
      ) : (
        <Persons persons={persons} />
      )}
      {oddity !== null && (
        <div class="trouble trouble-attention">
          <Mark kind="attention" />
          <p>{oddity}</p>
        </div>
      )}
    </>
  );
}

export function Persons({ persons }: { persons: readonly PersonDetails[] }) {
  return (
    <table class="stacks">
      <caption class="hidden">{countOf(persons.length, 'person')} as sent to the service</caption>
      <Heads texts={['First name', 'Last name', 'Addresses', 'Employers']} />
      <tbody>
        {persons.map(({ firstName, lastName, addresses, employers }) => (
          <tr>
            <th scope="row">{firstName}</th>
            <Cell label="Last name">{lastName}</Cell>
            <Cell label="Addresses">{textOf(addresses)}</Cell>
            <Cell label="Employers">{textOf(employers)}</Cell>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function textOf(texts: readonly string[]): string {
  return texts.length === 0 ? 'none' : texts.join(' | ');
}
